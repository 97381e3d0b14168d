// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The states of the device in a span, and the waits of requests: for all identifiers at once.
///
/// Replays the journal once, from the last snapshot before the span. Of events within a 2,000th of the
/// recorded span, it evaluates only some, enough for any display.
package struct DeviceHistory: Sendable {
    /// The state of the device from a date on; nil: no host ran.
    package struct DeviceChange: Equatable, Sendable {
        package var at: WallTime
        package var state: DeviceState?
    }

    /// A time in which a request waited for one reason.
    package struct Wait: Equatable, Sendable {
        package var from: WallTime
        package var to: WallTime
        /// `PendingReason.word`; nil: its date had not come.
        package var blocker: String?
    }

    package private(set) var device: [DeviceChange] = []
    /// By identifier, in time order.
    package private(set) var waits: [String: [Wait]] = [:]
    /// The start of the journal's records.
    package private(set) var begins: WallTime?
    /// The reason why they are incomplete.
    package private(set) var gap: String?
    private let identifiers: [String]
    private let since: WallTime
    private let until: WallTime
    private let step: Int64
    private var held: [String: (from: WallTime, word: String?)] = [:]
    private var looked: WallTime?
    private var last: WallTime?

    /// - Parameters:
    ///   - identifiers: The identifiers whose waits are reported.
    ///   - isHostRunning: Whether the host that wrote the last record still runs.
    package init(
        of identifiers: [String], in images: [JournalImage], since: WallTime, until: WallTime,
        isHostRunning: Bool
    ) {
        self.identifiers = identifiers
        self.since = since
        self.until = until
        let (start, first) = Self.start(images, since)
        let told = max(since, first ?? since)
        step = max(0, until.milliseconds(since: told)) / 2_000
        var position = -1
        var replay = Replay()
        var isDifferent = false
        for image in images {
            let reading = image.visit { _, record in
                begins = begins ?? record.at.wall
                position += 1
                guard position >= start else { return true }
                if let last, last.milliseconds.saturatingAdding(step) < record.at.wall.milliseconds
                {
                    look(at: replay.engine, last)
                }
                isDifferent = !note(record, replay.take(record), replay.engine)
                return !isDifferent && record.at.wall <= until
            }
            guard !isDifferent else { break }
            guard let damage = image.damage(reading) else { continue }
            gap = damage
            replay = Replay()
            hostIsGone(at: last)
        }
        if isDifferent || !isHostRunning {
            hostIsGone(at: last)
        } else if let last {
            look(at: replay.engine, last)
        }
        for identifier in held.keys { close(identifier, at: until) }
        for identifier in waits.keys { waits[identifier]?.sort { $0.from < $1.from } }
    }

    /// The position of the last snapshot at or before the span, and the date of the first record.
    private static func start(
        _ images: [JournalImage], _ since: WallTime
    ) -> (position: Int, first: WallTime?) {
        var position = -1
        var start = 0
        var first: WallTime?
        for image in images {
            _ = image.visit { _, record in
                position += 1
                first = first ?? record.at.wall
                if case .beginning = record, record.at.wall <= since { start = position }
                return record.at.wall <= since
            }
        }
        return (start, first)
    }

    /// False: later records depend on other decisions.
    private mutating func note(
        _ record: JournalRecord, _ outcome: Replay.Step, _ engine: Engine?
    ) -> Bool {
        let now = record.at.wall
        defer { last = now }
        switch outcome {
        case .began(let beginning):
            if beginning.origin == .host { hostIsGone(at: last) }
            look(at: engine, now)
        case .same:
            let isSoon = looked.map { now.milliseconds(since: $0) < step } ?? false
            if !isSoon { look(at: engine, now) }
        case .ended, .paused:
            look(at: engine, now)
            hostIsGone(at: now)
        case .different, .differentSnapshot, .senseless:
            gap = Replay.disagreement
            return false
        }
        return true
    }

    private mutating func look(at engine: Engine?, _ now: WallTime) {
        guard let engine else { return }
        looked = now
        if device.last?.state != engine.deviceState { note(engine.deviceState, at: now) }
        for identifier in identifiers {
            guard let reason = engine.pendingReason(identifier, at: now) else {
                close(identifier, at: now)
                continue
            }
            if let open = held[identifier], open.word == reason.word { continue }
            close(identifier, at: now)
            held[identifier] = (now, reason.word)
        }
    }

    private mutating func hostIsGone(at date: WallTime?) {
        guard let date else { return }
        if let last = device.last, last.state != nil { note(nil, at: date) }
        for identifier in held.keys { close(identifier, at: date) }
        looked = nil
    }

    /// Of states before the span, keeps the last one.
    private mutating func note(_ state: DeviceState?, at date: WallTime) {
        if let last = device.last, last.at <= since, date <= since { device.removeLast() }
        device.append(DeviceChange(at: date, state: state))
    }

    private mutating func close(_ identifier: String, at date: WallTime) {
        guard let open = held.removeValue(forKey: identifier) else { return }
        let from = max(open.from, since)
        let to = min(date, until)
        guard from < to else { return }
        waits[identifier, default: []].append(Wait(from: from, to: to, blocker: open.word))
    }
}
