// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The waits of one identifier's requests, as far back as the journal goes.
package struct WaitHistory: Sendable {
    /// The newest last.
    package private(set) var stretches: [Explanation.Wait] = []
    /// The start of the journal's records.
    package private(set) var begins: WallTime?
    /// The reason why they are incomplete.
    package private(set) var gap: String?
    private let identifier: String
    private let limit: Int
    private let date: WallTime?
    private var open: Explanation.Wait?
    private var last: WallTime?
    private var isHostThere = false
    private var isDifferent = false
    /// Whether no older part of the journal was deleted.
    private let isWhole: Bool

    /// The identifier's entry in the store without a running host, which may not be in the journal.
    package enum Stored: Equatable, Sendable {
        case nothing
        case request(Int64, submitted: WallTime)
    }

    /// The reason for a wait between two hosts.
    static let noHost = "no host runs"
    /// The reason for the time from the last record of a killed host: when it was killed is unknown.
    static let killedHost = "the host was killed in this time"

    /// - Parameters:
    ///   - limit: The maximum number of stretches; keeps the newest.
    ///   - isHostRunning: Whether the host that wrote the last record still runs.
    ///   - date: Omits waits that began after it.
    ///   - stored: The store's entry at the time `now`, without a running host.
    package init(
        of identifier: String, in images: [JournalImage], limit: Int, isHostRunning: Bool,
        until date: WallTime? = nil, stored: (what: Stored, now: WallTime)? = nil
    ) {
        self.date = date
        self.identifier = identifier
        self.limit = limit
        isWhole = images.count <= 1
        var replay = Replay()
        for image in images {
            let reading = image.visit { _, record in
                note(record, replay.take(record), replay.engine)
            }
            if isDifferent { return }
            guard let damage = image.damage(reading) else { continue }
            gap = damage
            replay = Replay()
            if let last { close(at: last, attempt: nil) }
        }
        if !isHostRunning, isHostThere { hostIsGone(since: last, Self.killedHost) }
        if !isHostRunning, let stored { take(stored.what, at: stored.now) }
        if let open { append(open) }
    }

    /// Whether to read the next record.
    private mutating func note(
        _ record: JournalRecord, _ step: Replay.Step, _ engine: Engine?
    ) -> Bool {
        let now = record.at.wall
        begins = begins ?? now
        defer { last = now }
        switch step {
        case .began(let beginning) where beginning.origin != .host: break
        case .began:
            if isHostThere { hostIsGone(since: last, Self.killedHost) }
            isHostThere = true
            let request = engine?.pendingRequest(identifier)
            take(request.map { .request($0.id, submitted: $0.submitted) } ?? .nothing, at: now)
        case .same:
            guard let engine else { return true }
            look(at: engine, now)
        case .ended:
            isHostThere = false
            hostIsGone(since: now, Self.noHost)
        case .paused:
            close(at: now, attempt: nil)
        case .different, .differentSnapshot, .senseless:
            // Later records depend on decisions that are different now.
            close(at: now, attempt: nil)
            isDifferent = true
            gap = Replay.disagreement
        }
        return !isDifferent
    }

    private mutating func look(at engine: Engine, _ now: WallTime) {
        let request = engine.pendingRequest(identifier)
        let reason = engine.pendingReason(identifier, at: now)?.text
        if let open, open.request != request?.id || open.reason != reason {
            let attempt = engine.runningAttempt(identifier)
            close(at: now, attempt: attempt?.request.id == open.request ? attempt?.id : nil)
        }
        if open == nil, let request, let reason {
            open = Explanation.Wait(request: request.id, reason: reason, since: now)
        }
    }

    /// Adds a change of the store without a running host: a request was submitted, replaced or
    /// cancelled.
    private mutating func take(_ stored: Stored, at now: WallTime) {
        guard case .request(let request, let submitted) = stored else {
            return close(at: now, attempt: nil)
        }
        // The time before the journal's first record is only known if the journal is still whole.
        guard open?.request != request, last != nil || isWhole else { return }
        let since = last.map { max($0, submitted) } ?? submitted
        close(at: min(since, now), attempt: nil)
        open = Explanation.Wait(request: request, reason: Self.noHost, since: since)
    }

    private mutating func hostIsGone(since date: WallTime?, _ reason: String) {
        guard let date, let request = open?.request else { return }
        close(at: date, attempt: nil)
        open = Explanation.Wait(request: request, reason: reason, since: date)
    }

    private mutating func close(at date: WallTime, attempt: Int64?) {
        guard var stretch = open else { return }
        open = nil
        stretch.until = date
        stretch.attempt = attempt
        if attempt != nil || date != stretch.since { append(stretch) }
    }

    private mutating func append(_ stretch: Explanation.Wait) {
        if let date, stretch.since > date { return }
        stretches.append(stretch)
        if stretches.count > limit { stretches.removeFirst(stretches.count - limit) }
    }
}
