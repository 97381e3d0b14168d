// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// A person uses the app, and the engine learns from it. After a removal, the launch requests are submitted again.
    mutating func open(ticket: Ticket?, at now: Instant, _ actions: inout [Action]) {
        actions.append(.record(.appOpened))
        let isLaunch = facts.isForceQuit
        let zone = configuration.usageZone
        let last = facts.lastForeground == nil ? newestRefresh : facts.lastRefresh
        actions += changeFacts(at: now) { facts in
            facts.lastRefresh = last
            facts.isForceQuit = false
            facts.lastForeground = now.wall
            facts.usage.noteUse(at: now.wall, in: zone)
        }
        if isLaunch { submitLaunchTasks(at: now, &actions) }
        launchHeldPushes(at: now, &actions)
        actions += reply(ticket, .noted)
    }

    /// Apple: running attempts end, continued requests are cancelled, pushes are discarded; nothing is launched until
    /// the app is opened.
    mutating func forceQuit(ticket: Ticket?, at now: Instant, _ actions: inout [Action]) {
        actions.append(.record(.appForceQuit))
        actions += changeFacts(at: now) { $0.isForceQuit = true }
        expireAll(.cancelled, at: now, &actions)
        let ending = TaskKind.allCases.filter(\.endsWithForceQuit)
        if ending.contains(where: { pending.count(of: $0) > 0 }) {
            let requests = pending.all.filter { $0.kind.endsWithForceQuit }
            cancel(requests.map(\.identifier), ticket: nil, &actions)
        }
        actions += reply(ticket, .noted)
    }

    mutating func switchRefresh(
        _ state: RefreshSwitch, ticket: Ticket?, at now: Instant
    ) -> [Action] {
        [.record(.refreshSwitch(state))] + changeFacts(at: now) { $0.refreshSwitch = state }
            + reply(ticket, .noted)
    }

    private mutating func changeFacts(
        at now: Instant, _ change: (inout AppFacts) -> Void
    ) -> [Action] {
        let old = facts
        change(&facts)
        let changes = facts.changes(since: old)
        guard !changes.isEmpty else { return [] }
        refreshGate(at: now.wall)
        if facts.usage != old.usage || facts.lastForeground != old.lastForeground {
            replaceRefreshes()
        }
        return [.remember(changes)]
    }

    /// Recomputes the dates of the pending refreshes after new usage data.
    mutating func replaceRefreshes() {
        if pending.count(of: .appRefresh) > 0 { reconsider(.appRefresh) }
    }

    /// The newest launch of a refresh, before the app was opened for the first time.
    private var newestRefresh: WallTime? {
        guard configuration.policy.usageHorizon > .zero else { return nil }
        return tasks.lazy.filter {
            $0.declaration.kind == .appRefresh && $0.declaration.schedule?.calendar == nil
        }.compactMap(\.spacedFrom).max()
    }

    /// Whether the launch of a request counts as a refresh of the app: usage decides its date.
    private func isPlaced(_ request: TaskRequest, _ task: Int) -> Bool {
        facts.places(
            request, tasks[task].declaration.schedule, policy: configuration.policy)
    }

    /// Whether the app's last refresh is the launch of `request` at `date`.
    func isLastRefresh(_ request: TaskRequest, _ task: Int, at date: WallTime) -> Bool {
        isPlaced(request, task) && facts.lastRefresh == date
    }

    /// A refresh was launched at `now`: the app's other refreshes are spaced from it.
    mutating func noteRefresh(
        _ request: TaskRequest, _ task: Int, at now: WallTime, _ actions: inout [Action]
    ) {
        guard isPlaced(request, task) else { return }
        facts.refreshBefore = facts.lastRefresh
        moveLastRefresh(to: now, &actions)
    }

    /// Sets the date of the app's last refresh; nil: there was none.
    mutating func moveLastRefresh(to date: WallTime?, _ actions: inout [Action]) {
        facts.lastRefresh = date
        actions.append(.remember(facts.refreshFacts))
        replaceRefreshes()
    }

    /// Recomputes the dates of the pending requests of a kind, after a launch of the task `released` was withdrawn.
    mutating func reconsider(_ kind: TaskKind, released: Int? = nil) {
        let (facts, configuration, tasks) = (facts, configuration, tasks)
        pending.reconsider(kind) { request, task, placed in
            guard kind == .appRefresh else { return task == released ? nil : placed }
            let spaced = tasks[task].spacedDate(of: request, configuration.policy)
            return tasks[task].placement(of: request, facts, spaced: spaced, configuration)
        }
    }

    /// Adds a request to the pending ones under the current manifest, a refresh at its predicted date. It waits at
    /// least until `spaced`.
    ///
    /// - Parameter slot: The slot claimed for its identifier; nil: the identifier is not pending.
    mutating func enqueue(
        _ request: TaskRequest, task: Int, slot: Int? = nil, spaced: WallTime? = nil
    ) {
        let slot = slot ?? pending.claimFree(request.identifier)
        let kind = tasks[task].declaration.kind
        guard request.kind == kind else {
            var changed = request
            changed.kind = kind
            return enqueue(changed, task: task, slot: slot, spaced: spaced)
        }
        let placed =
            kind == .appRefresh
            ? tasks[task].placement(of: request, facts, spaced: spaced, configuration) : spaced
        if let index = running.index(of: request.identifier) { running[index].hasFollower = true }
        if request.occurrence != nil { noteExpiry(of: request, task) }
        pending.insert(
            request, at: slot, task: task, requestClass: requestClass(of: task, for: request),
            placed: placed)
    }

    /// The class of a request: that of its task, unless the request requires more.
    mutating func requestClass(of task: Int, for request: TaskRequest) -> Int {
        let requestClass = tasks[task].requestClass
        guard !pending.requestClasses[requestClass].conditions.isSuperset(of: request.requires)
        else { return requestClass }
        var declaration = tasks[task].declaration
        declaration.requires.formUnion(request.requires)
        return pending.requestClass(
            RequestClass(
                declaration, group: pending.requestClasses[requestClass].group,
                policy: configuration.policy))
    }

    /// Charges the budget for an attempt, and notes whether it ran out of time without a report.
    mutating func settle(
        _ ended: RunningAttempt, _ outcome: Outcome, at now: Instant, _ actions: inout [Action]
    ) {
        charge(ended, at: now, &actions)
        if ended.spendingSince != nil { followBudget(at: now, &actions) }
        let policy = configuration.policy
        guard !facts.missedCompletions.isEmpty || policy.missedCompletionPenalty > .zero,
            !outcome.isUnreportedShortage
        else { return }
        let identifier = tasks[ended.task].declaration.identifier
        let before = facts.missedCompletions[identifier]
        if outcome.isMissedCompletion || ended.hasLeakedAssertion {
            if policy.missedCompletionPenalty > .zero {
                facts.missedCompletions[identifier] = min((before ?? 0).saturatingAdding(1), 1_000)
            }
        } else if before != nil {
            facts.missedCompletions[identifier] = nil
        }
        guard facts.missedCompletions[identifier] != before else { return }
        actions.append(.remember([facts.missedFact(identifier)]))
        if ended.isForced { space(ended.task, from: ended.attempt.launched.wall, &actions) }
        updateSpacing(of: ended.task)
        // Requests of a wildcard that were delayed by the penalty need not wait for its end.
        if facts.missedCompletions[identifier] == nil { reconsider(ended.kind) }
    }
}

extension Engine.TaskState {
    /// The date a refresh waits for: before a predicted use, and not before `spaced`.
    func placement(
        of request: TaskRequest, _ facts: AppFacts, spaced: WallTime?,
        _ configuration: Engine.Configuration
    ) -> WallTime? {
        let placed = facts.placement(
            of: request, declaration.schedule, in: configuration.usageZone,
            policy: configuration.policy)
        guard let placed, let spaced else { return placed ?? spaced }
        return max(placed, spaced)
    }
}

extension Outcome {
    /// Time ran out without a report from the handler (Apple: setTaskCompleted was not called).
    fileprivate var isMissedCompletion: Bool {
        switch self {
        case .expired(.time, nil), .expired(.stalled, nil): true
        default: false
        }
    }

    /// Whether the handler had to wait for a resource, and may not be the cause of the missing report.
    fileprivate var isUnreportedShortage: Bool {
        if case .expired(let reason, nil) = self { reason.shortage != nil } else { false }
    }
}
