// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunEventLoop
import BGRunPolicy
import BGRunSystem

/// What the engine is fed, for `replay`.
struct EngineRecord {
    /// Nil when none is kept.
    var journal: Journal?
    /// Whether it will be written at the end of this round.
    var isPlanned = false
    var random: NotedRandom
}

extension Host {
    /// The engine is about to be fed its first event.
    func beginJournal() {
        journaling { journal throws(JournalFailure) in try journal.begin(engine, at: clock.now) }
    }

    /// The engine goes by another manifest from here on.
    func changeJournal() {
        journaling { journal throws(JournalFailure) in try journal.change(to: engine, at: clock.now)
        }
    }

    /// The engine was fed an event and has said what is to be done.
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

    /// Nothing more will happen: the loop has ended.
    package func endJournal() {
        journaling { journal throws(JournalFailure) in try journal.end(at: clock.now) }
        record.journal = nil
    }

    /// A journal that cannot be written is given up: no work depends on it.
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

/// Random numbers, of which the last one is remembered.
struct NotedRandom: RandomNumberGenerator {
    private var source: any RandomNumberGenerator
    private var drawn: UInt64?

    init(_ source: any RandomNumberGenerator) { self.source = source }

    mutating func next() -> UInt64 {
        let number = source.next()
        drawn = number
        return number
    }

    /// The number that was drawn since the last time, if one was.
    mutating func take() -> UInt64? {
        defer { drawn = nil }
        return drawn
    }
}
