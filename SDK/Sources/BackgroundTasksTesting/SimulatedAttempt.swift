// SPDX-License-Identifier: Apache-2.0

public import BGRunPluginRuntime

/// One launch of a task under a `SimulatedScheduler`, with all actions of its handler.
public final class SimulatedAttempt: Sendable {
    /// The report of the handler.
    public struct Completion: Sendable, Equatable {
        public let success: Bool
        /// For people.
        public let message: String?
        /// Whether its time was revoked before it reported.
        public let isExpired: Bool

        public init(success: Bool, message: String? = nil, isExpired: Bool = false) {
            self.success = success
            self.message = message
            self.isExpired = isExpired
        }
    }

    /// One report of progress.
    public struct Progress: Sendable, Equatable {
        public let completed: Int64
        /// 0 or less: unknown.
        public let total: Int64

        public init(completed: Int64, total: Int64) {
            self.completed = completed
            self.total = total
        }
    }

    struct State: Sendable {
        var completion: Completion?
        var progress: [Progress] = []
        var title: String?
        var subtitle: String?
        var checkpoints: [PluginCheckpoint] = []
        var assertions: [Int64: String] = [:]
        var isHandlerReady = false
        var isLaunchOver = false
        var expiredAt: ManualClock.Instant?
        var grace = Duration.zero
        var shouldDefer = false
        var isKilled = false
    }

    public let identifier: String
    public let kind: PluginTask.Kind
    /// 1 for the first attempt of its identifier.
    public let number: Int
    /// A JSON object.
    public let parameters: String
    /// The deadline at launch.
    let deadline: ManualClock.Instant
    let requirements: Set<SimulatedTask.Requirement>
    let scheduler: SimulatedScheduler
    let state = Watched(State())

    init(
        _ request: SimulatedRequest, of task: SimulatedTask, number: Int,
        under scheduler: SimulatedScheduler
    ) {
        identifier = request.identifier
        kind = request.kind
        self.number = number
        parameters = request.parameters
        deadline = scheduler.clock.now.advanced(by: task.timeLimit)
        requirements = request.requirements
        self.scheduler = scheduler
    }

    // MARK: records

    /// The handler's report; nil before that.
    public var reported: Completion? { state.value.completion }

    /// All progress reports, in order.
    public var progress: [Progress] { state.value.progress }

    /// The title shown beside the progress.
    public var title: String? { state.value.title }
    public var subtitle: String? { state.value.subtitle }

    /// All checkpoints that the handler has stored, in order.
    public var checkpoints: [PluginCheckpoint] { state.value.checkpoints }

    /// The names of the assertions it holds.
    public var assertions: [String] {
        state.value.assertions.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Whether its time was revoked.
    public var isExpired: Bool { state.value.expiredAt != nil }

    /// Whether all of it has ended.
    public var isOver: Bool { state.value.isOver }

    // MARK: waiting

    /// Returns the handler's report, once there is one.
    ///
    /// - Throws: `SimulationError.killed` if the grace period ends first, `CancellationError`
    ///   if the waiting Swift task is cancelled.
    public func completion() async throws -> Completion {
        try await state.wait { $0.completion != nil || $0.isKilled }
        guard let completion = reported else { throw SimulationError.killed(identifier) }
        return completion
    }

    /// Returns once the attempt is over: reported, its assertions ended, its handlers returned.
    public func end() async throws {
        try await state.wait(until: \.isOver)
    }

    /// Returns once this progress is reported, in the handler's units (`Progress.completedUnitCount`).
    /// Throws `SimulationError.ended` if the attempt is over before that.
    public func progress(reaches completed: Int64) async throws {
        try await wait { state in state.progress.contains { $0.completed >= completed } }
    }

    /// Returns the `count`th checkpoint, once it is stored. Throws `SimulationError.ended` if the attempt
    /// is over before that.
    @discardableResult
    public func checkpoint(_ count: Int = 1) async throws -> PluginCheckpoint {
        try await wait { $0.checkpoints.count >= count }
        return checkpoints[count - 1]
    }

    private func wait(_ isReached: @escaping @Sendable (State) -> Bool) async throws {
        try await state.wait { isReached($0) || $0.isOver }
        guard isReached(state.value) else { throw SimulationError.ended(identifier) }
    }

    // MARK: events

    /// Requests the work to stop at the next suitable point.
    public func requestDeferral() {
        state.change { $0.shouldDefer = true }
    }
}

extension SimulatedAttempt.State {
    var isOver: Bool { isKilled || isLaunchOver }
}
