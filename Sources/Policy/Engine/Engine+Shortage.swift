// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// No worker could be started for these attempts. Their requests remain pending; no attempt is counted.
    mutating func deferLaunches(
        _ attempts: [Int64], for resource: Resource, at now: Instant, _ actions: inout [Action]
    ) {
        guard withdraw(attempts, at: now, &actions) else { return }
        noteShortage(of: resource, launched: now.wall, at: now, &actions)
    }

    /// - Parameter launched: When the attempt was launched that lacked the resource.
    mutating func noteShortage(
        of resource: Resource, launched: WallTime, at now: Instant, _ actions: inout [Action]
    ) {
        if shortage == nil { actions.append(.record(.shortage(resource))) }
        shortage = Shortage.noted(
            resource, launched: launched, after: shortage, running: running.count, at: now,
            policy: configuration.policy)
    }

    /// Makes the requests of these attempts, none of which has begun, pending again. Returns whether there was one.
    @discardableResult
    mutating func withdraw(
        _ attempts: [Int64], at now: Instant, _ actions: inout [Action]
    ) -> Bool {
        var isWithdrawn = false
        for id in attempts {
            guard let index = running.index(of: id) else { continue }
            isWithdrawn = true
            let withdrawn = running.remove(at: index)
            countRunning(withdrawn.requestClass, -1)
            let request = withdrawn.attempt.request
            giveBack(withdrawn, at: now, &actions)
            if withdrawn.requestClass.applicable.contains(.budget) {
                followBudget(at: now, &actions)
            }
            actions.append(.withdraw(attempt: id))
            // A request submitted since replaces it, as it would replace a pending request.
            if pending.isPending(request.identifier) {
                pending.unpark(request.identifier)
                supersede(request, &actions)
            } else {
                enqueue(request, task: withdrawn.task)
                actions.append(.store(request))
            }
        }
        return isWithdrawn
    }

    /// Whether the machine, as far as is known, has resources for one more attempt.
    var hasResources: Bool { shortage.map { running.count < $0.limit } ?? true }

    /// Allows one attempt more than could be started last time.
    mutating func relaxShortage(at now: Instant, _ actions: inout [Action]) {
        guard let last = shortage, last.retryAt <= now.elapsed else { return }
        let policy = configuration.policy
        // fits: both are below 2^53
        let all = policy.concurrentAttempts + policy.concurrencyLimits.continued
        shortage = pending.count > 0 ? last.relaxed(at: now, all: all, policy: policy) : nil
        if shortage == nil { actions.append(.record(.shortageOver(last.resource))) }
    }
}
