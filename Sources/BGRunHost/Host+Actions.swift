// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest
import BGRunProcess
import BGRunStore
import BGRunSupervisor
import BGRunWire
import CBGRunShims

extension Host {
    /// First everything is stored, in one transaction; only then it is said and done.
    func perform(_ actions: [Action], at now: Instant) throws(StoreError) {
        var changes = unsavedOutput
        unsavedOutput.removeAll()
        var lines: [LogLine] = []
        for action in actions {
            if case .record(let record) = action {
                let phrase = Phrase(record, message: ends[record.attempt ?? 0]?.message)
                changes += self.changes(for: record, phrase, at: now)
                lines.append(LogLine(at: now.wall, level: phrase.level, text: phrase.text))
            } else {
                changes += try self.changes(for: action, at: now)
            }
        }
        // What somebody is told must survive a power cut; the rest must survive this process.
        let isAnswer = actions.contains { if case .reply = $0 { true } else { false } }
        try store.apply(changes, durability: isAnswer ? .full : .normal)
        for line in lines { log.write(line) }
        for action in actions { carryOut(action) }
    }

    private func changes(
        for action: Action, at now: Instant
    ) throws(StoreError) -> [StoreChange] {
        switch action {
        case .store(let request):
            return [.putRequest(request)]
        case .remove(let request):
            return [.removeRequest(identifier: request.identifier)]
        case .launch(let attempt):
            let work = try self.work(for: attempt)
            launchedMonotonic[attempt.id] = bgrun_monotonic_ns()
            return [.beginAttempt(attempt, worker: supervisor.prepare(work).map(WorkerLease.init))]
        case .expire(let attempt, let reason, _, _):
            return [.expiring(attempt: attempt, reason, at: now)]
        case .remember(let facts):
            return [.remember(facts)]
        case .record, .terminate, .kill, .reply, .wake:
            return []
        }
    }

    private func changes(for record: Record, _ phrase: Phrase, at now: Instant) -> [StoreChange] {
        var changes: [StoreChange] = []
        if case .ended(let identifier, let attempt, let outcome) = record {
            changes = end(attempt, of: identifier, outcome, at: now)
        }
        changes.append(
            .event(
                EventLine(
                    at: now, kind: phrase.kind, identifier: phrase.identifier,
                    attempt: phrase.attempt, text: phrase.text)))
        return changes
    }

    private func end(
        _ attempt: Int64, of identifier: String, _ outcome: Outcome, at now: Instant
    ) -> [StoreChange] {
        var changes: [StoreChange] = []
        let end = ends.removeValue(forKey: attempt)
        let launched = launchedMonotonic.removeValue(forKey: attempt)
        if let view = views.removeValue(forKey: attempt), view.hasReported {
            changes.append(
                .progress(
                    attempt: attempt, completed: view.completed, total: view.total,
                    title: view.title, subtitle: view.subtitle))
        }
        let entered = end?.enteredMonotonic.flatMap { entered in
            launched.map { Interval(nanoseconds: max(0, entered - $0)) }
        }
        changes.append(
            .endAttempt(
                attempt: attempt, outcome, message: end?.message, at: now, entered: entered,
                outputDropped: end?.droppedLines ?? 0))
        if outcome == .completed, hasCheckpoint[identifier] != false {
            changes.append(.removeCheckpoint(identifier: identifier))
            hasCheckpoint[identifier] = false
        }
        if outcome.countsAgainstExitCode { hasFailures = true }
        return changes
    }

    private func carryOut(_ action: Action) {
        switch action {
        case .store, .remove, .remember: break
        case .launch(let attempt):
            views[attempt.id] = RunningView(attempt: attempt)
            showRunning()
            supervisor.launch(attempt.id)
        case .expire(let attempt, let reason, let grace, let deadline):
            views[attempt]?.expiring = reason
            showRunning()
            supervisor.expire(attempt, reason, grace: grace, deadlineElapsed: deadline)
        case .terminate(let attempt): supervisor.terminate(attempt)
        case .kill(let attempt): supervisor.kill(attempt)
        case .reply(let ticket, let reply): tickets.removeValue(forKey: ticket)?(reply)
        case .wake(let elapsed): wakeTimer?.set(elapsed: elapsed)
        case .record(.ended): showRunning()
        case .record: break
        }
    }

    /// Shows what runs once a round, however often that has changed.
    func showRunning() {
        guard !isShowing else { return }
        isShowing = true
        loop.afterThisRound { [unowned self] in
            isShowing = false
            log.show(running)
        }
    }

    /// What runs, in the order of launch.
    public var running: [RunningView] {
        views.values.sorted { $0.attempt.id < $1.attempt.id }
    }
}

extension Outcome {
    /// A shutdown somebody asked for is no failure of the task.
    fileprivate var countsAgainstExitCode: Bool {
        switch self {
        case .completed, .expired(.shutdown, _), .interrupted: false
        default: true
        }
    }
}

extension WorkerLease {
    fileprivate init(_ identity: ProcessIdentity) {
        self.init(
            pid: identity.pid, startTicks: UInt64(identity.startTicks), bootID: identity.bootID)
    }
}
