// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import BGRunSystem
import CBGRunShims
import Glibc

extension Host {
    /// Stores the decisions first, then executes them, then reports them.
    func perform(_ actions: [Action], at now: Instant) throws(StoreError) {
        precondition(stall.round == nil, "a round is decided while another one waits for the store")
        let first =
            removeCheckpoints(ofCompleted: actions)
            + features.flatMap { $0.changesBefore(actions, at: now) }
        let (actions, workers) = try prepareLaunches(actions)
        var round = Round(actions: actions, changes: takeUnsaved() + first)
        addChanges(for: actions, workers, at: now, to: &round)
        for feature in features {
            round.changes += feature.changes(for: actions, ends: attempts.ends, at: now)
        }
        for case .record(.ended(_, let attempt, _)) in actions { attempts.ends[attempt] = nil }
        // Acknowledged changes must survive a power failure; other changes must survive this
        // process.
        round.isAnswer = actions.contains { action in
            guard case .reply(let ticket, _) = action else { return false }
            return !tickets.isLate(ticket)
        }
        try finish(round)
    }

    /// Adds the changes of `actions` in the store, and their log lines.
    func addChanges(
        for actions: [Action], _ workers: [Int64: ProcessIdentity] = [:], at now: Instant,
        to round: inout Round
    ) {
        for action in actions {
            if case .record(let record) = action {
                let phrase = Phrase(record, message: attempts.ends[record.attempt ?? 0]?.message)
                if case .ended(_, let attempt, let outcome) = record {
                    round.changes += end(attempt, outcome, at: now)
                }
                unsaved.append(.event(EventLine(phrase, at: now)))
                round.lines.append(LogLine(phrase, about: record, at: now))
            } else {
                round.changes += self.changes(for: action, workers, at: now)
            }
        }
    }

    /// The decisions of one event that are not stored yet.
    struct Round {
        var actions: [Action]
        var changes: [StoreChange]
        var lines: [LogLine] = []
        var isAnswer = false
        var hasLaunched = false
        /// When its launches begin, if they waited for the store.
        var begin: Instant?

        /// The attempts that end with it, and their identifiers.
        var ends: [Int64: String] {
            actions.reduce(into: [:]) { ends, action in
                if case .record(.ended(let identifier, let attempt, _)) = action {
                    ends[attempt] = identifier
                }
            }
        }
    }

    /// Stores the rest of a round, executes it and sends its replies. If the store is busy, the
    /// round waits unchanged.
    func finish(_ waiting: Round) throws(StoreError) {
        var round = waiting
        // A handler waits only for the record of its launch, not for the sync of the disk, which
        // takes as long as many launches, and not for the history.
        let launches = round.actions.filter { $0.launchedAttempt != nil }
        if !launches.isEmpty, !round.hasLaunched {
            guard try commit(&round, durability: .normal) else { return }
            round.changes.removeAll()
            round.hasLaunched = true
            if let begin = round.begin { round.changes = delay(launches, to: begin) }
            for launch in launches { carryOut(launch) }
            // Lets the kernel run the worker, which it may have queued behind this process.
            sched_yield()
        }
        if round.isAnswer || !round.changes.isEmpty {
            round.changes += takeUnsaved()
            guard try commit(&round, durability: round.isAnswer ? .full : .normal) else { return }
        }
        write(round.lines)
        for action in round.actions where action.launchedAttempt == nil { carryOut(action) }
        noteStored()
        saveAfterThisRound()
        for feature in features { feature.afterCommit(round.actions) }
    }

