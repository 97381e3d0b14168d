// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSupervisor
import CBGRunShims

/// Another program holds a write lock on the store: decisions wait for it, and nothing is executed
/// or acknowledged before it is stored. Meanwhile the loop continues and answers queries.
struct Stall {
    /// The waiting round.
    var round: Host.Round?
    /// When the wait began on the elapsed clock; nil: the store is not busy.
    var since: Int64?
    /// The same without the time asleep.
    var sinceActive: Int64 = 0
    /// When a host that was told to end stops waiting, on the same clock; nil: it was not told.
    var deadline: Int64?
    /// Nanoseconds for which a host that was told to end may still wait, all waits together.
    var timeLeft = Host.timeoutAtEnd.nanoseconds
    var timer: (any HostTimer)?
    /// How long the loop blocks while another program writes.
    var busyTimeout = Interval.zero
}

extension Host {
    /// The maximum wait of a host that was told to end.
    static let timeoutAtEnd = Interval.seconds(5)
    private static let busyPause = Interval.milliseconds(100)

    /// When this host began to wait for another program that writes to the store; nil: it does not wait.
    package var waitsForStoreSince: WallTime? {
        stall.since.map { since in
            let now = clock.now
            let waited = now.elapsed.saturatingSubtracting(since) / 1_000_000
            return WallTime(milliseconds: now.wall.milliseconds.saturatingSubtracting(waited))
        }
    }

    /// Requests that are launched as soon as the store is free, in the order of launch: their handlers have not begun.
    var launchesWaitingForStore: [TaskRequest] {
        guard let round = stall.round, !round.hasLaunched else { return [] }
        return round.actions.compactMap { $0.launchedAttempt?.request }
    }

    /// Retries after a short delay, until the limit of the policy.
    func waitForStore() {
        let now = clock.now.elapsed
        if stall.since == nil {
            stall.since = now
            stall.sinceActive = active
            if life.isAskedToEnd { waitShortly() }
            say(
                .warning,
                "Waiting for another program that is writing to \(store.path); nothing is launched or "
                    + "answered meanwhile")
            noteChange()
        }
        guard let timer = stall.timer else { return breakDown(.busy(path: store.path)) }
        timer.set(elapsed: now + Self.busyPause.nanoseconds)  // fits: both are short
    }

    /// The host was told to end: waits briefly for a busy store.
    func waitShortly() {
        guard stall.since != nil, stall.deadline == nil else { return }
        stall.deadline = active.saturatingAdding(stall.timeLeft)
    }

    /// The store may be free again.
    func tryStore() {
        guard stall.since != nil, breakdown == nil else { return }
        let round = stall.round
        stall.round = nil
        // Events sent by replies and features are handled after this round, not during it.
        queue.isHandling = true
        do throws(StoreError) {
            if let round { try finish(delayed(round)) }
            if stall.round == nil, unsaved.isWaiting { try saveLines() }
            for feature in features where !isStoreBusy { try feature.storeIsFree() }
            if !isStoreBusy { writeWaitingCheckpoints() }
        } catch {
            breakDown(error)
        }
        queue.isHandling = false
        guard breakdown == nil else { return }
        if isStoreBusy || !checkpoints.waiting.isEmpty {
            // Checked after the attempt, and without the time asleep: the other program slept, too.
            guard stalledFor < manifest.policy.storeWait, !isPastDeadline else {
                return breakDown(.busy(path: store.path))
            }
        } else {
            stall.since = nil
            if let ends = stall.deadline {
                stall.timeLeft = max(0, ends.saturatingSubtracting(active))
                stall.deadline = nil
            }
            say(.info, "\(store.path) can be written again")
            saveAfterThisRound()
        }
        guard stall.round == nil else { return }
        queue.resume()
        handleEvents()
    }

    /// The time spent waiting for the store while the machine was awake.
    private var stalledFor: Interval {
        Interval(nanoseconds: active.saturatingSubtracting(stall.sinceActive))
    }

    /// Whether the host was told to end, and its wait for the store since then has timed out.
    private var isPastDeadline: Bool { stall.deadline.map { active >= $0 } ?? false }

    private var active: Int64 { clock.now.elapsed.saturatingSubtracting(clock.asleep) }

