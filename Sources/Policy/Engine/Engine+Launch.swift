// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Launches requests due by `date`, the earliest first, up to the limits. Occurrences that are too late are
    /// skipped.
    mutating func launchDue(by date: WallTime, at now: Instant, _ actions: inout [Action]) {
        if let expiry, expiry <= now.wall, mayLaunch { skipMissed(at: now, &actions) }
        share?.wantsMore = false
        guard mayLaunch, pending.count > 0 else { return }
        pending.release(at: date)
        resolveOverlaps(at: now, &actions)
        while let next = nextToLaunch(at: now.wall) {
            launch(next, isForced: false, at: now, &actions)
        }
    }

    /// The next request with a free slot. Continued work has its own limit, and may overtake the others.
    private mutating func nextToLaunch(at now: WallTime) -> PendingRequests.Chosen? {
        guard hasResources else { return nil }
        if isBelowLimit {
            guard let next = pending.first(through: gate, at: now) else { return nil }
            if hasFreeSlot(for: next.request.kind) { return next }
            share?.wantsMore = true
        }
        guard pending.count(of: .continued) > 0 else { return nil }
        return pending.first(
            through: gate, full: ~(1 << UInt16(TaskKind.continued.rawValue)), at: now)
    }

    /// Whether one more attempt of `kind` may be launched now.
    @inline(__always)
    func hasFreeSlot(for kind: TaskKind) -> Bool {
        kind == .continued || isBelowLimit && share?.granted != 0
    }

    /// Whether fewer attempts run than the app may run at once.
    var isBelowLimit: Bool { discretionaryAttempts < setup.concurrentAttempts }

    /// Apple: _simulateLaunchForTaskWithIdentifier. Launches the pending request, or a new one.
    mutating func trigger(
        _ submission: Submission, ticket: Ticket?, at now: Instant, _ actions: inout [Action]
    ) {
        let identifier = submission.identifier
        if let attempt = runningAttempt(identifier) {
            actions += reply(
                ticket, .refused(.alreadyRunning(identifier: identifier, attempt: attempt.id)))
            return
        }
        if let held = isSuspending ? PendingReason.suspending : isReloading ? .reloading : nil {
            let reason = held.text
            actions += reply(
                ticket, .refused(.notImmediately(identifier: identifier, reason: reason)))
            return
        }
        if submission.parameters != nil || !pending.isPending(identifier) {
            do {
                let task = try admit(identifier)
                let old = pending.request(identifier)
                let immediate = Submission(
                    identifier: identifier, delay: .zero, parameters: submission.parameters,
                    requires: old?.requires ?? [],
                    annotations: submission.annotations.isEmpty
                        ? old?.annotations ?? Annotations() : submission.annotations)
                _ = accept(immediate, task, at: now, &actions)
            } catch {
                actions += reply(ticket, .refused(error))
                return
            }
        }
        guard !isShuttingDown, let chosen = pending.chosen(identifier) else {
            actions += reply(ticket, .refused(.unavailable))
            return
        }
        let attempt = nextAttemptID
        launch(chosen, isForced: true, at: now, &actions)
        actions += reply(ticket, .launched(attempt: attempt))
    }

    /// Apple: "If the user launches the app, the system immediately delivers the held notification." The limits on the
    /// rate of pushes do not apply then; those of the machine do.
    mutating func launchHeldPushes(at now: Instant, _ actions: inout [Action]) {
        guard mayLaunch, pending.count(of: .push) > 0 else { return }
        let pace: [Factor] = [.criticalBattery, .lowPowerMode, .budget, .rateLimit]
        for request in pending.all where request.kind == .push && request.id <= gate.lastID {
            var open = gate
            open.factors.formUnion(Factors(pace))
            guard request.earliest.map({ $0 <= now.wall }) ?? true, isBelowLimit,
                running.index(of: request.identifier) == nil,
                let chosen = pending.chosen(request.identifier),
                open.admits(pending.requestClasses[chosen.requestClass])
            else { continue }
            launch(chosen, isForced: true, at: now, &actions)
        }
    }

    private mutating func launch(
        _ chosen: PendingRequests.Chosen, isForced: Bool, at now: Instant, _ actions: inout [Action]
    ) {
        let task = chosen.task
        pending.drop(chosen.request.identifier)
        let requestClass = pending.requestClasses[chosen.requestClass]
        let attempt = Attempt(
            id: nextAttemptID, request: chosen.request,
            declaration: tasks[task].declaration.identifier,
            deadlineElapsed: now.elapsed.saturatingAdding(setup.timeLimits[task].nanoseconds),
            launched: now)
        nextAttemptID += 1
        if expiry != nil { forgetExpiry(of: chosen.request, task, at: now.wall) }
        tasks[task].lastLaunch = now.wall
        running.append(
            RunningAttempt(
                attempt, task: task, requestClass: requestClass, grace: setup.graces[task],
                isForced: isForced,
                progress: requestClass.kind == .continued
                    ? ProgressWatch(launchedAt: now.elapsed, policy: configuration.policy) : nil))
        if requestClass.applicable.contains(.budget) { followBudget(at: now, &actions) }
        countRunning(requestClass, 1)
        if !isForced { noteGrant(chosen.request, task, at: now, &actions) }
        // fits: once for each launch
        if !isForced, requestClass.kind != .continued { share?.granted -= 1 }
        actions.append(.record(.starting(attempt)))
        actions.append(.launch(attempt))
    }

    /// Spaces later launches from this one.
    private mutating func noteGrant(
        _ request: TaskRequest, _ task: Int, at now: Instant, _ actions: inout [Action]
    ) {
        tasks[task].spacedBefore = tasks[task].spacedFrom
        space(task, from: now.wall, &actions)
        noteRefresh(request, task, at: now.wall, &actions)
        guard tasks[task].declaration.kind == .push, configuration.policy.pushHourly > 0 else {
            return
        }
        let policy = configuration.policy
        changePushes(at: now, &actions) { $0.notePush(policy: policy, now: now.wall) }
    }

    /// The set of push launches of the hour has changed.
    mutating func changePushes(
        at now: Instant, _ actions: inout [Action], _ change: (inout AppFacts) -> Void
    ) {
        let old = facts.pushLaunches.count
        change(&facts)
        refreshGate(at: now.wall)
        actions.append(.remember(facts.pushFacts(atLeast: old)))
    }

    /// Removes ready requests from the queue while their identifier runs, so that no identifier runs twice at once.
    private mutating func resolveOverlaps(at now: Instant, _ actions: inout [Action]) {
        for index in running.indices where running[index].hasFollower {
            guard
                let chosen = pending.readyRequest(
                    running[index].attempt.request.identifier, through: gate, at: now.wall),
                gate.holds(pending.requestClasses[chosen.requestClass])
            else { continue }
            actions += resolveOverlap(of: chosen, with: index, at: now)
        }
    }

    /// The request waits for the running attempt of its identifier, which `overlap` may end, or is dropped.
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
            pending.drop(request.identifier)
            return [
                .remove(request),
                .record(.skipped(request, blockedBy: running[index].attempt.id)),
            ]
        case .expireOld, .replace:
            pending.park(request.identifier)
            let limit: Interval? = overlap == .replace ? .zero : nil
            return running[index].expire(.preempted, atMost: limit, at: now)
                + running[index].descend(at: now, policy: configuration.policy)
        }
    }
}
