// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Launches what may be launched: the earliest date first, as many as may run at once.
    mutating func launchEligible(at now: Instant) -> [Action] {
        guard !isShuttingDown else { return [] }
        pending.release(at: now.wall)
        var actions = resolveOverlaps(at: now)
        while running.count < configuration.policy.concurrentAttempts,
            let request = pending.first(
                satisfying: satisfied, upTo: lastLaunchableID, at: now.wall)
        {
            actions += launch(request, isForced: false, at: now)
        }
        return actions
    }

    /// Apple: _simulateLaunchForTaskWithIdentifier. The pending request is launched, or a new one.
    mutating func trigger(_ submission: Submission, ticket: Ticket?, at now: Instant) -> [Action] {
        if let attempt = runningAttempt(submission.identifier) {
            return reply(
                ticket,
                .refused(.alreadyRunning(identifier: submission.identifier, attempt: attempt.id)))
        }
        var actions: [Action] = []
        if submission.parameters != nil || pending.request(submission.identifier) == nil {
            do {
                let declaration = try admit(submission.identifier)
                let immediate = Submission(
                    identifier: submission.identifier, delay: .zero,
                    parameters: submission.parameters)
                actions += accept(immediate, declaration, at: now).2
            } catch {
                return reply(ticket, .refused(error))
            }
        }
        guard !isShuttingDown, let request = pending.request(submission.identifier) else {
            return actions + reply(ticket, .refused(.unavailable))
        }
        let attempt = nextAttemptID
        actions += launch(request, isForced: true, at: now)
        return actions + reply(ticket, .launched(attempt: attempt))
    }

    func runningIndex(_ identifier: String) -> Int? {
        running.firstIndex { $0.attempt.request.identifier == identifier }
    }

    private mutating func launch(
        _ request: TaskRequest, isForced: Bool, at now: Instant
    ) -> [Action] {
        guard let declaration = admission.declaration(for: request.identifier) else { return [] }
        pending.remove(request.identifier)
        let policy = configuration.policy
        let limit = declaration.timeLimit ?? policy.timeLimit(for: declaration.kind)
        let attempt = Attempt(
            id: nextAttemptID, request: request, declaration: declaration.identifier,
            deadlineElapsed: now.elapsed.saturatingAdding(limit.nanoseconds), launched: now)
        nextAttemptID += 1
        if declaration.every != nil { lastLaunches[request.identifier] = now.wall }
        running.append(
            RunningAttempt(
                attempt, requires: declaration.requires,
                grace: min(declaration.grace ?? policy.grace, policy.graceMaximum),
                isForced: isForced))
        return [.record(.starting(attempt)), .launch(attempt)]
    }

    /// Takes the requests that could be launched but for the running attempt of their identifier
    /// out of the way, so that no identifier runs twice at once.
    private mutating func resolveOverlaps(at now: Instant) -> [Action] {
        running.indices.flatMap { index -> [Action] in
            guard
                let request = pending.readyRequest(
                    running[index].attempt.request.identifier, upTo: lastLaunchableID,
                    at: now.wall),
                satisfied.isSuperset(of: running[index].requires)
            else { return [] }
            return resolveOverlap(of: request, with: index, at: now)
        }
    }

    /// The request waits behind the running attempt of its identifier, which `overlap` may end, or
    /// is dropped.
    private mutating func resolveOverlap(
        of request: TaskRequest, with index: Int, at now: Instant
    ) -> [Action] {
        let overlap = admission.declaration(for: request.identifier)?.overlap ?? .queue
        switch overlap {
        case .queue:
            pending.park(request)
            return []
        case .skip:
            pending.remove(request.identifier)
            return [
                .remove(request),
                .record(.skipped(request, blockedBy: running[index].attempt.id)),
            ]
        case .expireOld, .replace:
            pending.park(request)
            let grace = overlap == .replace ? .zero : running[index].grace
            return running[index].expire(.preempted, grace: grace, at: now)
                + running[index].descend(
                    at: now, terminationWait: configuration.policy.terminationWait)
        }
    }
}
