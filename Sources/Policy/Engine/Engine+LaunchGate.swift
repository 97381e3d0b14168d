// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// The state of a factor at `now`; for a factor that differs between tasks, the part that applies to all of them.
    func verdict(of factor: Factor, at now: WallTime) -> Decision {
        let policy = configuration.policy
        switch factor {
        case .appSwitcher: return facts.appSwitcherVerdict
        case .refreshSwitch: return facts.refreshSwitchVerdict
        case .criticalBattery: return device.criticalBatteryVerdict(policy: policy)
        case .lowPowerMode: return device.lowPowerModeVerdict
        case .appUsage: return facts.appUsageVerdict(policy: policy, now: now)
        case .budget:
            return facts.budget.verdict(
                policy: policy, device: device, spenders: spenders, now: now)
        case .rateLimit: return facts.pushCeilingVerdict(policy: policy, now: now)
        case .thermal: return device.thermalVerdict
        case .pressure:
            return device.pressureVerdict(since: contendedSince, policy: policy, now: now)
        case .powerPreference: return .satisfied
        case .userActivity: return device.userActivityVerdict
        }
    }

    /// Checks every condition and factor again, and records when each last changed.
    mutating func refreshGate(at now: WallTime) {
        let conditions = device.satisfiedConditions(policy: configuration.policy)
        for (index, condition) in Conditions.each.enumerated()
        where conditions.contains(condition) != gate.conditions.contains(condition) {
            conditionsSince[index] = now
        }
        gate.conditions = conditions
        gateFlips = nil
        var factors = Factors()
        for factor in Factor.allCases {
            switch verdict(of: factor, at: now) {
            case .satisfied: factors.insert(Factors(factor))
            case .blocked(let until?): gateFlips = min(gateFlips ?? until, until)
            case .blocked(nil): break
            }
            if factors.contains(factor) != gate.factors.contains(factor) {
                factorsSince[Int(factor.rawValue)] = now
            }
        }
        gate.factors = factors
        if factors.contains(.appUsage), configuration.policy.usageEligibility > .zero,
            let last = facts.lastForeground
        {
            let end = last.advanced(by: configuration.policy.usageEligibility)
                .advanced(by: .milliseconds(1))
            gateFlips = min(gateFlips ?? end, end)
        }
        gate.powerWait = device.powerPreferenceWait(policy: configuration.policy)
        gateSeen = now
    }

    /// Called before each event: if the clock was set back, moves later dates back; updates factors that change with
    /// time.
    mutating func followClock(to instant: Instant, _ actions: inout [Action]) {
        let now = instant.wall
        let isSetBack = gateSeen.map { now < $0 } ?? false
        if isSetBack || gateSeen == nil {
            let (old, policy) = (facts, configuration.policy)
            facts.clamp(to: now, in: configuration.usageZone)
            actions += pending.followClock(
                backTo: now, all: gateSeen != nil,
                spacedUntil: now.advanced(
                    by: max(policy.processingSpacing, policy.resubmissionSpacing))
            ).map(Action.store)
            for task in tasks.indices {
                guard let from = tasks[task].spacedFrom, from > now else { continue }
                tasks[task].spacedFrom = now
                updateSpacing(of: task)
            }
            replaceRefreshes()
            contendedSince = contendedSince.map { min($0, now) }
            suspendingSince = suspendingSince.map { min($0, now) }
            reloadingSince = reloadingSince.map { min($0, now) }
            conditionsSince = conditionsSince.map { since in since.map { min($0, now) } }
            factorsSince = factorsSince.map { since in since.map { min($0, now) } }
            refreshGate(at: now)
            let changes = facts.changes(since: old)
            // A clock that is behind for a moment, as after a boot, must not let a command change the learned facts:
            // the next host compares them with its own clock.
            if !setup.isOffline, !changes.isEmpty { actions.append(.remember(changes)) }
            if isSetBack { reviseOccurrences(isStart: false, at: instant, &actions) }
            return
        }
        if gateFlips.map({ $0 <= now }) ?? false { refreshGate(at: now) }
        gateSeen = now
    }

    /// Updates when the requests of a task may be launched again.
    mutating func updateSpacing(of task: Int) {
        var spacing = tasks[task].regularSpacing
        if !facts.missedCompletions.isEmpty {
            spacing = configuration.policy.spacing(
                of: tasks[task].declaration.kind, missedCompletions: missedCompletions(of: task))
        }
        gate.notBefore[task] =
            spacing > .zero
            ? tasks[task].spacedFrom?.advanced(by: spacing).milliseconds ?? .min : .min
    }

    /// The number of missed completions that space the launches of a task: 0 with `retry`, which decides the delay
    /// itself.
    func missedCompletions(of task: Int) -> Int {
        let declaration = tasks[task].declaration
        return declaration.retry == nil ? facts.missedCompletions[declaration.identifier] ?? 0 : 0
    }

    /// Whether a stored fact, not the last launch, spaces such a task: a withdrawn launch does not count.
    func remembersSpacing(of kind: TaskKind, regular: Interval) -> Bool {
        regular > .zero || kind.isSpacedFromItself && configuration.policy.processingSpacing > .zero
    }

    /// Spaces the launches of a task from `date`, also after a restart.
    mutating func space(_ task: Int, from date: WallTime?, _ actions: inout [Action]) {
        tasks[task].spacedFrom = date
        updateSpacing(of: task)
        let declaration = tasks[task].declaration
        guard remembersSpacing(of: declaration.kind, regular: tasks[task].regularSpacing)
        else { return }
        let identifier = declaration.identifier
        facts.spacedFrom[identifier] = date
        actions.append(.remember([facts.spacedFact(identifier)]))
    }

    /// Updates the numbers of running attempts of a kind and of a group.
    mutating func countRunning(_ requestClass: RequestClass, _ change: Int) {
        let kind = Int(requestClass.kind.rawValue)
        // fits: a number of running attempts
        runningByKind[kind] += change
        let bit = UInt16(1) << UInt16(requestClass.kind.rawValue)
        if runningByKind[kind] >= configuration.policy.concurrencyLimits[requestClass.kind] {
            gate.fullKinds |= bit
        } else {
            gate.fullKinds &= ~bit
        }
        guard let group = requestClass.group else { return }
        groups[group].running += change
        gate.fullGroups[group] = groups[group].running >= groups[group].limit
    }

    /// The number of attempts that count against `concurrentAttempts`, and take shared slots.
    package var discretionaryAttempts: Int {
        running.count - runningByKind[Int(TaskKind.continued.rawValue)]
    }
}
