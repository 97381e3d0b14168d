// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// An explanation in messages and output.
package struct ExplanationView: Codable, Equatable, Sendable {
    package var identifier: String
    package var kind: String
    /// The task's description in the manifest.
    package var description: String?
    /// `running`, `pending` or `idle`.
    package var state: String
    /// The running attempt.
    package var attempt: Int64?
    /// The phase of a running attempt: `waiting`, `granted`, `asserting`, `reported`, `expiring`, `terminated`
    /// or `killed`.
    package var phase: String?
    /// The end of the phase without further events, and the remaining time in milliseconds.
    package var phaseUntil: WallTime?
    package var phaseLeft: Int64?
    /// The reason why it is or will be expired.
    package var stopReason: String?
    /// The pending request.
    package var request: Int64?
    package var submitted: WallTime?
    /// The annotations of the request, or of one that would be submitted now; nil: none.
    package var annotations: Annotations?
    /// The one reason why a pending request is not running.
    package var reason: String?
    /// The end of that reason without further events.
    package var reasonUntil: WallTime?
    /// The next date at which anything changes without further events.
    package var next: WallTime?
    package var lines: [Explanation.Line]
    /// The date of a forecast or of a look back; nil: now.
    package var at: WallTime?
    /// The requested date, if the forecast ends earlier.
    package var asked: WallTime?
    /// For a look back: the last event before.
    package var asOf: WallTime?
    /// For a look back: `running`, `ended`, or `killed` some time after `asOf`. For a forecast: `running`, or
    /// `none` if a host would have to start first.
    package var host: String?
    /// The launches until then if every attempt takes no time, at most a thousand, the task's own first, and
    /// their total number.
    var launches: [Launch]?
    package var launchCount: Int?
    /// The waits of its requests, the newest last.
    package var history: [Explanation.Wait]?
    /// The damage to the journal that ends its readable part here.
    package var damage: String?
    /// The reason why the history is incomplete.
    package var historyGap: String?
    /// The date at which the journal's records of it begin.
    package var historyBegins: WallTime?

    package struct Launch: Codable, Equatable, Sendable {
        package var attempt: Int64
        package var identifier: String
        package var at: WallTime
    }

    /// For a task that neither waits nor runs: the events that submit it, for people.
    package var submittedBy: [String]?

    /// For a task of kind `push`: the held messages, and the sources of pushes.
    package var pushes: Pushes?

    package struct Pushes: Codable, Equatable, Sendable {
        /// The number of messages that wait for an attempt, and the arrival of the newest.
        package var held: Int
        package var newest: WallTime?
        /// Empty without a host.
        package var sources: [PushSourceState]

        package init(_ messages: [PushMessage], _ sources: [PushSourceState] = []) {
            held = messages.count
            newest = messages.last?.received
            self.sources = sources
        }
    }

    /// What its confinement denied to its last attempt, if that failed, and the keys that would permit it.
    package var confined: String?

    /// The last stored events of the task.
    package var events: [Event] = []

    /// A line of the task's history.
    package struct Event: Codable, Equatable, Sendable {
        package var at: WallTime
        package var kind: String
        package var attempt: Int64?
        package var text: String

        package init(at: WallTime, kind: String, attempt: Int64?, text: String) {
            self.at = at
            self.kind = kind
            self.attempt = attempt
            self.text = text
        }
    }

    package init(_ explanation: Explanation, now: WallTime) {
        identifier = explanation.identifier
        kind = explanation.kind.name
        switch explanation.state {
        case .running(let running):
            state = "running"
            attempt = running.attempt.id
            phase = running.rung.name
            phaseUntil = running.until
            phaseLeft = running.until.map { max(0, $0.milliseconds(since: now)) }
            stopReason = running.rung.reason?.name
        case .pending(let request):
            state = "pending"
            self.request = request.id
            submitted = request.submitted
        case .idle:
            state = "idle"
        }
        annotations = explanation.annotations.isEmpty ? nil : explanation.annotations
        reason = explanation.sentence
        reasonUntil = explanation.reason?.until
        next = explanation.next
        lines = explanation.lines
    }

    /// Adds that another program has been writing to the store since `date`: until it ends, nothing is
    /// launched. `launching` is the request whose launch waits for that; its handler has not begun.
    package mutating func waitForStore(since date: WallTime, launching: TaskRequest?) {
        if let launching {
            state = "pending"
            request = launching.id
            submitted = launching.submitted
            (attempt, phase, phaseUntil, phaseLeft, stopReason) = (nil, nil, nil, nil, nil)
        }
        if state == "pending" { reason = AppOverview.Pending.busyStore }
        reasonUntil = nil
        lines.insert(.store(busySince: date), at: 0)
    }

    /// At most `limit` launches in their order; drops others before the task's own.
    package func launches(upTo limit: Int) -> [Launch] {
        let all = launches ?? []
        let own = all.filter { $0.identifier == identifier }.prefix(limit)
        let others = all.filter { $0.identifier != identifier }.prefix(limit - own.count)
        return (own + others).sorted { $0.attempt < $1.attempt }
    }

    /// The state at the end of `forecast`; nil if no task handles `identifier`.
    package init?(_ forecast: Forecast, of identifier: String) {
        guard let explanation = forecast.engine.explain(identifier, at: forecast.reached) else {
            return nil
        }
        self.init(explanation, now: forecast.reached)
        at = forecast.reached
        asked = forecast.reached < forecast.asked ? forecast.asked : nil
        host = "running"
        launches = forecast.launches.map {
            Launch(attempt: $0.id, identifier: $0.request.identifier, at: $0.launched.wall)
        }
        launches = launches(upTo: 1_000)
        launchCount = forecast.launches.count
    }
}

extension Explanation.Line {
    /// `ok`, `no`, or `pass`: it does not block, although it is unknown or not met.
    package var mark: String { !satisfied ? "no" : remark == nil ? "ok" : "pass" }

    /// `current`, with the treatment of a value that is unknown or not met.
    package var currentText: String { current + (remark.map { " (\($0))" } ?? "") }

    private var remark: String? {
        switch note {
        case .unknown?: satisfied ? "treated as met" : "treated as not met"
        case .tolerated?: "preference not met; does not block"
        default: nil
        }
    }
}
