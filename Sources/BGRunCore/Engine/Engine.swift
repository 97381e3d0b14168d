// SPDX-License-Identifier: Apache-2.0

/// Decides what runs and when. Pure: it reads no clock, does no I/O and holds no reference; the same
/// events at the same instants give the same actions.
///
/// The host calls `handle`, makes every change in the returned list durable, then performs the
/// actions in order.
public struct Engine: Sendable {
    public let configuration: Configuration
    var admission: AdmissionRule
    var device: DeviceState
    var satisfied: Conditions
    var pending = PendingRequests()
    /// By attempt id, ascending.
    var running: [RunningAttempt] = []
    var lastLaunches: [String: WallTime]
    var nextRequestID: Int64
    var nextAttemptID: Int64
    /// Requests above this id are not launched any more.
    var lastLaunchableID = Int64.max
    var isShuttingDown = false
    private var wake: Int64?

    /// What the manifest declares.
    public struct Configuration: Sendable {
        public var permitted: [String]
        public var declarations: [TaskDeclaration]
        public var modes: Set<Mode>
        public var policy: Policy

        public init(
            permitted: [String], declarations: [TaskDeclaration], modes: Set<Mode>, policy: Policy
        ) {
            self.permitted = permitted
            self.declarations = declarations
            self.modes = modes
            self.policy = policy
        }
    }

    /// What the store remembers.
    public struct Restoration: Sendable {
        public var requests: [TaskRequest]
        /// When each periodic identifier was last launched.
        public var lastLaunches: [String: WallTime]
        public var nextRequestID: Int64
        public var nextAttemptID: Int64

        public init(
            requests: [TaskRequest] = [], lastLaunches: [String: WallTime] = [:],
            nextRequestID: Int64 = 1, nextAttemptID: Int64 = 1
        ) {
            self.requests = requests
            self.lastLaunches = lastLaunches
            self.nextRequestID = nextRequestID
            self.nextAttemptID = nextAttemptID
        }
    }

    /// A request whose identifier the manifest no longer declares stays stored and is not loaded:
    /// it waits for a manifest that declares it.
    public init(
        _ configuration: Configuration, device: DeviceState,
        restoring restoration: Restoration = Restoration()
    ) {
        self.configuration = configuration
        self.device = device
        satisfied = device.satisfiedConditions(policy: configuration.policy)
        admission = AdmissionRule(
            permitted: configuration.permitted, declarations: configuration.declarations,
            modes: configuration.modes, policy: configuration.policy)
        lastLaunches = restoration.lastLaunches
        nextRequestID = restoration.nextRequestID
        nextAttemptID = restoration.nextAttemptID
        pending.reserveCapacity(restoration.requests.count)
        for request in restoration.requests {
            guard let declaration = admission.declaration(for: request.identifier) else { continue }
            pending.insert(request, requires: declaration.requires)
        }
    }

    /// Takes one event and says what is to be done about it. `rng` is there for rules that spread
    /// work in time; the engine has no randomness of its own.
    public mutating func handle(
        _ event: Event, at now: Instant, using rng: inout some RandomNumberGenerator
    ) -> [Action] {
        var actions = respond(to: event, at: now)
        actions += descendLadders(at: now)
        actions += launchEligible(at: now)
        actions += updateWake(at: now)
        return actions
    }

    /// Whether nothing is pending and nothing is running.
    public var isIdle: Bool { pending.count == 0 && running.isEmpty }

    /// Whether no attempt is running.
    public var hasNoAttempt: Bool { running.isEmpty }

    /// Whether `shutdown` has come: nothing is launched any more.
    public var isEnding: Bool { isShuttingDown }

    /// The device as the engine last heard of it.
    public var deviceState: DeviceState { device }

    /// Every condition on which a launch or a running attempt depends now.
    public var neededConditions: Conditions {
        running.reduce(into: pending.awaited) { $0.formUnion($1.requires) }
    }

    /// Every pending request in launch order.
    public var pendingRequests: [TaskRequest] { pending.all }

    /// The first `limit` pending requests in launch order, in a time that grows with `limit` only.
    public func pendingRequests(first limit: Int) -> ArraySlice<TaskRequest> {
        pending.first(limit)
    }

    public var pendingCount: Int { pending.count }

    public func pendingRequest(_ identifier: String) -> TaskRequest? { pending.request(identifier) }

    /// The running attempt of `identifier`.
    public func runningAttempt(_ identifier: String) -> Attempt? {
        running.first { $0.attempt.request.identifier == identifier }?.attempt
    }

    private mutating func respond(to event: Event, at now: Instant) -> [Action] {
        switch event {
        case .recover(let attempts):
            return attempts.flatMap { recover($0, at: now) }
        case .start:
            return submitLaunchTasks(at: now)
        case .submit(let submission, let ticket):
            return submit(submission, ticket: ticket, at: now)
        case .cancel(let identifier, let ticket):
            return cancel([identifier], ticket: ticket)
        case .cancelAll(let ticket):
            return cancel(pending.all.map(\.identifier), ticket: ticket)
        case .trigger(let submission, let ticket):
            return trigger(submission, ticket: ticket, at: now)
        case .expire(let identifier, let reason, let ticket):
            return expire(identifier, reason, ticket: ticket, at: now)
        case .attemptReported(let attempt):
            guard let index = running.firstIndex(where: { $0.attempt.id == attempt }) else {
                return []
            }
            running[index].linger(at: now)
            return []
        case .attemptEnded(let attempt, let outcome):
            return end(attempt, outcome, at: now)
        case .deviceChanged(let state):
            return changeDevice(to: state, at: now)
        case .timer:
            return []
        case .closeAdmission:
            lastLaunchableID = min(lastLaunchableID, nextRequestID - 1)
            return []
        case .shutdown:
            isShuttingDown = true
            return running.indices.flatMap { index in
                running[index].expire(.shutdown, grace: running[index].grace, at: now)
            }
        }
    }

    private mutating func descendLadders(at now: Instant) -> [Action] {
        let wait = configuration.policy.terminationWait
        return running.indices.flatMap { running[$0].descend(at: now, terminationWait: wait) }
    }

    /// Asks for a new timer when the earliest thing that is due has changed.
    private mutating func updateWake(at now: Instant) -> [Action] {
        var earliest = running.compactMap(\.deadline).min()
        if !isShuttingDown, let date = pending.nextDate {
            let wait = max(.zero, now.wall.interval(until: date))
            earliest = min(now.elapsed.saturatingAdding(wait.nanoseconds), earliest ?? .max)
        }
        // A timer goes off once: the same instant must be asked for again.
        if let set = wake, set <= now.elapsed { wake = nil }
        // Dates move against the elapsed clock by the rounding of a millisecond; a timer that is as
        // good as set already is left alone.
        if let earliest, let wake, earliest.saturatingSubtracting(wake).magnitude < 1_000_000 {
            return []
        }
        guard earliest != wake else { return [] }
        wake = earliest
        return [.wake(elapsed: earliest)]
    }
}
