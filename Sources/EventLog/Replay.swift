// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// Repeats the decisions of a journal, record by record.
package struct Replay: Sendable {
    /// The reason why a replay ends at a different decision, with a remedy.
    package static let disagreement =
        "this bgrun decides otherwise than the one that has written the journal; see bgrun replay"

    /// The engine after the last record; nil before the first and during a pause.
    private(set) var engine: Engine?
    private var scratch = WireWriter()

    /// The result of a record.
    enum Step: Sendable {
        /// A host has begun, or the engine continues in the next file.
        case began(JournalRecord.Beginning)
        /// The engine makes the same decision as recorded.
        case same([Action])
        /// The engine makes this decision instead.
        case different([Action])
        /// The snapshot differs from the result of the events before it.
        case differentSnapshot
        case ended
        case paused(pending: Int)
        /// An event without an engine, or an invalid snapshot.
        case senseless
    }

    mutating func take(_ record: JournalRecord) -> Step {
        switch record {
        case .beginning(let beginning):
            guard let next = Engine(beginning.configuration, beginning.snapshot) else {
                return .senseless
            }
            if beginning.origin == .continuation, let engine,
                !engine.snapshot.isSame(as: beginning.snapshot)
            {
                return .differentSnapshot
            }
            engine = next
            return .began(beginning)
        case .event(let noted):
            guard engine != nil else { return .senseless }
            var random = Recorded(number: noted.random)
            guard let actions = engine?.handle(noted.event, at: noted.at, using: &random) else {
                return .senseless
            }
            return actions.digest(&scratch) == noted.digest ? .same(actions) : .different(actions)
        case .end:
            return .ended
        case .pause(let pending, _):
            engine = nil
            return .paused(pending: pending)
        }
    }

    /// Returns the recorded number.
    private struct Recorded: RandomNumberGenerator {
        let number: UInt64?

        func next() -> UInt64 { number ?? 0 }
    }
}

extension Engine.Snapshot {
    /// Whether engines of both make the same decisions.
    fileprivate func isSame(as other: Engine.Snapshot) -> Bool {
        var (left, right) = (self, other)
        // A record of an older bgrun has fewer factors.
        let known = min(left.gate.factorsSince.count, right.gate.factorsSince.count)
        left.gate.forget(factorsFrom: known)
        right.gate.forget(factorsFrom: known)
        left.pending.sort { $0.request.id < $1.request.id }
        right.pending.sort { $0.request.id < $1.request.id }
        return left == right
    }
}

extension Engine.Snapshot.GateState {
    fileprivate mutating func forget(factorsFrom count: Int) {
        factorsSince.removeSubrange(min(count, factorsSince.count)...)
        factors &= UInt16(truncatingIfNeeded: (1 << count) - 1)
    }
}
