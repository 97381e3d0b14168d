// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension AppOverview {
    /// The state of `engine`. Takes time for `limit` pending requests, not for all of them.
    /// - Parameters:
    ///   - attempts: The running ones in display order; the caller adds their reported progress.
    ///   - limit: The maximum number of listed pending requests.
    package init(app: String, engine: Engine, attempts: [Attempt], limit: Int, at now: WallTime) {
        self.init(app: app, at: now)
        running = attempts.map { Running($0, engine, now) }
        pending = engine.pendingRequests(first: limit).map { Pending($0, engine, now) }
        pendingCount = engine.pendingCount
        budgets = Self.budgets(engine, now)
        notices = Self.notices(engine)
    }

    private static func budgets(_ engine: Engine, _ now: WallTime) -> [Budget] {
        let policy = engine.configuration.policy
        var budgets: [Budget] = []
        if policy.budget > .zero {
            let spent = engine.appFacts.budget.spent(policy: policy, now: now)
            budgets.append(
                Budget(
                    name: "running-time", used: spent.nanoseconds / 1_000_000,
                    limit: policy.budget.nanoseconds / 1_000_000, isTime: true))
        }
        if policy.pushHourly > 0 {
            let hourly = engine.appFacts.pushLaunches.count { $0.advanced(by: .hours(1)) > now }
            budgets.append(
                Budget(
                    name: "pushes", used: Int64(hourly), limit: Int64(policy.pushHourly),
                    isTime: false))
        }
        budgets.append(
            Budget(
                name: "attempts", used: Int64(engine.discretionaryAttempts),
                limit: Int64(policy.concurrentAttempts), isTime: false))
        return budgets
    }

    /// Necessary actions of the user, and waits for the user.
    static func notices(_ engine: Engine) -> [String] {
        var notices: [String] = []
        let facts = engine.appFacts
        if facts.isForceQuit {
            notices.append("force-quit: nothing is launched until `bgrun open`")
        }
        if facts.refreshSwitch != .available {
            notices.append(
                "background refresh is \(facts.refreshSwitch.name): `bgrun refresh on` allows it")
        }
        if engine.isSuspending { notices.append("the machine is about to sleep") }
        if engine.isReloading { notices.append("a changed manifest is about to take effect") }
        if engine.isEnding { notices.append("the host is ending") }
        return notices
    }
}

extension AppOverview.Running {
    fileprivate init(_ attempt: Attempt, _ engine: Engine, _ now: WallTime) {
        self.init(
            attempt: attempt.id, identifier: attempt.request.identifier,
            kind: attempt.request.kind.name, launched: attempt.launched.wall)
        guard let state = engine.runningState(attempt.id) else { return }
        phase = state.rung.name
        until = state.until
        reason = state.rung.reason?.name
        isExpiring = state.rung.isExpiring
    }
}

extension AppOverview.Pending {
    package init(_ request: TaskRequest, reason: String) {
        self.init(
            request: request.id, identifier: request.identifier, kind: request.kind.name,
            submitted: request.submitted, earliest: request.earliest, failures: request.failures,
            reason: reason)
    }

    /// The row of a request in the state of `engine`.
    package init(_ request: TaskRequest, _ engine: Engine, _ now: WallTime) {
        let reason = engine.pendingReason(request.identifier, at: now)
        let sentence = reason.map { engine.sentence(of: $0, request.identifier, at: now) }
        self.init(request, reason: sentence ?? "no task of the manifest handles it")
        blocker = reason?.word
        next = reason?.until
    }

    /// The reason why the request of an attempt waits after its host died. A triggered one keeps its date.
    package static func interrupted(_ request: TaskRequest, at now: WallTime) -> String {
        request.earliest.map { $0 > now } == true
            ? "its host died: its earliest date has not come"
            : "its host died: continues as soon as a host runs"
    }

    /// The reason why a request waits whose launch was decided but could not be stored.
    package static let busyStore = "another program is writing to the store of the app"
}

extension AppOverview {
    /// Inserts requests that no engine lists, and that are launched next, before the waiting ones; skips
    /// one that is pending again.
    package mutating func add(_ requests: [TaskRequest], waitingFor reason: (TaskRequest) -> String)
    {
        let waiting = Set(pending.map(\.identifier))
        let rows = requests.filter { !waiting.contains($0.identifier) }
            .map { Pending($0, reason: reason($0)) }
        pending = rows + pending
        pendingCount = [pendingCount, rows.count].saturatingSum
    }
}
