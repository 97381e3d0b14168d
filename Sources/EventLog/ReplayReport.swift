// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The result of replaying a whole journal.
package struct ReplayReport: Sendable {
    package var files: [File] = []
    package var hosts = 0
    /// The number of snapshots that a replay began from.
    package var snapshots = 0
    package var events = 0
    /// The number of actions that the engine decided.
    package var actions = 0
    package var first: WallTime?
    package var last: WallTime?
    /// The versions of bgrun that wrote it, in order.
    package var versions: [String] = []
    var apps: [String] = []
    /// The digest of the last configuration.
    package var configuration: UInt64?
    /// The number of pauses of recording due to too many pending requests, and the maximum
    /// number of these.
    package var pauses: (count: Int, pending: Int) = (0, 0)
    /// The first different decision.
    package var difference: Difference?

    package struct File: Sendable {
        package var path: String
        package var size: Int
        package var reading: JournalImage.Reading
    }

    package struct Difference: Sendable {
        package var path: String
        /// The number of the record, from 1 on.
        package var number: Int
        package var at: WallTime
        /// Nil: the snapshot itself differs.
        package var event: Event?
        /// The current decision of the engine.
        package var actions: [Action]
    }

    /// Whether every record was read, and every decision is the same.
    package var isProof: Bool {
        difference == nil && files.allSatisfy { $0.reading.ending.isExpected }
    }

    /// Replays `images` up to the first difference; skips the rest of a damaged file.
    package init(_ images: [JournalImage]) {
        var replay = Replay()
        for image in images where difference == nil {
            let reading = image.visit { number, record in
                note(record, replay.take(record), number, image.path)
            }
            if !reading.ending.isExpected { replay = Replay() }
            files.append(File(path: image.path, size: image.bytes.count, reading: reading))
        }
    }

    /// Whether to read the next record.
    private mutating func note(
        _ record: JournalRecord, _ step: Replay.Step, _ number: Int, _ path: String
    ) -> Bool {
        first = first ?? record.at.wall
        last = record.at.wall
        switch step {
        case .began(let beginning):
            snapshots += 1
            if beginning.origin == .host { hosts += 1 }
            if !versions.contains(beginning.version) { versions.append(beginning.version) }
            if !apps.contains(beginning.app) { apps.append(beginning.app) }
            configuration = beginning.configuration.digest
        case .same(let actions):
            events += 1
            self.actions += actions.count
        case .different(let actions):
            difference = Difference(
                path: path, number: number, at: record.at.wall, event: record.event,
                actions: actions)
        case .differentSnapshot, .senseless:
            difference = Difference(
                path: path, number: number, at: record.at.wall, event: nil, actions: [])
        case .ended: break
        case .paused(let pending):
            pauses = (pauses.count + 1, max(pauses.pending, pending))
        }
        return difference == nil
    }
}

extension JournalImage.Ending {
    /// Whether there is no damage: a truncated block is normal after a host was killed.
    var isExpected: Bool { if case .damaged = self { false } else { true } }
}

extension JournalRecord {
    var at: Instant {
        switch self {
        case .beginning(let beginning): beginning.at
        case .event(let noted): noted.at
        case .end(let now), .pause(_, let now): now
        }
    }

    var event: Event? {
        if case .event(let noted) = self { noted.event } else { nil }
    }
}
