// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunPush
import BGRunReport

/// An explanation, as it is sent and printed. Dates are milliseconds since 1970.
public struct ExplanationView: Codable, Hashable, Sendable {
    public var identifier: String
    public var kind: String
    /// `running`, `pending` or `idle`.
    public var state: String
    /// The attempt that runs.
    public var attempt: Int64?
    /// Of an attempt that runs: `waiting`, `granted`, `asserting`, `reported`, `expiring`,
    /// `terminated` or `killed`.
    public var phase: String?
    /// When that ends if nothing happens, and how many milliseconds are left.
    public var phaseUntil: Int64?
    public var phaseLeft: Int64?
    /// Why it is expired, or will be.
    public var stopReason: String?
    /// The request that is pending.
    public var request: Int64?
    public var submitted: Int64?
    /// The one reason a pending request is not running.
    public var reason: String?
    /// When that ends if nothing happens.
    public var reasonUntil: Int64?
    /// The next date at which anything changes though nothing happens.
    public var next: Int64?
    public var lines: [Line]
    /// The date of a forecast or of a look back; nil: now.
    public var at: Int64?
    /// Of a look back: the last event before.
    public var asOf: Int64?
    /// Of a look back: `running`, `ended`, or `killed` some time after `asOf`. Of a forecast:
    /// `running`, or `none` when one would have to start first.
    public var host: String?
    /// What is launched until then if every attempt takes no time, at most a thousand, its own before
    /// others, and how many there are.
    public var launches: [Launch]?
    public var launchCount: Int?
    /// What its requests have waited for, the newest last.
    public var history: [Wait]?
    /// What is wrong with the journal where this was the last that could be read.
    public var damage: String?
    /// Why the history does not tell everything.
    public var historyGap: String?
    /// From when on the journal tells of it.
    public var historyBegins: Int64?

    public struct Launch: Codable, Hashable, Sendable {
        public var attempt: Int64
        public var identifier: String
        public var at: Int64
    }

    /// A time in which a request waited for one reason.
    public struct Wait: Codable, Hashable, Sendable {
        public var request: Int64
        public var reason: String
        public var since: Int64
        /// Nil: it still waits.
        public var until: Int64?
        /// The attempt that was launched at its end.
        public var attempt: Int64?

        public init(
            request: Int64, reason: String, since: Int64, until: Int64?, attempt: Int64?
        ) {
            self.request = request
            self.reason = reason
            self.since = since
            self.until = until
            self.attempt = attempt
        }
    }

    /// Of a task that neither waits nor runs: what submits it, for people.
    public var submittedBy: [String]?

    /// Of a task of kind `push`: what it holds, and where pushes come from.
    public var pushes: Pushes?

    public struct Pushes: Codable, Hashable, Sendable {
        /// Messages that wait for an attempt, and when the newest of them came.
        public var held: Int
        public var newest: Int64?
        /// Empty while no host runs.
        public var sources: [PushSourceState]

        public init(_ messages: [PushMessage], _ sources: [PushSourceState] = []) {
            held = messages.count
            newest = messages.last?.received.milliseconds
            self.sources = sources
        }
    }

    /// What happened to the task last, as far as it is stored.
    public var events: [Event] = []

    /// A line of the task's history.
    public struct Event: Codable, Hashable, Sendable {
        public var at: Int64
        public var kind: String
        public var attempt: Int64?
        public var text: String

        public init(at: Int64, kind: String, attempt: Int64?, text: String) {
            self.at = at
            self.kind = kind
            self.attempt = attempt
            self.text = text
        }
    }

    public struct Line: Codable, Hashable, Sendable {
        /// `date`, `condition`, `factor` or `limit`.
        public var subject: String
        public var name: String
        public var current: String
        public var needed: String
        public var satisfied: Bool
        public var since: Int64?
        public var until: Int64?
    }

    public init(_ explanation: Explanation, now: WallTime) {
        identifier = explanation.identifier
        kind = explanation.kind.name
        switch explanation.state {
        case .running(let running):
            state = "running"
            attempt = running.attempt
            phase = running.phase.name
            phaseUntil = running.until?.milliseconds
            phaseLeft = running.until.map {
                max(0, $0.milliseconds.saturatingSubtracting(now.milliseconds))
            }
            stopReason = running.phase.reason?.name
        case .pending(let request):
            state = "pending"
            self.request = request.id
            submitted = request.submitted.milliseconds
        case .idle:
            state = "idle"
        }
        reason = explanation.sentence
        reasonUntil = explanation.reason?.until?.milliseconds
        next = explanation.next?.milliseconds
        lines = explanation.lines.map { line in
            Line(
                subject: line.subject.rawValue, name: line.name, current: line.current,
                needed: line.needed, satisfied: line.isSatisfied,
                since: line.since?.milliseconds, until: line.until?.milliseconds)
        }
    }

    /// Adds that another program has been writing to the store since `date`: until it ends, nothing is
    /// launched. `launching` is the request whose launch waits for that; its handler has not begun.
    mutating func waitForStore(since date: WallTime, launching: TaskRequest?) {
        if let launching {
            state = "pending"
            request = launching.id
            submitted = launching.submitted.milliseconds
            (attempt, phase, phaseUntil, phaseLeft, stopReason) = (nil, nil, nil, nil, nil)
        }
        if state == "pending" { reason = AppOverview.Pending.busyStore }
        reasonUntil = nil
        lines.insert(
            Line(
                subject: "limit", name: "store", current: "another program writes to it",
                needed: "free", satisfied: false, since: date.milliseconds, until: nil),
            at: 0)
    }

    /// At most `limit` launches in their order, its own before others.
    public func launches(upTo limit: Int) -> [Launch] {
        let all = launches ?? []
        let own = all.filter { $0.identifier == identifier }.prefix(limit)
        let others = all.filter { $0.identifier != identifier }.prefix(limit - own.count)
        return (own + others).sorted { $0.attempt < $1.attempt }
    }

    /// What stands at the end of `forecast`; nil when no task handles `identifier`.
    public init?(_ forecast: Forecast, of identifier: String) {
        guard let explanation = forecast.engine.explain(identifier, at: forecast.reached) else {
            return nil
        }
        self.init(explanation, now: forecast.reached)
        at = forecast.reached.milliseconds
        host = "running"
        launches = forecast.launches.map {
            Launch(
                attempt: $0.id, identifier: $0.request.identifier,
                at: $0.launched.wall.milliseconds)
        }
        launches = launches(upTo: 1_000)
        launchCount = forecast.launches.count
    }
}