    /// The time of an attempt does not start while its launch waits.
    private func delayed(_ round: Round) -> Round {
        guard !life.isAskedToEnd else { return ending(round) }
        let waiting = round.waiting
        guard !waiting.isEmpty else { return round }
        let now = clock.now
        var round = round
        round.delay(waiting, to: now)
        unsaved.changes = unsaved.changes.map { $0.dated(now, of: waiting) }
        return round
    }

    /// The host was told to end: withdraws waiting launches in the same transaction; waiting events launch nothing.
    private func ending(_ round: Round) -> Round {
        guard !engine.isEnding else { return round }
        let withdrawn = round.waiting
        let now = clock.now
        let event = Event.launchesEnd(withdrawn: withdrawn.sorted())
        let actions = engine.handle(event, at: now, using: &record.random)
        note(event, at: now, actions)
        observer?.decided(event, actions, at: now)
        var round = round
        round.withdraw(withdrawn)
        unsaved.changes.removeAll { $0.isEvent(of: withdrawn) }
        round.actions += actions
        addChanges(for: actions, at: now, to: &round)
        for attempt in withdrawn.sorted() { supervisor.withdraw(attempt) }
        return round
    }

    /// Tells the engine that attempts begin only now; returns the changes to store for it.
    func delay(_ launches: [Action], to begin: Instant) -> [StoreChange] {
        let attempts = launches.compactMap(\.launchedAttempt)
        let event = Event.launchesDelayed(attempts.map(\.id))
        let actions = engine.handle(event, at: begin, using: &record.random)
        note(event, at: begin, actions)
        let monotonic = bgrun_monotonic_ns()
        for attempt in attempts { self.attempts.launchedMonotonic[attempt.id] = monotonic }
        return actions.compactMap { action in
            guard case .remember(let facts) = action else { return nil }
            return .remember(facts)
        }
    }

    private var isStoreBusy: Bool { stall.round != nil || unsaved.isWaiting }
}

extension Host.Round {
    /// The attempts that it launches, if none of them has begun.
    fileprivate var waiting: Set<Int64> {
        hasLaunched ? [] : Set(actions.compactMap { $0.launchedAttempt?.id })
    }

    /// Removes the launches of waiting attempts.
    fileprivate mutating func withdraw(_ waiting: Set<Int64>) {
        guard !waiting.isEmpty else { return }
        precondition(!hasLaunched, "attempts that have begun are withdrawn")
        actions = actions.compactMap { action -> Action? in
            if case .reply(let ticket, .launched) = action {
                return .reply(ticket, .refused(.unavailable))
            }
            return action.attempt.map(waiting.contains) ?? false ? nil : action
        }
        changes.removeAll { change in
            switch change {
            case .beginAttempt: true
            case .expiring(let attempt, _, _): waiting.contains(attempt)
            default: change.isEvent(of: waiting)
            }
        }
        lines.removeAll { $0.attempt.map(waiting.contains) ?? false }
    }

    /// Starts waiting attempts at `now`, with all of their time, and dates their reports accordingly.
    fileprivate mutating func delay(_ waiting: Set<Int64>, to now: Instant) {
        precondition(
            !hasLaunched && begin.map { $0.elapsed <= now.elapsed } ?? true, "it has begun")
        begin = now
        actions = actions.map { action in
            switch action {
            case .launch(let attempt): .launch(attempt.launched(at: now))
            case .record(.starting(let attempt)): .record(.starting(attempt.launched(at: now)))
            default: action
            }
        }
        changes = changes.map { change in
            guard case .beginAttempt(let attempt, let worker) = change else { return change }
            return .beginAttempt(attempt.launched(at: now), worker: worker)
        }
        for index in lines.indices where lines[index].attempt.map(waiting.contains) ?? false {
            lines[index].at = now.wall
        }
    }
}

extension StoreChange {
    /// Whether it records an event of one of `attempts`.
    fileprivate func isEvent(of attempts: Set<Int64>) -> Bool {
        guard case .event(let line) = self else { return false }
        return line.attempt.map(attempts.contains) ?? false
    }

    /// The same record, dated `now` if it is about one of `attempts`.
    fileprivate func dated(_ now: Instant, of attempts: Set<Int64>) -> StoreChange {
        guard case .event(var line) = self, line.attempt.map(attempts.contains) ?? false else {
            return self
        }
        line.at = now
        return .event(line)
    }
}

extension Action {
    var launchedAttempt: Attempt? {
        if case .launch(let attempt) = self { attempt } else { nil }
    }
}
