// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What the requests of one identifier have waited for, as far back as the journal goes.
package struct WaitHistory: Sendable {
    /// A time in which one request waited for one reason.
    package struct Stretch: Hashable, Sendable {
        package var request: Int64
        package var reason: String
        package var since: WallTime
        /// Nil: it still waits.
        package var until: WallTime?
        /// The attempt that was launched at its end.
        package var attempt: Int64?
    }

    /// The newest last.
    package private(set) var stretches: [Stretch] = []
    /// From when on the journal tells.
    package private(set) var begins: WallTime?
    /// Why it does not tell everything.
    package private(set) var gap: String?
    private let identifier: String
    private let limit: Int
    private let date: WallTime?
    private var open: Stretch?
    private var last: WallTime?
    private var isHostThere = false
    private var isDifferent = false
    /// Whether no older part of the journal can have been deleted.
    private let isWhole: Bool

    /// What the store has of the identifier while no host runs, which may not be in the journal.
    package enum Stored: Hashable, Sendable {
        case nothing
        case request(Int64, submitted: WallTime)
    }

    /// Words of the time between two hosts.
    static let noHost = "no host runs"
    /// The reason for the time from the last record of a killed host: when it was killed is unknown.
    static let killedHost = "the host was killed in this time"

    /// - Parameters:
    ///   - limit: At most so many stretches are kept, the newest.
    ///   - isHostRunning: Whether the host that has written the last of it still runs.
    ///   - date: Waits that began after it are left out.
    ///   - stored: What the store has at the time `now`, when no host runs.
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

    /// Whether the next record is of interest.
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
            // What follows stands on decisions that are others now.
            close(at: now, attempt: nil)
            isDifferent = true
            gap = Replay.disagreement
        }
        return !isDifferent
    }

    private mutating func look(at engine: Engine, _ now: WallTime) {
        let request = engine.pendingRequest(identifier)
        let reason = engine.pendingReason(identifier, at: now)?.text(now: now)
        if let open, open.request != request?.id || open.reason != reason {
            let attempt = engine.runningAttempt(identifier)
            close(at: now, attempt: attempt?.request.id == open.request ? attempt?.id : nil)
        }
        if open == nil, let request, let reason {
            open = Stretch(request: request.id, reason: reason, since: now)
        }
    }

    /// What was changed in the store while no host ran: a request that came, replaced another, or went.
    private mutating func take(_ stored: Stored, at now: WallTime) {
        guard case .request(let request, let submitted) = stored else {
            return close(at: now, attempt: nil)
        }
        // What was before the journal's first record is known only of a journal that is still whole.
        guard open?.request != request, last != nil || isWhole else { return }
        let since = last.map { max($0, submitted) } ?? submitted
        close(at: min(since, now), attempt: nil)
        open = Stretch(request: request, reason: Self.noHost, since: since)
    }

    private mutating func hostIsGone(since date: WallTime?, _ reason: String) {
        guard let date, let request = open?.request else { return }
        close(at: date, attempt: nil)
        open = Stretch(request: request, reason: reason, since: date)
    }

    private mutating func close(at date: WallTime, attempt: Int64?) {
        guard var stretch = open else { return }
        open = nil
        stretch.until = date
        stretch.attempt = attempt
        if attempt != nil || date != stretch.since { append(stretch) }
    }

    private mutating func append(_ stretch: Stretch) {
        if let date, stretch.since > date { return }
        stretches.append(stretch)
        if stretches.count > limit { stretches.removeFirst(stretches.count - limit) }
    }
}
