// SPDX-License-Identifier: Apache-2.0

public import BGRunPluginRuntime
public import Foundation
import Synchronization

/// A host in the test's own process, with a device and a clock that do what the test says. Handlers
/// are launched and expired as bgrun does it, through the plugin ABI, and nothing waits for real
/// time.
///
///     let scheduler = SimulatedScheduler(tasks: ["com.example.photos.refresh": .appRefresh])
///     try await scheduler.run {
///         scheduler.launchApp { Photos.registerHandlers() }
///         Photos.scheduleRefresh()
///         let attempt = try await scheduler.simulateLaunch(
///             forTaskWithIdentifier: "com.example.photos.refresh")
///         #expect(try await attempt.completion().success)
///     }
///
/// Every scheduler is an app of its own: tests run in parallel. Inside `run`, and in what the
/// handlers call directly or in Swift tasks, `BGTaskScheduler.shared` and `UIApplication.shared`
/// are this one's; in callbacks of other queues and threads they are not. It lives until the
/// process ends. May be used from any thread.
public final class SimulatedScheduler: Sendable {
    /// A line of the log.
    public struct LogLine: Sendable, Equatable {
        public let level: PluginRuntime.LogLevel
        public let message: String

        public init(level: PluginRuntime.LogLevel, message: String) {
            self.level = level
            self.message = message
        }
    }

    struct State: Sendable {
        var pending: [String: SimulatedRequest] = [:]
        var attempts: [SimulatedAttempt] = []
        var checkpoints: [String: PluginCheckpoint] = [:]
        var log: [LogLine] = []
        var misuses: [String] = []
        var device = PluginDevice()
        var handler: RegisteredHandler?
        var deviceObservers: [DeviceObserver] = []
        var nextAssertion: Int64 = 1
        /// Those whose end was not taken in.
        var transfers: [SimulatedTransfer] = []
        var createdTransfers: Int64 = 0
        var endedTransfers = 0
        /// What is held for each task of kind `push`, oldest first.
        var pushes: [String: [PluginPushMessage]] = [:]
    }

    public let clock: ManualClock
    /// The app's identifier.
    public let app: String
    /// What the manifest says; a key may end in `.*`.
    public let tasks: [String: SimulatedTask]
    public let modes: Set<SimulatedMode>
    /// Absolute; relative paths in parameters start here.
    public let manifestDirectory: String
    /// The time from expiration to SIGTERM.
    public let grace: Duration
    let runtime: PluginRuntime
    let state: Watched<State>

    /// The scheduler whose app is being launched: the device is read without an attempt then.
    @TaskLocal static var launching: SimulatedScheduler?

    /// - Parameters:
    ///   - tasks: what the manifest says of each identifier; others are not permitted.
    ///   - modes: what the app declares; all unless given.
    public init(
        app: String = "com.example.app", tasks: [String: SimulatedTask],
        modes: Set<SimulatedMode> = Set(SimulatedMode.allCases),
        clock: ManualClock = ManualClock(), grace: Duration = .seconds(5),
        manifestDirectory: String = FileManager.default.currentDirectoryPath
    ) {
        self.clock = clock
        self.app = app
        self.tasks = tasks
        self.modes = modes
        self.manifestDirectory = manifestDirectory
        self.grace = grace
        let state = Watched(State())
        self.state = state
        runtime = PluginRuntime { text in state.change { $0.misuses.append(text) } }
    }

    /// Runs `body` with this as the scheduler of `BGTaskScheduler.shared`.
    public nonisolated(nonsending) func run<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await runtime.withCurrent(body)
    }

    // MARK: what is there to see

    /// What waits, in the order of the identifiers.
    public var pendingRequests: [SimulatedRequest] {
        state.value.pending.values.sorted { $0.identifier < $1.identifier }
    }

    /// Every launch so far, in order.
    public var attempts: [SimulatedAttempt] { state.value.attempts }

    /// The identifiers and patterns that have a launch handler, sorted.
    public var registeredIdentifiers: [String] { runtime.registeredIdentifiers }

    /// What was written to the host's log.
    public var log: [LogLine] { state.value.log }

    /// The rules that were broken which Apple raises an exception for, and bgrun ends the process
    /// for.
    public var misuses: [String] { state.value.misuses }

    /// Returns once a line of the log contains `text`.
    public func logged(_ text: String) async throws {
        try await state.wait { $0.log.contains { $0.message.contains(text) } }
    }

    /// The checkpoint an identifier has left, decoded from JSON; nil without one.
    public func checkpoint<Value: Decodable>(
        for identifier: String, as type: Value.Type = Value.self
    ) throws -> Value? {
        try state.value.checkpoints[identifier].map {
            try JSONDecoder().decode(type, from: Data($0.data))
        }
    }

    /// The device; all readings are unknown at first.
    public var device: PluginDevice { state.value.device }
}
