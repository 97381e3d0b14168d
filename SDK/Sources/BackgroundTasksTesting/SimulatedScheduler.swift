// SPDX-License-Identifier: Apache-2.0

public import BGRunPluginRuntime
public import Foundation
import Synchronization

/// A host in the test's process, with a device and a clock that the test controls. Launches and
/// expires handlers as bgrun does, through the plugin ABI, without waiting for real time.
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
/// Every scheduler is a separate app: tests can run in parallel. Inside `run`, and in code that the
/// handlers call directly or in Swift tasks, `BGTaskScheduler.shared` and `UIApplication.shared`
/// are those of this scheduler; in callbacks of other queues and threads they are not. It lives
/// until the process ends. Thread-safe.
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
        /// The transfers whose end was not acknowledged.
        var transfers: [SimulatedTransfer] = []
        var createdTransfers: Int64 = 0
        var endedTransfers = 0
        /// The messages held for each task of kind `push`, oldest first.
        var pushes: [String: [PluginPushMessage]] = [:]
    }

    public let clock: ManualClock
    /// The app's identifier.
    public let app: String
    /// The tasks of the manifest; a key may end in `.*`.
    public let tasks: [String: SimulatedTask]
    public let modes: Set<SimulatedMode>
    /// Absolute; the base of relative paths in parameters.
    public let manifestDirectory: String
    /// The time from expiration to SIGTERM.
    public let grace: Duration
    let runtime: PluginRuntime
    let state: Watched<State>

    /// The scheduler whose app is being launched: the device is then read without an attempt.
    @TaskLocal static var launching: SimulatedScheduler?

    /// - Parameters:
    ///   - tasks: the manifest's task of each identifier; others are not permitted.
    ///   - modes: the modes that the app declares; by default all.
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

    // MARK: state

    /// The pending requests, sorted by identifier.
    public var pendingRequests: [SimulatedRequest] {
        state.value.pending.values.sorted { $0.identifier < $1.identifier }
    }

    /// All launches so far, in order.
    public var attempts: [SimulatedAttempt] { state.value.attempts }

    /// The identifiers and patterns with a launch handler, sorted.
    public var registeredIdentifiers: [String] { runtime.registeredIdentifiers }

    /// The lines of the host's log.
    public var log: [LogLine] { state.value.log }

    /// The broken rules for which Apple raises an exception, and bgrun ends the process.
    public var misuses: [String] { state.value.misuses }

    /// Returns once a line of the log contains `text`.
    public func logged(_ text: String) async throws {
        try await state.wait { $0.log.contains { $0.message.contains(text) } }
    }

    /// The checkpoint of an identifier, decoded from JSON; nil without one.
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
