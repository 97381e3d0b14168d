// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Apple: _simulateExpirationForTaskWithIdentifier.
    mutating func expire(
        _ identifier: String, _ reason: StopReason, ticket: Ticket?, at now: Instant
    ) -> [Action] {
        guard let index = running.index(of: identifier) else { return reply(ticket, .notRunning) }
        let attempt = running[index].attempt.id
        return running[index].expire(reason, at: now) + reply(ticket, .expiring(attempt: attempt))
    }

    /// Revokes all running attempts.
    mutating func expireAll(_ reason: StopReason, at now: Instant, _ actions: inout [Action]) {
        for index in running.indices { actions += running[index].expire(reason, at: now) }
    }

    /// Other apps of the machine have waited for `count` slots.
    mutating func reclaim(_ count: Int, at now: Instant, _ actions: inout [Action]) {
        let longest = running.indices
            .filter {
                running[$0].isGranted && running[$0].kind != .continued && !running[$0].isForced
            }
            .sorted { running[$0].attempt.launched.elapsed < running[$1].attempt.launched.elapsed }
        for index in longest.prefix(max(0, count)) {
            actions += running[index].expire(.shareReclaimed, at: now)
        }
    }

    /// Revokes all attempts, triggered or not, early enough to end before the machine sleeps.
    mutating func suspend(within time: Interval?, at now: Instant, _ actions: inout [Action]) {
        suspendingSince = suspendingSince ?? now.wall
        let wait = configuration.policy.terminationWait
        let left = time.map { $0.reduced(by: wait) }
        for index in running.indices {
            actions += running[index].expire(.suspend, atMost: left, at: now)
            guard let left else { continue }
            running[index].hasten(to: now.elapsed.saturatingAdding(left.nanoseconds), wait: wait)
        }
    }

    /// Expires attempts that ran out of time while the machine slept, with that reason; the others continue.
    mutating func expireOverslept(at now: Instant, _ actions: inout [Action]) {
        for index in running.indices {
            guard running[index].isOver(at: now.elapsed) else { continue }
            actions += running[index].expire(.suspend, at: now)
        }
    }

    /// A lost condition revokes the attempts that require it.
    mutating func changeDevice(to state: DeviceState, at now: Instant) -> [Action] {
        // Contention at the first look is the normal state of the machine.
        if state.pressure != .yes {
            contendedSince = nil
        } else if device.pressure == .no {
            contendedSince = now.wall
        }
        let isPowerChange = (state.externalPower == .yes) != (device.externalPower == .yes)
        device = state
        refreshGate(at: now.wall)
        var actions: [Action] = []
        if isPowerChange { followBudget(at: now, &actions) }
        revokeLost(at: now, &actions)
        yieldToContention(at: now, &actions)
        return actions
    }

    /// Expires attempts that lack a condition or that a factor stops.
    mutating func revokeLost(at now: Instant, _ actions: inout [Action]) {
        let policy = configuration.policy
        for index in running.indices where !running[index].isForced {
            let lost = running[index].requestClass.conditions.subtracting(gate.conditions)
            guard
                let reason = lost.isEmpty
                    ? device.revocation(
                        through: running[index].requestClass.applicable, policy: policy)
                    : lost.lossReason
            else { continue }
            actions += running[index].expire(reason, at: now)
        }
    }

    /// Apple: under pressure, work with the least progress goes first. One attempt at a time, discretionary work before
    /// continued. Spares one continued attempt, and a task whose last attempt yielded: it may itself cause the
    /// contention.
    mutating func yieldToContention(at now: Instant, _ actions: inout [Action]) {
        guard device.pressure == .yes, !isLate, verdict(of: .pressure, at: now.wall) != .satisfied,
            running.allSatisfy({ $0.isGranted || $0.isWaiting })
        else { return }
        let discretionary = running.indices.filter { running[$0].kind.isDiscretionary }
        // An attempt that waits for its worker uses no resources yet.
        let continued = running.indices.filter {
            !running[$0].kind.isDiscretionary && !running[$0].isWaiting
        }
        let victims = mayYield(discretionary)
        guard
            let victim = leastProgress(among: victims)
                ?? (continued.count > 1 ? leastProgress(among: mayYield(continued)) : nil)
        else { return }
        actions += running[victim].expire(.pressure, at: now)
    }

    private func mayYield(_ indices: [Int]) -> [Int] {
        indices.filter { !running[$0].isForced && !tasks[running[$0].task].hasYielded }
    }

    /// Of equals the later one: it loses less.
    private func leastProgress(among indices: [Int]) -> Int? {
        indices.min { left, right in
            guard let first = running[left].progress, let second = running[right].progress
            else { return left > right }
            return first.hasLessProgress(than: second)
                || !second.hasLessProgress(than: first) && left > right
        }
    }

    /// Makes a request pending again after its host died, but not too often: the request may be the cause.
    mutating func recover(
        _ attempt: InterruptedAttempt, at now: Instant, _ actions: inout [Action]
    ) {
        var request = attempt.request
        request.interruptions += 1  // fits: clamped when it is read
        actions.append(
            .record(.ended(identifier: request.identifier, attempt: attempt.id, .interrupted)))
        if pending.isPending(request.identifier) { return supersede(request, &actions) }
        guard let task = setup.admission.index(for: request.identifier) else {
            actions.append(.store(request))
            return
        }
        guard request.interruptions <= configuration.policy.interruptionLimit,
            !tasks[task].declaration.isOnlyImmediate, !request.isOnlyImmediate
        else {
            let launched = tasks[task].lastLaunch ?? now.wall
            let next = tasks[task].declaration.nextPeriod(
                afterLaunch: launched, due: request.earliest, occurrence: request.occurrence,
                now: now.wall, limit: configuration.policy.catchUpLimit)
            actions.append(.record(.gaveUp(request, .interrupted)))
            submitPeriodic(task, request, at: next, now: now, &actions)
            return
        }
        // It did not use its time: do not delay the next launch for it.
        space(task, from: nil, &actions)
        enqueue(request, task: task)
        actions += [.store(request), .record(.requeued(request, .interrupted))]
    }

    /// Records how an attempt ended and decides what happens to its request.
    mutating func end(_ id: Int64, _ outcome: Outcome, at now: Instant, _ actions: inout [Action]) {
        guard let index = running.index(of: id) else { return }
        let ended = running.remove(at: index)
        countRunning(ended.requestClass, -1)
        let identifier = ended.attempt.request.identifier
        actions.append(.record(.ended(identifier: identifier, attempt: id, outcome)))
        tasks[ended.task].hasYielded = outcome.hasYielded
        let isSuperseded = ended.hasFollower && pending.unpark(identifier)
        settle(ended, outcome, at: now, &actions)
        if outcome != .completed || !setup.areOver[ended.task] {
            let aftermath = aftermath(of: outcome, ended, at: now)
            follow(aftermath, outcome, ended, isSuperseded, at: now, &actions)
        }
        yieldToContention(at: now, &actions)
    }

    /// Apple: a request replaces the pending one of its identifier, as which this one would return.
    func supersede(_ request: TaskRequest, _ actions: inout [Action]) {
        guard let newer = pending.request(request.identifier) else { return }
        actions.append(.record(.superseded(request, by: newer.id)))
    }

    private func aftermath(
        of outcome: Outcome, _ ended: RunningAttempt, at now: Instant
    ) -> Aftermath {
        tasks[ended.task].declaration.aftermath(
            of: outcome, failures: ended.attempt.request.failures,
            launched: ended.attempt.launched.wall, due: ended.attempt.request.earliest,
            occurrence: ended.attempt.request.occurrence,
            isOnlyImmediate: ended.attempt.request.isOnlyImmediate, now: now.wall,
            catchUpLimit: configuration.policy.catchUpLimit)
    }

    /// Apple: a request that the handler submitted replaces the follow-up.
    private mutating func follow(
        _ aftermath: Aftermath, _ outcome: Outcome, _ ended: RunningAttempt,
        _ isSuperseded: Bool, at now: Instant, _ actions: inout [Action]
    ) {
        var request = ended.attempt.request
        switch aftermath {
        case .done(let next):
            guard !isSuperseded else { return }
            submitPeriodic(ended.task, request, at: next, now: now, &actions)
        case .gaveUp(let next):
            actions.append(.record(.gaveUp(request, outcome)))
            guard !isSuperseded else { return }
            submitPeriodic(ended.task, request, at: next, now: now, &actions)
        case .retry(let delay):
            if isSuperseded { return supersede(request, &actions) }
            request.failures += 1  // fits: clamped when it is read
            request.waitingSince = nil
            let declaration = tasks[ended.task].declaration
            if declaration.catchUp == .all, declaration.schedule != nil {
                // The period of the request: the date of the retry does not give it.
                request.occurrence =
                    request.occurrence ?? request.earliest ?? ended.attempt.launched.wall
            }
            request.earliest = now.wall.advanced(by: delay)
            enqueue(request, task: ended.task)
            actions += [.store(request), .record(.retrying(request, after: delay))]
        case .requeue:
            if let resource = outcome.stopReason?.shortage {
                // The wait may only be the handler's word: the launch counts.
                noteShortage(
                    of: resource, launched: ended.attempt.launched.wall, at: now, &actions)
            } else {
                giveBack(ended, at: now, &actions)
            }
            if isSuperseded { return supersede(request, &actions) }
            enqueue(request, task: ended.task)
            actions += [.store(request), .record(.requeued(request, outcome))]
        }
    }

    /// A launch that the system took back neither spaces the next one nor counts as a push of the hour.
    mutating func giveBack(_ ended: RunningAttempt, at now: Instant, _ actions: inout [Action]) {
        let (request, launched) = (ended.attempt.request, ended.attempt.launched.wall)
        if isLastRefresh(request, ended.task, at: launched) {
            moveLastRefresh(to: facts.refreshBefore, &actions)
        }
        guard tasks[ended.task].spacedFrom == launched else { return }
        space(ended.task, from: tasks[ended.task].spacedBefore, &actions)
        if let index = facts.pushLaunches.lastIndex(of: launched) {
            changePushes(at: now, &actions) { $0.pushLaunches.remove(at: index) }
        }
        reconsider(ended.kind, released: ended.task)
    }

    /// Submits the next request of a periodic task, with its own date only.
    mutating func submitPeriodic(
        _ task: Int, _ ended: TaskRequest, at date: WallTime?, now: Instant,
        _ actions: inout [Action]
    ) {
        guard let date else { return }
        let declaration = tasks[task].declaration
        guard ended.identifier == declaration.identifier else { return }
        if declaration.waitsForOccurrences {
            _ = accept(ended.successor(), task, occurrence: date, at: now, &actions)
            return
        }
        let wait = now.wall.interval(until: date)
        let next = ended.successor(after: jittered(max(.zero, wait), declaration))
        // A period to make up for keeps its date, so that the next one is made up for, too.
        _ = accept(next, task, due: wait < .zero ? date : nil, at: now, &actions)
    }

    /// `delay` plus a random part of the task's jitter.
    mutating func jittered(_ delay: Interval, _ declaration: TaskDeclaration) -> Interval {
        guard declaration.jitter > .zero else { return delay }
        let limit = declaration.jitter.nanoseconds.magnitude + 1
        let part = random.next().multipliedFullWidth(by: limit).high
        return Interval(nanoseconds: delay.nanoseconds.saturatingAdding(Int64(part)))
    }
}

extension Outcome {
    fileprivate var hasYielded: Bool {
        if case .expired(.pressure, _) = self { true } else { false }
    }
}
