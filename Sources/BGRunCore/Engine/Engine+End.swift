// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Apple: _simulateExpirationForTaskWithIdentifier.
    mutating func expire(
        _ identifier: String, _ reason: StopReason, ticket: Ticket?, at now: Instant
    ) -> [Action] {
        guard let index = runningIndex(identifier) else { return reply(ticket, .notRunning) }
        let attempt = running[index].attempt.id
        return running[index].expire(reason, grace: running[index].grace, at: now)
            + reply(ticket, .expiring(attempt: attempt))
    }

    /// A condition that is lost revokes the attempts that require it.
    mutating func changeDevice(to state: DeviceState, at now: Instant) -> [Action] {
        device = state
        satisfied = state.satisfiedConditions(policy: configuration.policy)
        return running.indices.flatMap { index -> [Action] in
            let lost = running[index].requires.subtracting(satisfied)
            guard !lost.isEmpty, !running[index].isForced else { return [] }
            return running[index].expire(lost.lossReason, grace: running[index].grace, at: now)
        }
    }

    /// The request of an attempt that died with its host is pending again; one that has done so
    /// too often is given up, since it may be what brings the host down.
    mutating func recover(_ attempt: InterruptedAttempt, at now: Instant) -> [Action] {
        var request = attempt.request
        request.interruptions += 1
        let ended = Record.ended(
            identifier: request.identifier, attempt: attempt.id, .interrupted)
        guard pending.request(request.identifier) == nil else { return [.record(ended)] }
        guard let declaration = admission.declaration(for: request.identifier) else {
            return [.record(ended), .store(request)]
        }
        guard request.interruptions <= configuration.policy.interruptionLimit else {
            let launched = lastLaunches[request.identifier] ?? now.wall
            let next = declaration.nextPeriod(afterLaunch: launched, now: now.wall)
            return [.record(ended), .record(.gaveUp(request, .interrupted))]
                + submitPeriodic(declaration, request, at: next, now: now)
        }
        pending.insert(request, requires: declaration.requires)
        return [.record(ended), .store(request), .record(.requeued(request, .interrupted))]
    }

    /// Records how an attempt ended and decides what becomes of its request.
    mutating func end(_ id: Int64, _ outcome: Outcome, at now: Instant) -> [Action] {
        guard let index = running.firstIndex(where: { $0.attempt.id == id }) else { return [] }
        let ended = running.remove(at: index)
        let identifier = ended.attempt.request.identifier
        var actions: [Action] = [
            .record(.ended(identifier: identifier, attempt: id, outcome))
        ]
        pending.unpark(identifier)
        guard let declaration = admission.declaration(for: identifier) else { return actions }
        let aftermath = declaration.aftermath(
            of: outcome, failures: ended.attempt.request.failures,
            launched: ended.attempt.launched.wall, now: now.wall)
        actions += follow(aftermath, outcome, ended.attempt.request, declaration, at: now)
        return actions
    }

    /// Apple: what the handler submitted itself replaces what would follow.
    private mutating func follow(
        _ aftermath: Aftermath, _ outcome: Outcome, _ ended: TaskRequest,
        _ declaration: TaskDeclaration, at now: Instant
    ) -> [Action] {
        let isSuperseded = pending.request(ended.identifier) != nil
        var request = ended
        switch aftermath {
        case .done(let next):
            return isSuperseded ? [] : submitPeriodic(declaration, ended, at: next, now: now)
        case .gaveUp(let next):
            return [.record(.gaveUp(ended, outcome))]
                + (isSuperseded ? [] : submitPeriodic(declaration, ended, at: next, now: now))
        case .retry(let delay):
            guard !isSuperseded else { return [] }
            request.failures += 1
            request.earliest = now.wall.advanced(by: delay)
            pending.insert(request, requires: declaration.requires)
            return [.store(request), .record(.retrying(request, after: delay))]
        case .requeue:
            guard !isSuperseded else { return [] }
            pending.insert(request, requires: declaration.requires)
            return [.store(request), .record(.requeued(request, outcome))]
        }
    }

    private mutating func submitPeriodic(
        _ declaration: TaskDeclaration, _ ended: TaskRequest, at date: WallTime?, now: Instant
    ) -> [Action] {
        guard let date, ended.identifier == declaration.identifier else { return [] }
        let next = Submission(
            identifier: ended.identifier, delay: now.wall.interval(until: date),
            parameters: ended.parameters)
        return accept(next, declaration, at: now).2
    }
}
