// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The engine of a host at a date.
package struct PastState: Sendable {
    package var engine: Engine
    /// The instant of the last record before that date.
    package var asOf: Instant
    package var host: Host
    /// The damage that may hide later records before the date.
    package var damage: String?

    /// The known state of the host at that date.
    package enum Host: Equatable, Sendable {
        case running
        /// It had ended normally.
        case ended
        /// It was killed some time after the record.
        case killed
    }

    /// The reason why it is missing.
    package enum Absence: Error, Equatable, Sendable {
        /// No journal, or one without readable records.
        case empty
        /// Nothing in it can be read, with the reason.
        case damaged(String)
        /// It begins after that date.
        case beginsLater(WallTime)
        /// Recording was paused then: too many requests were pending.
        case paused(pending: Int, since: WallTime)
        /// The journal cannot be replayed: see `ReplayReport`.
        case different
    }

    /// The instant of the newest record; nil without a record.
    package static func last(in images: [JournalImage]) -> Instant? {
        var last: Instant?
        for image in images {
            _ = image.visit { _, record in
                last = record.at
                return true
            }
        }
        return last
    }

    /// Replays `images` up to the last record at or before `date`.
    /// - Parameter isHostRunning: Whether the host that wrote the last record still runs.
    package static func at(
        _ date: WallTime, in images: [JournalImage], isHostRunning: Bool
    ) throws(Absence) -> PastState {
        let plan = Plan(date, images)
        guard let first = plan.first else { throw plan.damage.map { .damaged($0) } ?? .empty }
        guard let last = plan.last else { throw .beginsLater(first) }
        if let pending = last.pending { throw .paused(pending: pending, since: last.at.wall) }
        guard let start = plan.start else { throw .beginsLater(first) }
        var replay = Replay()
        var position = -1
        var isSame = true
        for image in images {
            _ = image.visit { _, record in
                position += 1
                guard position >= start else { return true }
                guard position <= last.position else { return false }
                switch replay.take(record) {
                case .different, .differentSnapshot, .senseless: isSame = false
                case .began, .same, .ended, .paused: break
                }
                return isSame
            }
        }
        guard isSame, let engine = replay.engine else { throw .different }
        let host: Host =
            last.isEnd
            ? .ended
            : plan.isFollowedByHost || plan.isLast && !isHostRunning ? .killed : .running
        return PastState(engine: engine, asOf: last.at, host: host, damage: plan.damage)
    }

    /// The records to replay. The calendar clock may have been set back, so the last record at or
    /// before the date may follow a record after it.
    private struct Plan {
        var first: WallTime?
        /// The position of the initial snapshot.
        var start: Int?
        var last: Last?
        /// Whether the beginning of another host follows.
        var isFollowedByHost = false
        /// Whether no record follows.
        var isLast = true
        /// The damage between `last` and the next record.
        var damage: String?

        struct Last {
            var position: Int
            var at: Instant
            var isEnd: Bool
            var pending: Int?
        }

        init(_ date: WallTime, _ images: [JournalImage]) {
            var position = -1
            var snapshot: Int?
            for image in images {
                let reading = image.visit { _, record in
                    position += 1
                    first = first ?? record.at.wall
                    if last?.position == position - 1 {
                        isLast = false
                        isFollowedByHost = record.isNewHost
                    }
                    if case .beginning = record { snapshot = position }
                    guard record.at.wall <= date else { return true }
                    start = snapshot
                    isLast = true
                    isFollowedByHost = false
                    damage = nil
                    last = Last(
                        position: position, at: record.at, isEnd: record.isEnd,
                        pending: record.pausedPending)
                    return true
                }
                if last == nil || last?.position == position {
                    damage = image.damage(reading) ?? damage
                }
            }
        }
    }
}

extension JournalRecord {
    /// Whether another host begins with it.
    var isNewHost: Bool {
        if case .beginning(let beginning) = self { beginning.origin == .host } else { false }
    }

    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }

    fileprivate var pausedPending: Int? {
        if case .pause(let pending, _) = self { pending } else { nil }
    }
}
