// SPDX-License-Identifier: Apache-2.0

/// A busy store delays what the host carries out, and the events that come meanwhile.
extension Engine {
    /// Handles an event for which no time runs out and nothing is launched; false for all others.
    mutating func catchUp(with event: Event, at now: Instant, _ actions: inout [Action]) -> Bool {
        switch event {
        case .launchesDelayed(let attempts):
            actions += delayLaunches(attempts, at: now)
        case .late(let event):
            isLate = true
            respond(to: event, at: now, &actions)
            isLate = false
        default: return false
        }
        return true
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
