// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Expires, with grace, the attempts that the new manifest no longer permits.
    mutating func prepareReload(
        stopping attempts: [Int64], at now: Instant, _ actions: inout [Action]
    ) {
        reloadingSince = reloadingSince ?? now.wall
        for index in running.indices where attempts.contains(running[index].attempt.id) {
            actions += running[index].expire(.manifestChanged, at: now)
        }
    }

    /// Creates an engine for another manifest that takes over from `old`: running attempts, pending requests and known
    /// facts remain; requests get the present requirements of their task. Its first event is `manifestLoaded`.
    ///
    /// - Parameter stored: The contents of the store, including requests that only the new manifest declares.
    /// - Returns: nil while an attempt runs that the new manifest does not declare.
    package init?(_ configuration: Configuration, continuing old: Engine, stored: Restoration) {
        var known = stored
        known.requests = []
        known.facts = old.facts
        known.nextRequestID = old.nextRequestID
        known.nextAttemptID = old.nextAttemptID
        for task in old.tasks { known.lastLaunches[task.declaration.identifier] = task.lastLaunch }
        self.init(configuration, device: old.device, restoring: known)
        isShuttingDown = old.isShuttingDown
        suspendingSince = old.suspendingSince
        share = old.share
        shortage = old.shortage
        contendedSince = old.contendedSince
        conditionsSince = old.conditionsSince
        factorsSince = old.factorsSince
        gateSeen = old.gateSeen
        gate.factors = old.gate.factors
        gate.lastID = old.gate.lastID
        guard takeOver(old.running) else { return nil }
        takeOver(old.tasks)
        pending.reserveCapacity(stored.requests.count)
        pending.numbering = old.pending.numbering &+ 1
        old.visitPending { waiting in
            guard let task = setup.admission.index(for: waiting.request.identifier) else { return }
            guard tasks[task].declaration.kind == waiting.request.kind else {
                return enqueue(waiting.request, task: task)
            }
            var waiting = waiting
            // A date set under the old manifest may not apply under the new one.
            if case .delayed = waiting.stage { waiting.stage = .ready }
            pending.restore(
                waiting, task: task, requestClass: requestClass(of: task, for: waiting.request))
        }
        for request in stored.requests where !pending.isPending(request.identifier) {
            guard let task = setup.admission.index(for: request.identifier) else { continue }
            restore(request, task: task)
        }
    }

    private mutating func takeOver(_ attempts: [RunningAttempt]) -> Bool {
        for attempt in attempts {
            let identifier = attempt.attempt.request.identifier
            guard let task = setup.admission.index(for: identifier) else { return false }
            takeOver(attempt, of: task)
        }
        return true
    }

    /// Continues an attempt as one of the task with this index.
    mutating func takeOver(_ attempt: RunningAttempt, of task: Int) {
        let number = requestClass(of: task, for: attempt.attempt.request)
        running.append(attempt.moved(to: task, pending.requestClasses[number]))
        countRunning(pending.requestClasses[number], 1)
    }

    private mutating func takeOver(_ old: [TaskState]) {
        for task in tasks.indices {
            let identifier = tasks[task].declaration.identifier
            guard let known = old.first(where: { $0.declaration.identifier == identifier })
            else { continue }
            tasks[task].hasYielded = known.hasYielded
            tasks[task].spacedFrom = tasks[task].spacedFrom ?? known.spacedFrom
            tasks[task].spacedBefore = known.spacedBefore
            updateSpacing(of: task)
        }
    }

    /// Apple: apps submit their requests at launch; new tasks are launched for the first time.
    mutating func resume(withNew added: [String], at now: Instant, _ actions: inout [Action]) {
        refreshGate(at: now.wall)
        actions.append(.record(.manifestLoaded))
        replaceRefreshes()
        followBudget(at: now, &actions)
        revokeLost(at: now, &actions)
        reviseOccurrences(isStart: false, at: now, &actions)
        skipMissed(at: now, &actions)
        submitLaunchTasks(added, at: now, &actions)
    }
}