    /// False if the store is busy: then the round is kept and completed later.
    private func commit(_ round: inout Round, durability: Durability) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try store.apply(round.changes, durability: durability, timeout: stall.busyTimeout)
        } catch {
            guard case .busy = error else {
                life.unstoredEnds = round.ends
                throw error
            }
            stall.round = round
            queue.hold(at: clock.now)
            waitForStore()
            return false
        }
        return true
    }

    private func changes(
        for action: Action, _ workers: [Int64: ProcessIdentity], at now: Instant
    ) -> [StoreChange] {
        switch action {
        case .launch(let attempt):
            precondition(attempt.id > attempts.newest, "attempt \(attempt.id) is not the newest")
            precondition(
                attempt.deadlineElapsed >= attempt.launched.elapsed,
                "attempt \(attempt.id) ends before its launch")
            attempts.newest = attempt.id
            return [.beginAttempt(attempt, worker: workers[attempt.id])]
        case .withdraw(let attempt):
            precondition(attempt > 0, "attempt \(attempt) is withdrawn")
            return [.withdrawAttempt(attempt)]
        case .expire(let attempt, let reason, let grace, _):
            precondition(attempt > 0 && grace >= .zero, "attempt \(attempt) has \(grace) to end")
            return [.expiring(attempt: attempt, reason, at: now)]
        case .store, .remove, .remember, .record, .terminate, .kill, .reply, .wake:
            return action.change.map { [$0] } ?? []
        }
    }

    private func end(_ attempt: Int64, _ outcome: Outcome, at now: Instant) -> [StoreChange] {
        var changes: [StoreChange] = []
        let end = attempts.ends[attempt]
        let launched = attempts.launchedMonotonic.removeValue(forKey: attempt)
        // Its worker may have died while its launch waited for the store.
        let begin = attempts.views[attempt]?.attempt.launched
        let now = begin.map { $0.elapsed > now.elapsed ? $0 : now } ?? now
        // Its reports of this round have not been shown yet.
        if attempts.isShowing, attempts.views[attempt]?.hasReported == true { log.show(running) }
        attempts.views[attempt] = nil
        attempts.steps[attempt] = nil
        precondition(
            begin.map { now.elapsed >= $0.elapsed } ?? true, "\(attempt) ends before its begin")
        // Limited to the time between the launch and now, regardless of the worker's value.
        let entered = end?.enteredMonotonic.flatMap { entered in
            launched.map {
                let begin = max($0, min(entered, bgrun_monotonic_ns()))
                return Interval(nanoseconds: begin.saturatingSubtracting($0))
            }
        }
        precondition(
            entered.map { $0 >= .zero } ?? true, "\(attempt) was entered before its launch")
        changes.append(
            .endAttempt(
                attempt: attempt, outcome, message: end?.message, at: now, entered: entered,
                outputDropped: end?.droppedLines ?? 0))
        if let processor = end?.processorMilliseconds {
            changes.append(.processorTime(attempt: attempt, milliseconds: processor))
        }
        if outcome.countsAgainstExitCode { life.hasFailures = true }
        return changes
    }

    private func carryOut(_ action: Action) {
        switch action {
        case .store, .remove, .remember: break
        case .launch(let attempt):
            precondition(attempts.views[attempt.id] == nil, "attempt \(attempt.id) runs already")
            precondition(
                attempts.steps[attempt.id] == nil, "attempt \(attempt.id) has begun to end")
            attempts.views[attempt.id] = RunningView(attempt: attempt)
            showRunning()
            supervisor.launch(
                attempt.id, deadlineElapsed: clock.boottime(at: attempt.deadlineElapsed))
        case .expire(let attempt, let reason, let grace, let deadline):
            attempts.take(.told, of: attempt)
            attempts.views[attempt]?.expiring = reason
            showRunning()
            let end = clock.boottime(at: deadline)
            let begin = clock.boottime(at: deadline.saturatingSubtracting(grace.nanoseconds))
            precondition(begin <= end, "attempt \(attempt) is told at \(begin) and ends at \(end)")
            supervisor.expire(
                attempt, reason, grace: Interval(nanoseconds: end - begin), deadlineElapsed: end)
        case .withdraw(let attempt):
            forgetLaunch(attempt)
            showRunning()
        case .terminate(let attempt):
            attempts.take(.terminated, of: attempt)
            supervisor.terminate(attempt)
        case .kill(let attempt):
            attempts.take(.killed, of: attempt)
            supervisor.kill(attempt)
        case .reply(let ticket, let reply): tickets.take(ticket)?(reply)
        case .wake(let elapsed): wakeTimer?.set(elapsed: elapsed)
        case .record(.ended):
            showRunning()
            loop.afterThisRound { [unowned self] in forgetOldAttempts() }
        case .record: break
        }
    }

    /// Shows the running attempts once per round, however often they change.
    func showRunning() {
        guard !attempts.isShowing else { return }
        attempts.isShowing = true
        loop.afterThisRound { [unowned self] in
            attempts.isShowing = false
            log.show(running)
            noteChange()
        }
    }

    /// The running attempts, in the order of launch.
    package var running: [RunningView] {
        attempts.views.values.sorted { $0.attempt.id < $1.attempt.id }
    }
}

extension Action {
    /// The change in the store for a decision about requests and facts.
    package var change: StoreChange? {
        switch self {
        case .store(let request):
            precondition(request.id > 0 && !request.identifier.isEmpty, "\(request) has no number")
            precondition(
                request.failures >= 0 && request.interruptions >= 0, "\(request) has failed")
            return .putRequest(request)
        case .remove(let request): return .removeRequest(identifier: request.identifier)
        case .remember(let facts): return .remember(facts)
        default: return nil
        }
    }
}

extension LogLine {
    fileprivate init(_ phrase: Phrase, about record: Record, at now: Instant) {
        self.init(
            at: now.wall, level: phrase.level, text: phrase.text,
            subject: Subject(
                kind: phrase.kind, identifier: phrase.identifier, reason: record.reason),
            attempt: phrase.attempt)
    }
}

extension Record {
    /// Why an attempt's time was revoked, or how it ended.
    fileprivate var reason: String? {
        switch self {
        case .expiring(_, _, let reason), .ended(_, _, .expired(let reason, _)): reason.name
        case .ended(_, _, let outcome): outcome.name
        default: nil
        }
    }
}

extension EventLine {
    /// The line of `record`, as a host stores it.
    package init(_ record: Record, at now: Instant) { self.init(Phrase(record), at: now) }

    fileprivate init(_ phrase: Phrase, at now: Instant) {
        self.init(
            at: now, kind: phrase.kind, identifier: phrase.identifier, attempt: phrase.attempt,
            text: phrase.text)
    }
}

extension Outcome {
    /// A requested shutdown is not a failure of the task.
    fileprivate var countsAgainstExitCode: Bool {
        switch self {
        case .completed, .expired(.shutdown, _), .interrupted: false
        default: true
        }
    }
}
