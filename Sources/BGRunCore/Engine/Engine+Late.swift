// SPDX-License-Identifier: Apache-2.0

/// A busy store delays what the host carries out, and the events that come meanwhile.
extension Engine {
    /// Handles an event for which no time runs out; false for all others.
    mutating func catchUp(with event: Event, at now: Instant, _ actions: inout [Action]) -> Bool {
        switch event {
        case .launchesDelayed(let attempts): actions += delayLaunches(attempts, at: now)
        case .late(let event, let arrived): take(event, from: arrived, at: now, &actions)
        default: return false
        }
        return true
    }

    /// A report counts as of when it came; what follows from the end of an attempt is launched next. All else
    /// is handled as it comes, but for time that runs out.
    private mutating func take(
        _ event: Event, from arrived: Instant, at now: Instant, _ actions: inout [Action]
    ) {
        if event.isReport {
            isLate = true
            respond(to: event, at: arrived.elapsed < now.elapsed ? arrived : now, &actions)
            isLate = false
            if case .attemptEnded = event { yieldToContention(at: now, &actions) }
            return
        }
        followClock(to: now, &actions)
        if !event.isBeginning { launchEligible(at: now, &actions) }
        let waited = now.elapsed.saturatingSubtracting(arrived.elapsed)
        respond(to: event.shortened(by: waited), at: now, &actions)
        if case .recover = event { return }
        launchEligible(at: now, &actions)
        share?.granted = 0
    }

    /// Attempts whose launch waited for the store begin now, as if they had been launched now.
    private mutating func delayLaunches(_ attempts: [Int64], at now: Instant) -> [Action] {
        var actions: [Action] = []
        for id in attempts {
            guard let index = running.index(of: id) else { continue }
            let decided = running[index].attempt.launched.wall
            running[index].launch(at: now, policy: configuration.policy)
            let task = running[index].task
            if tasks[task].lastLaunch == decided { tasks[task].lastLaunch = now.wall }
            if tasks[task].spacedFrom == decided { space(task, from: now.wall, &actions) }
            if let push = facts.pushLaunches.lastIndex(of: decided) {
                changePushes(at: now, &actions) { $0.pushLaunches[push] = now.wall }
            }
        }
        return actions
    }
}

extension Event {
    /// Whether nothing is launched before it.
    fileprivate var isBeginning: Bool {
        switch self {
        case .recover, .start, .startOnce, .manifestLoaded: true
        default: false
        }
    }

    /// Some of the time until the machine sleeps has passed.
    fileprivate func shortened(by nanoseconds: Int64) -> Event {
        guard case .suspending(let time?) = self else { return self }
        return .suspending(
            within: Interval(
                nanoseconds: max(0, time.nanoseconds.saturatingSubtracting(nanoseconds))))
    }
}
