// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Everything that decides when `identifier` is launched; nil if no task handles it. Changes
    /// nothing.
    package func explain(_ identifier: String, at now: WallTime) -> Explanation? {
        guard let task = setup.admission.index(for: identifier) else { return nil }
        let waiting = waiting(identifier, task, at: now)
        let requestClass = pending.requestClasses[waiting.requestClass]
        var lines = dateLines(task, waiting, at: now)
        lines += deadlineLines(identifier, task, at: now)
        lines += Conditions.each.enumerated().filter { requestClass.conditions.contains($1) }.map {
            conditionLine($0, $1)
        }
        lines += requestClass.kind.factors.filter(requestClass.applicable.contains).map {
            factorLine($0, task, waiting, at: now)
        }
        lines += limitLines(identifier, requestClass)
        let reason = pendingReason(identifier, at: now)
        return Explanation(
            identifier: identifier, kind: requestClass.kind, state: state(of: identifier),
            reason: reason, sentence: reason.map { sentence(of: $0, identifier, at: now) },
            annotations: annotations(identifier, task), lines: lines,
            next: lines.compactMap { $0.satisfied ? nil : $0.until }.min())
    }

    private func annotations(_ identifier: String, _ task: Int) -> Annotations {
        let request = pending.request(identifier) ?? runningAttempt(identifier)?.request
        return request?.annotations ?? tasks[task].declaration.annotations
    }

    /// The state of an attempt; nil if it is not running.
    package func runningState(_ attempt: Int64) -> RunningAttempt? {
        running.index(of: attempt).map { running[$0] }
    }

    /// The pending request, or the one that a submission now would make.
    func waiting(_ identifier: String, _ task: Int, at now: WallTime) -> Waiting {
        guard let request = pending.request(identifier), let place = pending.place(identifier)
        else {
            return Waiting(id: nextRequestID, since: now, requestClass: tasks[task].requestClass)
        }
        return Waiting(
            id: request.id, earliest: request.earliest, placed: place.placed,
            spaced: spacedDate(of: request, task, placed: place.placed),
            since: WallTime(milliseconds: place.since), requestClass: place.requestClass)
    }

    /// A refresh waits for the later of two dates: the date before a predicted use, and this one.
    private func spacedDate(of request: TaskRequest, _ task: Int, placed: WallTime?) -> WallTime? {
        guard request.kind == .appRefresh else { return placed }
        guard request.isSpaced, let placed else { return nil }
        let use = tasks[task].placement(of: request, facts, spaced: nil, configuration)
        return use.map { $0 >= placed } ?? false ? nil : placed
    }

    private func state(of identifier: String) -> Explanation.State {
        if let request = pending.request(identifier) { return .pending(request) }
        return running.index(of: identifier).map { .running(running[$0]) } ?? .idle
    }

    private func dateLines(
        _ task: Int, _ waiting: Waiting, at now: WallTime
    ) -> [Explanation.Line] {
        guard let earliest = waiting.earliest else { return [] }
        let left = now.interval(until: earliest)
        return [
            Explanation.Line(
                subject: .date, name: "earliest",
                current: left > .zero ? "in \(left.brief)" : "\(left.magnitude.brief) ago",
                needed: "has come", satisfied: left <= .zero,
                until: left > .zero ? earliest : nil)
        ]
    }

    /// Gives the date at which an occurrence is given up.
    private func deadlineLines(
        _ identifier: String, _ task: Int, at now: WallTime
    ) -> [Explanation.Line] {
        guard let request = pending.request(identifier), let end = expiry(of: request, task)
        else { return [] }
        let left = now.interval(until: end)
        let isLost = tasks[task].declaration.startDeadline == nil
        return [
            Explanation.Line(
                subject: .date, name: isLost ? "catch-up" : "deadline",
                current: left > .zero ? "skipped in \(left.brief)" : "over",
                needed: "launched before", satisfied: left > .zero)
        ]
    }

    private func conditionLine(_ index: Int, _ condition: Conditions) -> Explanation.Line {
        Explanation.Line(
            subject: .condition, name: condition.names.joined().prefix { $0 != ":" }.description,
            current: device.currentText(of: condition),
            needed: condition.names.joined().drop { $0 != " " }.dropFirst().description,
            satisfied: gate.conditions.contains(condition), since: conditionsSince[index],
            note: device.unknownConditions.contains(condition) ? .unknown : nil)
    }

    private func factorLine(
        _ factor: Factor, _ task: Int, _ waiting: Waiting, at now: WallTime
    ) -> Explanation.Line {
        let verdict = verdict(of: factor, task, waiting, at: now)
        let (current, needed) = texts(of: factor, task, waiting, at: now)
        var until: WallTime?
        if case .blocked(let date) = verdict { until = date }
        return Explanation.Line(
            subject: .factor, name: factor.name, current: current, needed: needed,
            satisfied: verdict == .satisfied,
            since: since(factor, task, waiting).flatMap { $0 > now ? nil : $0 }, until: until,
            note: verdict == .satisfied ? note(of: factor, task, waiting, at: now) : nil)
    }

    /// A factor that differs between requests counts from the submission of the request, or from
    /// the last launch.
    private func since(_ factor: Factor, _ task: Int, _ waiting: Waiting) -> WallTime? {
        switch factor {
        case .powerPreference: waiting.since
        case .appUsage where tasks[task].declaration.kind == .appRefresh: waiting.since
        case .rateLimit: tasks[task].spacedFrom
        default: factorsSince[Int(factor.rawValue)]
        }
    }

    private func limitLines(
        _ identifier: String, _ requestClass: RequestClass
    ) -> [Explanation.Line] {
        let policy = configuration.policy
        var lines: [Explanation.Line] = []
        func add(
            _ name: String, _ current: String, needed: String, _ satisfied: Bool,
            since: WallTime? = nil
        ) {
            lines.append(
                Explanation.Line(
                    subject: .limit, name: name, current: current, needed: needed,
                    satisfied: satisfied, since: since))
        }
        if let suspendingSince {
            add("sleep", "about to sleep", needed: "awake", false, since: suspendingSince)
        }
        if let reloadingSince {
            add("manifest", "about to change", needed: "in effect", false, since: reloadingSince)
        }
        if let shortage {
            add(
                "resources", shortage.resource.shortage,
                needed: "enough for one more worker", hasResources, since: shortage.since)
        }
        if pending.isPending(identifier), let index = running.index(of: identifier) {
            add(
                "overlap", "attempt \(running[index].attempt.id) is running",
                needed: "none of it is running", false)
        }
        let ofKind = runningByKind[Int(requestClass.kind.rawValue)]
        let kindLimit = policy.concurrencyLimits[requestClass.kind]
        add(
            requestClass.kind.name, "\(ofKind) running", needed: "fewer than \(kindLimit)",
            ofKind < kindLimit)
        if let group = requestClass.group.map({ groups[$0] }) {
            add(
                group.name, "\(group.running) running", needed: "fewer than \(group.limit)",
                group.running < group.limit)
        }
        guard requestClass.kind != .continued else { return lines }
        add(
            "attempts", "\(discretionaryAttempts) running",
            needed: "fewer than \(policy.concurrentAttempts)", isBelowLimit)
        if let share {
            add(
                "share", share.wantsMore ? "other apps are before it" : "free", needed: "its turn",
                !share.wantsMore)
        }
        return lines
    }

    /// The current and the required state of a factor, in a few words.
    private func texts(
        of factor: Factor, _ task: Int, _ waiting: Waiting, at now: WallTime
    ) -> (current: String, needed: String) {
        let policy = configuration.policy
        let kind = tasks[task].declaration.kind
        switch factor {
        case .appSwitcher:
            return (facts.isForceQuit ? "force-quit" : "not force-quit", "not force-quit")
        case .refreshSwitch:
            return (facts.refreshSwitch.name, RefreshSwitch.available.name)
        case .criticalBattery:
            return (device.chargeText, "\(policy.lowBatteryPercent)%, or power")
        case .lowPowerMode:
            return (device.lowPowerMode.text(yes: "on", no: "off"), "not on")
        case .appUsage
        where kind == .appRefresh && facts.appUsageVerdict(policy: policy, now: now) == .satisfied:
            guard let placed = waiting.use, placed > now else { return ("no wait", "no wait") }
            return (
                "placed in \(now.interval(until: placed).brief)",
                "\(policy.usageLead.brief) before a predicted use, or "
                    + "\(policy.usageHorizon.brief) after the app's last refresh"
            )
        case .appUsage:
            let last = facts.lastForeground.map { "opened \($0.interval(until: now).brief) ago" }
            let needed =
                policy.usageEligibility > .zero
                ? "opened within \(policy.usageEligibility.brief)" : "nothing"
            return (last ?? "unknown", needed)
        case .budget:
            guard policy.budget > .zero else { return ("none", "nothing") }
            let spent = facts.budget.spent(policy: policy, now: now)
            let reserve = min(policy.timeLimits.appRefresh, policy.budget)
            return (
                "\(spent.brief) of \(policy.budget.brief) spent", "\(reserve.brief) left, or power"
            )
        case .rateLimit:
            return rateTexts(task, waiting, at: now)
        case .thermal:
            return (device.thermal?.name ?? "unknown", "below serious")
        case .pressure:
            return (
                device.pressure.text(yes: "contended", no: "none"),
                policy.pressureWait > .zero ? "not contended" : "nothing"
            )
        case .powerPreference:
            let enough = device.sufficientCharge(
                afterWaiting: waiting.since.interval(until: now), policy: policy)
            let needed =
                policy.starvationDeadline > .zero ? "power, or \(enough)% by now" : "nothing"
            return (device.chargeText, needed)
        case .userActivity:
            return (device.userIdle.text(yes: "idle", no: "not idle"), "idle")
        }
    }

    private func rateTexts(
        _ task: Int, _ waiting: Waiting, at now: WallTime
    ) -> (current: String, needed: String) {
        let declaration = tasks[task].declaration
        var spacing = configuration.policy.spacing(
            of: declaration.kind, missedCompletions: missedCompletions(of: task))
        if waiting.spaced != nil {
            spacing = max(spacing, configuration.policy.ownSpacing(of: declaration.kind))
        }
        let last = tasks[task].spacedFrom.map { "launched \($0.interval(until: now).brief) ago" }
        let current = last ?? "no launch counts"
        guard declaration.kind == .push else {
            return (current, spacing > .zero ? "\(spacing.brief) apart" : "nothing")
        }
        let hourly = facts.pushLaunches.count { $0.advanced(by: .hours(1)) > now }
        return (
            "\(current), \(hourly) pushes this hour",
            "\(spacing.brief) apart, fewer than \(configuration.policy.pushHourly) an hour"
        )
    }
}

extension DeviceState {
    /// The charge and the power source.
    fileprivate var chargeText: String {
        let power = externalPower.text(yes: "power", no: "battery")
        if let batteryPercent { return "\(power), \(batteryPercent)%" }
        return externalPower == .no ? "\(power), charge unknown" : power
    }

    /// The reading that decides a condition.
    fileprivate func currentText(of condition: Conditions) -> String {
        switch condition {
        case .externalPower: externalPower.text(yes: "external", no: "battery")
        case .network: network.text(yes: "any", no: "none")
        case .unmeteredNetwork:
            network == .yes
                ? networkMetered.text(yes: "metered", no: "unmetered")
                : network.text(yes: "any", no: "none")
        case .idle: userIdle.text(yes: "true", no: "false")
        case .batteryNotLow: chargeText
        default:
            PlainReading.deciding(condition).map { $0.requirement(self[keyPath: $0.path]) }
                ?? "unknown"
        }
    }
}

extension Interval {
    fileprivate var magnitude: Interval {
        Interval(nanoseconds: Int64(clamping: nanoseconds.magnitude))
    }
}
