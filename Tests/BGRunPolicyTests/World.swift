// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// An engine with its own clocks: handles events, and keeps the actions of the last one.
struct World {
    var engine: Engine
    var elapsed: Int64 = 1_000_000_000_000
    var wall = WallTime(milliseconds: 1_700_000_000_000)
    /// The actions of the last event.
    private(set) var actions: [Action] = []
    /// The number of launches so far.
    private(set) var launchCount = 0
    /// The facts of the app that a store would have.
    private(set) var remembered: [String: Int64] = [:]
    /// The elapsed time at which the timer fires; nil without a timer.
    private(set) var wake: Int64?
    private var random: SplitMix

    init(
        _ declarations: [TaskDeclaration], policy: Policy = .apple,
        modes: Set<Mode> = Set(Mode.allCases), permitted: [String]? = nil,
        device: DeviceState = DeviceState(),
        restoring restoration: Engine.Restoration = Engine.Restoration(), seed: UInt64 = 1,
        usageZone: ZoneRules = .utc
    ) {
        random = SplitMix(seed: seed)
        let configuration = Engine.Configuration(
            permitted: permitted ?? declarations.map(\.identifier), declarations: declarations,
            modes: modes, policy: policy, usageZone: usageZone)
        engine = Engine(configuration, device: device, restoring: restoration)
    }

    var now: Instant { Instant(elapsed: elapsed, wall: wall) }

    /// Advances both clocks.
    mutating func pass(_ interval: Interval) {
        elapsed += interval.nanoseconds
        wall = wall.advanced(by: interval)
    }

    /// Sets the calendar clock.
    mutating func setClock(by interval: Interval) {
        wall = wall.advanced(by: interval)
    }

    /// Continues with an engine of these declarations. Returns false if the old engine must remain.
    @discardableResult
    mutating func reload(
        _ declarations: [TaskDeclaration], policy: Policy? = nil,
        stored: Engine.Restoration = Engine.Restoration()
    ) -> Bool {
        let configuration = Engine.Configuration(
            permitted: declarations.map(\.identifier), declarations: declarations,
            modes: Set(Mode.allCases), policy: policy ?? engine.configuration.policy)
        guard let next = Engine(configuration, continuing: engine, stored: stored) else {
            return false
        }
        engine = next
        return true
    }

    @discardableResult
    mutating func handle(_ event: Event, after interval: Interval = .zero) -> [Action] {
        pass(interval)
        // The timer fires once.
        if let wake, wake <= elapsed { self.wake = nil }
        actions = engine.handle(event, at: now, using: &random)
        for case .wake(let instant) in actions { wake = instant }
        launchCount += launched.count
        for case .remember(let facts) in actions {
            for fact in facts { remembered[fact.name] = fact.value }
        }
        return actions
    }

    /// Advances the clocks until the timer fires. Returns false if no timer is set.
    @discardableResult
    mutating func passUntilTimer() -> Bool {
        guard let wake else { return false }
        pass(Interval(nanoseconds: max(0, wake - elapsed)))
        handle(.timer)
        return true
    }

    /// Submits a request. Returns the answer.
    @discardableResult
    mutating func submit(
        _ identifier: String, delay: Interval? = nil, parameters: String? = nil,
        isFromApp: Bool = false, isFromOwnTask: Bool = false, after interval: Interval = .zero
    ) -> Reply? {
        pass(interval)
        var submission = Submission(
            identifier: identifier, delay: delay, parameters: parameters, isFromApp: isFromApp)
        if isFromOwnTask { submission.isFromOwnTask = true }
        handle(.submit(submission, ticket: 7))
        return reply
    }

    /// Ends the running attempt of `identifier`.
    @discardableResult
    mutating func end(
        _ identifier: String, _ outcome: Outcome = .completed, after interval: Interval = .zero
    ) -> [Action] {
        handle(
            .attemptEnded(attempt: engine.runningAttempt(identifier)?.id ?? 0, outcome),
            after: interval)
    }

    func isRunning(_ identifier: String) -> Bool { engine.runningAttempt(identifier) != nil }
    func isPending(_ identifier: String) -> Bool { engine.pendingRequest(identifier) != nil }

    /// The time until the pending request of `identifier` may be launched.
    func delay(of identifier: String) -> Interval? {
        engine.pendingRequest(identifier)?.earliest.map {
            .milliseconds($0.milliseconds - wall.milliseconds)
        }
    }

    // Results of the last event.

    var reply: Reply? {
        for case .reply(7, let reply) in actions { return reply }
        return nil
    }

    var launched: [String] {
        actions.compactMap {
            if case .launch(let attempt) = $0 { attempt.request.identifier } else { nil }
        }
    }

    var expired: [StopReason] {
        actions.compactMap { if case .expire(_, let reason, _, _) = $0 { reason } else { nil } }
    }

    /// The identifiers of attempts that the last event expired.
    var expiredIdentifiers: [String] {
        records.compactMap {
            if case .expiring(let identifier, _, _) = $0 { identifier } else { nil }
        }
    }

    func reason(_ identifier: String) -> PendingReason? {
        engine.pendingReason(identifier, at: wall)
    }

    var records: [Record] {
        actions.compactMap { if case .record(let record) = $0 { record } else { nil } }
    }

    var stored: [TaskRequest] {
        actions.compactMap { if case .store(let request) = $0 { request } else { nil } }
    }
}

extension TaskDeclaration {
    /// A processing task that is submitted manually.
    static func task(
        _ identifier: String, kind: TaskKind = .processing, requires: Conditions = [],
        earliest: Interval = .zero, every: Interval? = nil, schedule: Schedule? = nil,
        submission: Submission = .manual,
        timeLimit: Interval? = nil, grace: Interval? = nil, retry: RetryRule? = nil,
        overlap: Overlap = .queue, catchUp: CatchUp = .one, jitter: Interval = .zero,
        group: Group? = nil, strategy: Strategy = .queue, startDeadline: Interval? = nil,
        triggers: Triggers = []
    ) -> TaskDeclaration {
        TaskDeclaration(
            identifier: identifier, kind: kind, requires: requires, earliest: earliest,
            schedule: schedule ?? every.map { .every($0) }, submission: submission,
            timeLimit: timeLimit, grace: grace, retry: retry,
            overlap: overlap, catchUp: catchUp, jitter: jitter, group: group, strategy: strategy,
            startDeadline: startDeadline, triggers: triggers)
    }
}

extension World {
    /// Tasks of kind push on battery, whose launches are not spaced.
    static func pushes(
        _ identifiers: String..., timeLimit: Interval? = .minutes(20), policy: Policy = .apple
    ) -> World {
        var policy = policy
        policy.pushSpacing = .zero
        return World(
            identifiers.map { .task($0, kind: .push, timeLimit: timeLimit) }, policy: policy,
            device: .battery)
    }
}

extension DeviceState {
    /// A device that spends the budget.
    static let battery = DeviceState(externalPower: .no, batteryPercent: 90)
}

extension Policy {
    /// `apple` for a device that is used all the time.
    static var used: Policy {
        var policy = Policy.apple
        policy.processingNeedsIdle = false
        return policy
    }

    /// `apple` with `count` concurrent attempts.
    static func atOnce(_ count: Int) -> Policy {
        var policy = Policy.apple
        policy.concurrentAttempts = count
        policy.concurrencyLimits.processing = 1024
        return policy
    }
}
