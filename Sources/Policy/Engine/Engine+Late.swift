// SPDX-License-Identifier: Apache-2.0

/// A busy store delays the host's actions, and the events that come meanwhile.
extension Engine {
    /// Handles an event during which no time runs out; returns false for all others.
    mutating func catchUp(with event: Event, at now: Instant, _ actions: inout [Action]) -> Bool {
        switch event {
        case .launchesDelayed(let attempts): actions += delayLaunches(attempts, at: now)
        case .launchesEnd(let attempts):
            isShuttingDown = true
            withdraw(attempts, at: now, &actions)
        case .late(let event, let arrived): take(event, from: arrived, at: now, &actions)
        default: return false
        }
        return true
    }

    /// A report or a submission counts from its arrival; during any other event no time runs out. Requests due at its
    /// arrival are launched before and after it; those due since may be cancelled by a later event.
    private mutating func take(
        _ event: Event, from arrived: Instant, at now: Instant, _ actions: inout [Action]
    ) {
        let then = Instant(
            elapsed: min(arrived.elapsed, now.elapsed), wall: min(arrived.wall, now.wall))
        if event.isReport {
            isLate = true
            respond(to: event, at: then, &actions)
            isLate = false
            if case .attemptEnded = event { yieldToContention(at: now, &actions) }
            return
        }
        followClock(to: now, &actions)
        if !event.isFirst { launchDue(by: then.wall, at: now, &actions) }
        let waited = now.elapsed.saturatingSubtracting(then.elapsed)
        isLate = event.isSubmission
        respond(to: event.shortened(by: waited), at: event.isSubmission ? then : now, &actions)
        isLate = false
        if case .recover = event { return }
        launchDue(by: then.wall, at: now, &actions)
        share?.granted = 0
    }

    /// Starts the time of attempts whose launch waited for the store, as if they were launched now.
    private mutating func delayLaunches(_ attempts: [Int64], at now: Instant) -> [Action] {
        var actions: [Action] = []
        for id in attempts {
            guard let index = running.index(of: id) else { continue }
            let decided = running[index].attempt.launched.wall
            running[index].launch(at: now, policy: configuration.policy)
            let task = running[index].task
            if tasks[task].lastLaunch == decided { tasks[task].lastLaunch = now.wall }
            if tasks[task].spacedFrom == decided { space(task, from: now.wall, &actions) }
            if isLastRefresh(running[index].attempt.request, task, at: decided) {
                moveLastRefresh(to: now.wall, &actions)
            }
            if let push = facts.pushLaunches.lastIndex(of: decided) {
                changePushes(at: now, &actions) { $0.pushLaunches[push] = now.wall }
            }
        }
        return actions
    }
}

extension Event {
    /// Whether it comes before all launches. A request that the host cancels, without a ticket, must not run any more.
    fileprivate var isFirst: Bool {
        switch self {
        case .recover, .start, .startOnce, .manifestLoaded, .cancel(_, ticket: nil): true
        default: false
        }
    }

    fileprivate var isSubmission: Bool {
        if case .submit = self { true } else { false }
    }

    /// Subtracts the time that has passed from the time until the machine sleeps.
    fileprivate func shortened(by nanoseconds: Int64) -> Event {
        guard case .suspending(let time?) = self else { return self }
        return .suspending(within: time.reduced(by: Interval(nanoseconds: nanoseconds)))
    }
}
