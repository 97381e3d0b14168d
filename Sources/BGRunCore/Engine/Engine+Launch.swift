// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Launches what may be launched: the earliest date first, as many as may run at once.
    mutating func launchEligible(at now: Instant) -> [Action] {
        guard !isShuttingDown, pending.count > 0 else { return [] }
        pending.release(at: now.wall)
        var actions = resolveOverlaps(at: now)
        var gate = gate
        while let next = pending.first(through: gate, at: now.wall) {
            guard hasRoom(for: next.request.kind) else {
                // Continued work does not count against the others' limit, and may pass them.
                guard next.request.kind != .continued else { break }
                gate.fullKinds |= ~(1 << UInt16(TaskKind.continued.rawValue))
                continue
            }
            actions += launch(next, isForced: false, at: now)
            let full = gate.fullKinds & ~self.gate.fullKinds
            gate = self.gate
            gate.fullKinds |= full
        }
        return actions
    }

    /// Whether one more attempt of `kind` may run.
    func hasRoom(for kind: TaskKind) -> Bool {
        kind == .continued || discretionaryCount < configuration.policy.concurrentAttempts
    }

    /// Apple: _simulateLaunchForTaskWithIdentifier. The pending request is launched, or a new one.
    mutating func trigger(_ submission: Submission, ticket: Ticket?, at now: Instant) -> [Action] {
        if let attempt = runningAttempt(submission.identifier) {
            return reply(
                ticket,
                .refused(.alreadyRunning(identifier: submission.identifier, attempt: attempt.id)))
        }
        var actions: [Action] = []
        if submission.parameters != nil || !pending.isPending(submission.identifier) {
            do {
                let task = try admit(submission.identifier)
                let immediate = Submission(
                    identifier: submission.identifier, delay: .zero,
                    parameters: submission.parameters)
                actions += accept(immediate, task, at: now).2
            } catch {
                return reply(ticket, .refused(error))
            }
        }
        guard !isShuttingDown, let request = pending.request(submission.identifier),
            let task = admission.index(for: request.identifier)
        else {
            return actions + reply(ticket, .refused(.unavailable))
        }
        let attempt = nextAttemptID
        actions += launch(
            PendingRequests.Chosen(request: request, task: task), isForced: true, at: now)
        return actions + reply(ticket, .launched(attempt: attempt))
    }

    func runningIndex(_ identifier: String) -> Int? {
        running.firstIndex { $0.attempt.request.identifier == identifier }
    }

    private mutating func launch(
        _ chosen: PendingRequests.Chosen, isForced: Bool, at now: Instant
    ) -> [Action] {
        let declaration = tasks[chosen.task].declaration
        let request = chosen.request
        pending.remove(request.identifier)
        let policy = configuration.policy
        let limit = declaration.timeLimit ?? policy.timeLimit(for: declaration.kind)
        let attempt = Attempt(
            id: nextAttemptID, request: request, declaration: declaration.identifier,
            deadlineElapsed: now.elapsed.saturatingAdding(limit.nanoseconds), launched: now)
        nextAttemptID += 1
        tasks[chosen.task].lastLaunch = now.wall
        let lane = pending.lanes[tasks[chosen.task].lane]
        running.append(
            RunningAttempt(
                attempt, task: chosen.task, lane: lane,
                grace: min(declaration.grace ?? policy.grace, policy.graceMaximum),
                isForced: isForced))
        countRunning(lane, 1)
        let granted: [Action] = [.record(.starting(attempt)), .launch(attempt)]
        return isForced ? granted : noteGrant(chosen.task, at: now) + granted
    }

    /// Launches are spaced from this one on.
    private mutating func noteGrant(_ task: Int, at now: Instant) -> [Action] {
        tasks[task].spacedBefore = tasks[task].spacedFrom
        tasks[task].spacedFrom = now.wall
        updateSpacing(of: task)
        let policy = configuration.policy
        guard tasks[task].declaration.kind == .push, policy.pushHourly < 1_000 else { return [] }
        let old = facts.pushLaunches.count
        facts.notePush(policy: policy, now: now.wall)
        refreshGate(at: now.wall)
        let launches = facts.pushLaunches
        return [
            .remember(
                (0..<max(old, launches.count)).map {
                    Fact("push:\($0)", $0 < launches.count ? launches[$0].milliseconds : nil)
                })
        ]
    }

    /// Takes the requests that could be launched but for the running attempt of their identifier
    /// out of the way, so that no identifier runs twice at once.
    private mutating func resolveOverlaps(at now: Instant) -> [Action] {
        var actions: [Action] = []
        for index in running.indices {
            guard
                let chosen = pending.readyRequest(
                    running[index].attempt.request.identifier, through: gate, at: now.wall),
                gate.holds(pending.lanes[tasks[chosen.task].lane])
            else { continue }
            actions += resolveOverlap(of: chosen, with: index, at: now)
        }
        return actions
    }

    /// The request waits behind the running attempt of its identifier, which `overlap` may end, or
    /// is dropped.
    private mutating func resolveOverlap(
        of chosen: PendingRequests.Chosen, with index: Int, at now: Instant
    ) -> [Action] {
        let request = chosen.request
        let overlap = tasks[chosen.task].declaration.overlap
        switch overlap {
        case .queue:
            pending.park(request.identifier)
            return []
        case .skip:
            pending.remove(request.identifier)
            return [
                .remove(request),
                .record(.skipped(request, blockedBy: running[index].attempt.id)),
            ]
        case .expireOld, .replace:
            pending.park(request.identifier)
            let grace = overlap == .replace ? .zero : running[index].grace
            return running[index].expire(.preempted, grace: grace, at: now)
                + running[index].descend(at: now, policy: configuration.policy)
        }
    }
}
