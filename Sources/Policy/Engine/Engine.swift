// SPDX-License-Identifier: Apache-2.0

/// Decides what runs and when. Pure: the same events at the same instants give the same actions. The host calls
/// `handle`, makes every change in the returned list durable, then performs the actions in order.
package struct Engine: Sendable {
    let setup: Setup
    var device: DeviceState
    var facts: AppFacts
    var pending = PendingRequests()
    /// By attempt id, ascending.
    var running: [RunningAttempt] = []
    /// In the order of the declarations.
    var tasks: [TaskState] = []
    var groups: [GroupState] = []
    var runningByKind = [Int](repeating: 0, count: TaskKind.allCases.count + 1)
    /// The conditions and factors that hold, as of `gateSeen`.
    var gate: LaunchGate
    /// The newest date of an event.
    var gateSeen: WallTime?
    /// When a factor may change without an event.
    var gateFlips: WallTime?
    /// When the contention of processor, memory or disk began.
    var contendedSince: WallTime?
    /// When each condition of `Conditions.each` last changed; nil: before the first event.
    var conditionsSince = [WallTime?](repeating: nil, count: Conditions.each.count)
    /// When each factor last changed.
    var factorsSince = [WallTime?](repeating: nil, count: Factor.allCases.count)
    var nextRequestID: Int64
    var nextAttemptID: Int64
    var isShuttingDown = false
    /// Since when the machine has been about to sleep; nil otherwise.
    var suspendingSince: WallTime?
    /// Since when another manifest has been about to take effect; nil otherwise.
    var reloadingSince: WallTime?
    /// Its share of the slots that the apps of a machine share; nil without other apps.
    var share: Share?
    /// The resource that is short; nil without a shortage.
    var shortage: Shortage?
    /// The date at which the next unlaunched occurrence is given up, or an earlier one.
    var expiry: WallTime?
    /// The random numbers of one event, from a seed of the host's generator.
    var random = SplitMix(seed: 0)
    var wake: Int64?
    /// Whether the current event has waited for a busy store.
    var isLate = false

    struct TaskState: Sendable {
        let declaration: TaskDeclaration
        let requestClass: Int
        /// The minimum time between its launches while no attempt missed its completion.
        let regularSpacing: Interval
        var lastLaunch: WallTime?
        /// The launch from which the next one is spaced.
        var spacedFrom: WallTime?
        /// The previous one, in case that launch is withdrawn.
        var spacedBefore: WallTime?
        /// Whether its last attempt yielded to contention.
        var hasYielded = false
        /// When an occurrence is given up. Cached, since it takes a search of the calendar.
        var expiry: (occurrence: WallTime, date: WallTime, end: WallTime)?
    }

    struct GroupState: Sendable {
        let name: String
        var limit: Int
        var running = 0
    }

    /// bgrun did not write larger numbers to a store; continuing from this one cannot overflow.
    private static let lastID = Int64(1) << 61

    /// A request whose identifier the manifest no longer declares stays stored and is not loaded; neither is a second
    /// one of a pending identifier.
    /// - Parameter isOffline: Whether no host runs: the engine launches nothing.
    package init(
        _ configuration: Configuration, device: DeviceState,
        restoring restoration: Restoration = Restoration(), isOffline: Bool = false
    ) {
        setup = Setup(configuration, isOffline: isOffline)
        self.device = device
        facts = restoration.facts
        gate = LaunchGate(conditions: [], factors: .all)
        nextRequestID = max(1, min(restoration.nextRequestID, Self.lastID))
        nextAttemptID = max(1, min(restoration.nextAttemptID, Self.lastID))
        begin(on: device)
        pending.count(restoration.notLoaded)
        pending.reserveCapacity(restoration.requests.count)
        addTasks(restoration.lastLaunches)
        for request in restoration.requests {
            guard !pending.isPending(request.identifier),
                let task = setup.admission.index(for: request.identifier)
            else { continue }
            restore(request, task: task)
        }
    }

    /// Sets the state of the device before the first event.
    package mutating func begin(on device: DeviceState) {
        self.device = device
        gate.conditions = device.satisfiedConditions(policy: configuration.policy)
        gate.powerWait = device.powerPreferenceWait(policy: configuration.policy)
    }

    private mutating func addTasks(_ lastLaunches: [String: WallTime]) {
        gate.notBefore = [Int64](repeating: .min, count: configuration.declarations.count)
        for (task, declaration) in configuration.declarations.enumerated() {
            let last = lastLaunches[declaration.identifier]
            let spacing = configuration.policy.spacing(of: declaration.kind, missedCompletions: 0)
            let requestClass = pending.requestClass(
                RequestClass(
                    declaration, group: declaration.group.map { group($0) },
                    policy: setup.configuration.policy))
            tasks.append(
                TaskState(
                    declaration: declaration, requestClass: requestClass, regularSpacing: spacing,
                    lastLaunch: last,
                    spacedFrom: remembersSpacing(of: declaration.kind, regular: spacing)
                        ? facts.spacedFrom[declaration.identifier] : last))
            updateSpacing(of: task)
        }
        gate.fullGroups = groups.map { $0.limit <= 0 }
    }

    /// The index of the group, which gets the smallest limit declared for it.
    private mutating func group(_ group: TaskDeclaration.Group) -> Int {
        if let index = groups.firstIndex(where: { $0.name == group.name }) {
            groups[index].limit = min(groups[index].limit, group.limit)
            return index
        }
        groups.append(GroupState(name: group.name, limit: group.limit))
        return groups.count - 1
    }

    /// Handles one event and returns the resulting actions. `rng` is for rules that spread work in time.
    package mutating func handle(
        _ event: Event, at now: Instant, using rng: inout some RandomNumberGenerator
    ) -> [Action] {
        var actions: [Action] = []
        actions.reserveCapacity(8)
        handle(event, at: now, using: &rng, into: &actions)
        return actions
    }

    /// The same, but appends the actions to `actions`: a caller with many events reuses one array.
    package mutating func handle(
        _ event: Event, at now: Instant, using rng: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        if setup.hasJitter { random = SplitMix(seed: rng.next()) }
        if catchUp(with: event, at: now, &actions) { return }
        followClock(to: now, &actions)
        respond(to: event, at: now, &actions)
        descendLadders(at: now, &actions)
        relaxShortage(at: now, &actions)
        // The state of the device is not known yet.
        if case .recover = event {
        } else {
            launchDue(by: now.wall, at: now, &actions)
        }
        share?.granted = 0
        updateWake(at: now, &actions)
    }

    package var configuration: Configuration { setup.configuration }

    package var isIdle: Bool { pending.count == 0 && running.isEmpty }

    package var hasNoAttempt: Bool { running.isEmpty }

    /// Whether `shutdown` was received: nothing is launched any more.
    package var isEnding: Bool { isShuttingDown }

    /// The last known state of the device.
    package var deviceState: DeviceState { device }

    /// Whether `suspending` was received without `resumed`.
    package var isSuspending: Bool { suspendingSince != nil }

    /// Whether `manifestChanged` was received: an engine of another manifest takes over.
    package var isReloading: Bool { reloadingSince != nil }

    /// Whether one more attempt would be launched if the other apps of the machine left a slot.
    package var wantsMoreSlots: Bool { share?.wantsMore ?? false }

    /// Whether anything may be launched at all.
    var mayLaunch: Bool { !isShuttingDown && !isSuspending && !isReloading && !setup.isOffline }

    /// Everything on which a launch or a running attempt now depends.
    package var needs: Needs {
        var needs = running.reduce(into: pending.needs) { needs, attempt in
            needs.conditions.formUnion(attempt.requestClass.conditions)
            needs.factors.formUnion(attempt.requestClass.factors)
        }
        if configuration.policy.pressureWait == .zero { needs.factors.remove(.init(.pressure)) }
        return needs
    }

    package var appFacts: AppFacts { facts }

    /// Every pending request in launch order.
    package var pendingRequests: [TaskRequest] { pending.all }

    /// The first `limit` pending requests in launch order, in a time that depends only on `limit`.
    package func pendingRequests(first limit: Int) -> ArraySlice<TaskRequest> {
        pending.first(limit)
    }

    package var pendingCount: Int { pending.count }

    package func pendingRequest(_ identifier: String) -> TaskRequest? {
        pending.request(identifier)
    }

    /// The identifier of any pending request of that kind that `matches`; of any request if there are too many to
    /// search.
    package func firstPending(of kind: TaskKind, where matches: (String) -> Bool) -> String? {
        pending.first(of: kind, where: matches)
    }

    package func declaration(for identifier: String) -> TaskDeclaration? {
        setup.admission.declaration(for: identifier)
    }

    package func runningAttempt(_ identifier: String) -> Attempt? {
        running.first { $0.attempt.request.identifier == identifier }?.attempt
    }

    mutating func respond(to event: Event, at now: Instant, _ actions: inout [Action]) {
        switch event {
        case .recover(let attempts):
            for attempt in attempts { recover(attempt, at: now, &actions) }
        case .start, .startOnce:
            reviseOccurrences(isStart: event == .start, at: now, &actions)
            submitLaunchTasks(at: now, &actions)
            submitTriggered(by: .launch, at: now, &actions)
        case .submit(let submission, let ticket):
            submit(submission, ticket: ticket, at: now, &actions)
        case .cancel(let identifier, let ticket):
            cancel([identifier], ticket: ticket, &actions)
        case .cancelAll(let ticket):
            cancel(pending.all.map(\.identifier), ticket: ticket, &actions)
        case .cancelAnnotated(let word, let ticket):
            let found = pending.all.filter { $0.annotations.has(word) }
            cancel(found.map(\.identifier), ticket: ticket, &actions)
        case .trigger(let submission, let ticket):
            trigger(submission, ticket: ticket, at: now, &actions)
        case .expire(let identifier, let reason, let ticket):
            actions += expire(identifier, reason, ticket: ticket, at: now)
        case .attemptWaits(let attempt):
            change(attempt) { $0.wait() }
        case .attemptBegan(let attempt):
            let policy = configuration.policy
            change(attempt) { $0.begin(at: now, policy: policy) }
        case .attemptReported(let attempt):
            let limit = configuration.policy.assertionLimit
            change(attempt) { $0.linger(at: now, assertionLimit: limit) }
        case .launchDeferred(let attempts, let resource):
            deferLaunches(attempts, for: resource, at: now, &actions)
        // Handled before.
        case .launchesDelayed, .launchesEnd, .late: return
        case .attemptEnded(let attempt, let outcome):
            end(attempt, outcome, at: now, &actions)
        case .progress(let attempt, let completed, let total):
            change(attempt) { $0.note(completed: completed, total: total, at: now) }
        case .assertionBegan(let attempt, let id): change(attempt) { $0.beginAssertion(id) }
        case .assertionEnded(let attempt, let id):
            change(attempt) { $0.endAssertion(id, at: now) }
        case .appOpened(let ticket):
            open(ticket: ticket, at: now, &actions)
        case .appForceQuit(let ticket):
            forceQuit(ticket: ticket, at: now, &actions)
        case .refreshSwitch(let state, let ticket):
            actions += switchRefresh(state, ticket: ticket, at: now)
        case .deviceChanged(let state):
            actions += changeDevice(to: state, at: now)
        case .suspending(let time):
            suspend(within: time, at: now, &actions)
        case .resumed:
            suspendingSince = nil
            submitTriggered(by: .resume, at: now, &actions)
        case .slept:
            expireOverslept(at: now, &actions)
            submitTriggered(by: .resume, at: now, &actions)
        case .manifestChanged(let attempts):
            prepareReload(stopping: attempts, at: now, &actions)
        case .manifestLoaded(let added):
            resume(withNew: added, at: now, &actions)
        case .granted(let count):
            share = Share(granted: max(0, count))
        case .shareReclaimed(let count):
            reclaim(count, at: now, &actions)
        case .timer:
            return
        case .closeAdmission:
            gate.lastID = min(gate.lastID, nextRequestID - 1)
        case .shutdown:
            isShuttingDown = true
            expireAll(.shutdown, at: now, &actions)
        }
    }

    private mutating func change(_ attempt: Int64, _ change: (inout RunningAttempt) -> Void) {
        if let index = running.index(of: attempt) { change(&running[index]) }
    }

    private mutating func descendLadders(at now: Instant, _ actions: inout [Action]) {
        for index in running.indices {
            guard let deadline = running[index].deadline,
                deadline <= now.elapsed
            else { continue }
            actions += running[index].descend(at: now, policy: configuration.policy)
        }
    }

    /// When something may be launched without an event.
    private mutating func nextDate(after now: WallTime) -> WallTime? {
        var next = pending.nextDate
        if let date = pending.nextPreference(through: gate, after: now) {
            next = min(next ?? date, date)
        }
        if let gateFlips, gateFlips > now, !pending.neededFactors.isSubset(of: gate.factors) {
            next = min(next ?? gateFlips, gateFlips)
        }
        if let expiry { next = min(next ?? expiry, expiry) }
        return next
    }

    /// Requests a new timer if the earliest due instant has changed.
    private mutating func updateWake(at now: Instant, _ actions: inout [Action]) {
        var earliest = running.nextDeadline
        // An attempt launched beside one that exceeds the budget may have no time left.
        while let due = earliest, due <= now.elapsed {
            descendLadders(at: now, &actions)
            earliest = running.nextDeadline
        }
        if let shortage { earliest = min(shortage.retryAt, earliest ?? .max) }
        if mayLaunch, pending.count > 0, let date = nextDate(after: now.wall) {
            let wait = max(.zero, now.wall.interval(until: date))
            earliest = min(now.elapsed.saturatingAdding(wait.nanoseconds), earliest ?? .max)
        }
        // A timer fires once: the same instant must be set again.
        if let set = wake, set <= now.elapsed { wake = nil }
        // Dates move against the elapsed clock by the rounding of a millisecond: keep such a timer.
        if let earliest, let wake, earliest.saturatingSubtracting(wake).magnitude < 1_000_000 {
            return
        }
        guard earliest != wake else { return }
        wake = earliest
        actions.append(.wake(elapsed: earliest))
    }
}
