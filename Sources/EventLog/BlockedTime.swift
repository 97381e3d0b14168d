// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The time for which due requests waited, and their obstacles: for all identifiers at once. Replays the journal
/// once, which takes seconds for a week: after 20,000 events, it evaluates only some of those within a 20,000th of the
/// span, but obstacles that last longer count from their beginning.
package struct BlockedTime: Sendable {
    /// Milliseconds, by identifier and by obstacle.
    package private(set) var waits: [String: [String: Int64]] = [:]
    /// The start of the journal's records.
    package private(set) var begins: WallTime?
    /// The reason why they are incomplete.
    package private(set) var gap: String?
    private let identifiers: [String]
    private let since: WallTime
    private let until: WallTime
    private let longestStep: Int64
    private let exact: Int
    /// The number of evaluations within the span.
    private var evaluated = 0
    /// The obstacle of each waiting identifier at the last evaluation.
    private var held: [Held] = []
    private var looked: WallTime?
    /// Whether the last host has recorded its end.
    private var hasEnded = false
    /// The last event, if it has not been evaluated yet.
    private var unseen: WallTime?

    private struct Held {
        var identifier: String
        /// Nil: no obstacle, its date has not come.
        var word: String?
        var due: WallTime
    }

    /// The word for the time between two hosts.
    static let noHost = "no host"
    /// The word for the time from the last record of a killed host: when it was killed is unknown.
    static let killedHost = "a killed host"

    /// - Parameters:
    ///   - identifiers: The identifiers to report.
    ///   - isHostRunning: Whether the host that wrote the last record still runs.
    ///   - exact: How many events of the span are evaluated before some are skipped.
    package init(
        of identifiers: [String], in images: [JournalImage], since: WallTime, until: WallTime,
        isHostRunning: Bool, exact: Int = 20_000
    ) {
        self.exact = exact
        self.identifiers = identifiers
        self.since = since
        self.until = until
        longestStep = max(0, until.milliseconds(since: since)) / 20_000
        var replay = Replay()
        var isDifferent = false
        for image in images {
            let reading = image.visit { _, record in
                lookBack(
                    replay.engine, from: record.at.wall, atLeast: step(at: record.at.wall))
                isDifferent = !note(record, replay.take(record), replay.engine)
                return !isDifferent && record.at.wall <= until
            }
            guard !isDifferent else { break }
            guard let damage = image.damage(reading) else { continue }
            gap = damage
            replay = Replay()
            held = []
        }
        lookBack(replay.engine, from: until, atLeast: 0)
        if isHostRunning || isDifferent {
            // The state after an event that cannot be replayed is unknown.
            if isDifferent { held = [] }
        } else {
            hostIsGone()
        }
        charge(until: until)
    }

    /// False: later records depend on other decisions.
    private mutating func note(
        _ record: JournalRecord, _ step: Replay.Step, _ engine: Engine?
    ) -> Bool {
        let now = record.at.wall
        begins = begins ?? now
        switch step {
        case .began(let beginning):
            if beginning.origin == .host {
                hostIsGone()
                charge(until: now)
                hasEnded = false
            }
            if let engine { look(at: engine, now) }
        case .same:
            let isSoon = looked.map { now.milliseconds(since: $0) < self.step(at: now) } ?? false
            unseen = now
            if !isSoon, let engine { look(at: engine, now) }
        case .ended:
            if let engine { look(at: engine, now) }
            hasEnded = true
            hostIsGone()
        case .paused:
            charge(until: now)
            held = []
        case .different, .differentSnapshot, .senseless:
            charge(until: now)
            gap = Replay.disagreement
            return false
        }
        return true
    }

    /// The time within which only some events are evaluated, in milliseconds.
    private func step(at now: WallTime) -> Int64 {
        now >= since && evaluated < exact ? 0 : longestStep
    }

    /// Evaluates the state after an earlier, unevaluated event, if it lasted for at least `step`.
    private mutating func lookBack(_ engine: Engine?, from now: WallTime, atLeast step: Int64) {
        guard let unseen, let engine, now.milliseconds(since: unseen) >= step else { return }
        look(at: engine, unseen)
    }

    private mutating func look(at engine: Engine, _ now: WallTime) {
        charge(until: now)
        if now >= since { evaluated += 1 }
        unseen = nil
        held.removeAll(keepingCapacity: true)
        for identifier in identifiers {
            guard let reason = engine.pendingReason(identifier, at: now) else { continue }
            var due = now
            if case .notBefore(let date) = reason { due = date }
            held.append(Held(identifier: identifier, word: reason.word, due: due))
        }
    }

    /// Waiting requests wait for a host, from their due dates on.
    private mutating func hostIsGone() {
        for index in held.indices { held[index].word = hasEnded ? Self.noHost : Self.killedHost }
    }

    /// Counts the obstacles of the last evaluation until now.
    private mutating func charge(until now: WallTime) {
        defer { looked = now }
        guard let looked else { return }
        for request in held {
            let length = min(now, until).milliseconds(since: max(looked, since, request.due))
            guard length > 0, let word = request.word else { continue }
            let before = waits[request.identifier]?[word] ?? 0
            waits[request.identifier, default: [:]][word] = before.saturatingAdding(length)
        }
    }
}
