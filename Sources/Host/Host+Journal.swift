// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunEventLoop
import BGRunPolicy
import BGRunSystem

/// The record of the engine's input, for `replay`.
struct EngineRecord {
    /// Nil if there is no journal.
    var journal: Journal?
    /// Whether it will be written at the end of this round.
    var isPlanned = false
    var random: NotedRandom
}

extension Host {
    /// Call it before the first event of the engine.
    func beginJournal() {
        journaling { journal throws(JournalFailure) in try journal.begin(engine, at: clock.now) }
    }

    /// Another manifest applies to the engine from here on.
    func changeJournal() {
        journaling { journal throws(JournalFailure) in try journal.change(to: engine, at: clock.now)
        }
    }

    /// The engine has handled an event and returned actions.
    func note(_ event: Event, at now: Instant, _ actions: [Action]) {
        let drawn = record.random.take()
        journaling { journal throws(JournalFailure) in
            try journal.note(event, at: now, random: drawn, actions, from: engine)
        }
        guard record.journal != nil, !record.isPlanned else { return }
        record.isPlanned = true
        loop.afterThisRound { [unowned self] in
            record.isPlanned = false
            journaling { journal throws(JournalFailure) in try journal.flush() }
        }
    }

    /// The loop has ended: no further events follow.
    package func endJournal() {
        journaling { journal throws(JournalFailure) in try journal.end(at: clock.now) }
        record.journal = nil
    }

    /// Gives up a journal that cannot be written: no work depends on it.
    private func journaling(_ body: (Journal) throws(JournalFailure) -> Void) {
        guard let journal = record.journal else { return }
        do throws(JournalFailure) {
            try body(journal)
        } catch {
            record.journal = nil
            say(.warning, "the journal ends here: \(error.message)")
        }
    }
}

/// Random numbers; remembers the last one.
struct NotedRandom: RandomNumberGenerator {
    private var source: any RandomNumberGenerator
    private var drawn: UInt64?

    init(_ source: any RandomNumberGenerator) { self.source = source }

    mutating func next() -> UInt64 {
        let number = source.next()
        drawn = number
        return number
    }

    /// The number drawn since the last call, if any.
    mutating func take() -> UInt64? {
        defer { drawn = nil }
        return drawn
    }
}
