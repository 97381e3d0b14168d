// SPDX-License-Identifier: Apache-2.0

/// A request that waits, or would wait.
struct Waiting {
    var id: Int64
    var earliest: WallTime?
    var placed: WallTime?
    /// The end of its minimum distance, if the app's code submitted it.
    var spaced: WallTime?
    var since: WallTime
    var requestClass: Int

    /// The date before a predicted use at which a refresh is placed.
    var use: WallTime? { placed == spaced ? nil : placed }
}

extension Engine {
    /// The one reason the pending request of `identifier` is not running; nil when none is pending.
    package func pendingReason(_ identifier: String, at now: WallTime) -> PendingReason? {
        guard pending.isPending(identifier), let task = setup.admission.index(for: identifier)
        else { return nil }
        return blocker(identifier, task, waiting(identifier, task, at: now), at: now)
    }

    /// In order: actions of a person, the request's own date and conditions, the device, other running attempts.
    func blocker(
        _ identifier: String, _ task: Int, _ waiting: Waiting, at now: WallTime
    ) -> PendingReason {
        if setup.isOffline { return .noHost }
        if isShuttingDown || waiting.id > gate.lastID { return .notAdmitted }
        if isSuspending { return .suspending }
        if isReloading { return .reloading }
        let requestClass = pending.requestClasses[waiting.requestClass]
        for factor in [Factor.appSwitcher, .refreshSwitch]
        where requestClass.factors.contains(factor) {
            if case .blocked(let until) = verdict(of: factor, at: now) {
                return .factor(factor, until: until)
            }
        }
        if let earliest = waiting.earliest, earliest > now,
            earliest
                >= max(waiting.placed ?? earliest, WallTime(milliseconds: gate.notBefore[task]))
        {
            return .notBefore(earliest)
        }
        let missing = requestClass.conditions.subtracting(gate.conditions)
        if !missing.isEmpty { return .conditions(missing) }
        for factor in requestClass.kind.factors where requestClass.applicable.contains(factor) {
            if case .blocked(let until) = verdict(of: factor, task, waiting, at: now) {
                return .factor(factor, until: until)
            }
        }
        if let index = running.index(of: identifier) {
            return .overlap(attempt: running[index].attempt.id)
        }
        if let group = requestClass.group, gate.fullGroups[group] {
            return .groupLimit(groups[group].name, limit: groups[group].limit)
        }
        let policy = configuration.policy
        if gate.fullKinds & 1 << UInt16(requestClass.kind.rawValue) != 0 {
            return .kindLimit(
                requestClass.kind, limit: policy.concurrencyLimits[requestClass.kind])
        }
        if let shortage, !hasResources { return .resources(shortage.resource) }
        if requestClass.kind == .continued { return .eligible }
        if !isBelowLimit { return .concurrency(limit: policy.concurrentAttempts) }
        return share?.wantsMore == true ? .share : .eligible
    }

    /// The state of a factor for one request.
    func verdict(of factor: Factor, _ task: Int, _ waiting: Waiting, at now: WallTime) -> Decision {
        let requestClass = pending.requestClasses[waiting.requestClass]
        switch factor {
        case .appUsage where requestClass.kind == .appRefresh:
            let placed = waiting.use.map { Decision.blocked(until: $0, now: now) } ?? .satisfied
            return placed.and(verdict(of: factor, at: now))
        case .rateLimit:
            var date = WallTime(milliseconds: gate.notBefore[task])
            date = max(date, waiting.spaced ?? date)
            let spaced = Decision.blocked(until: date, now: now)
            return requestClass.kind == .push ? spaced.and(verdict(of: factor, at: now)) : spaced
        case .powerPreference:
            guard requestClass.prefersPower, gate.powerWait > .zero else { return .satisfied }
            return .blocked(until: waiting.since.advanced(by: gate.powerWait), now: now)
        default:
            return verdict(of: factor, at: now)
        }
    }

    /// The reason why a request of `identifier` is pending, as a sentence; nil: it is not pending.
    package func pendingSentence(_ identifier: String, at now: WallTime) -> String? {
        pendingReason(identifier, at: now).map { sentence(of: $0, identifier, at: now) }
    }

    /// The reason of a request of `identifier` as a sentence; names conditions without a reading, and the time until
    /// the occurrence is skipped.
    package func sentence(
        of reason: PendingReason, _ identifier: String, at now: WallTime
    ) -> String {
        let sentence = reasonSentence(reason, identifier, at: now)
        guard let request = pending.request(identifier), request.since <= now,
            let task = setup.admission.index(for: identifier),
            let end = expiry(of: request, task), end > now
        else { return sentence }
        return sentence + "; skipped in \(now.interval(until: end).brief) unless launched"
    }

    private func reasonSentence(
        _ reason: PendingReason, _ identifier: String, at now: WallTime
    ) -> String {
        if case .factor(.rateLimit, let until?) = reason, isCeiling(identifier, until, at: now) {
            return "rate limited: \(configuration.policy.pushHourly) pushes were launched within "
                + "the hour, which is the limit"
        }
        let text = reason.text
        switch reason {
        case .conditions(let missing) where !missing.isDisjoint(with: device.unknownConditions):
            let unknown = missing.intersection(device.unknownConditions).names
            return text + "; unknown here: \(unknown.joined(separator: ", ")); "
                + "`bgrun device` says why, and what to do"
        case .conditions(.idle), .factor(.userActivity, _):
            return text + "; `bgrun device` says why it is not"
        default:
            return text
        }
    }

    /// Whether the hourly limit of pushes blocks the request, not the distance to the last one.
    private func isCeiling(_ identifier: String, _ until: WallTime, at now: WallTime) -> Bool {
        guard declaration(for: identifier)?.kind == .push,
            case .blocked(let end) = facts.pushCeilingVerdict(
                policy: configuration.policy, now: now)
        else { return false }
        return end == until
    }
}
