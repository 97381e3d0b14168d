// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import BackgroundTasks
import CBGRunPlugin
import Foundation
import Synchronization

/// A host in this process, behind the same C table as the real one, with a plugin attached to it.
final class FakeHost: Sendable {
    let runtime: PluginRuntime
    let scheduler: BGTaskScheduler
    let state: Mutex<State>
    /// The address of the C table.
    let table: UInt

    struct State {
        /// The kinds that `bgrun.app/1` returns; nil for a host without it.
        var kinds: [String: Int32]?
        /// Whether it is of ABI 1.4.
        var hasProcess = false
        /// Whether it has readings: only of low-power mode, and only in attempts.
        var hasDevice = false
        /// The requirements of every task.
        var requires: Int32 = 0
        var handler: Handler?
        /// The result of `submit`.
        var submitStatus: Int32 = BGRUN_OK
        var submitted: [Submitted] = []
        var cancelled: [String] = []
        var pending: [PendingPluginRequest] = []
        var log: [String] = []
        var misuses: [String] = []
        /// The handlers that the plugin has reported.
        var registrations: [Told] = []
    }

    /// `@unchecked Sendable`: two constant functions, and the runtime, which any thread may use.
    struct Handler: @unchecked Sendable {
        let value: bgrun_handler
    }

    struct Told: Equatable {
        var identifier: String?
        var kind: UInt32
        var delay: Int64
        var requires: UInt32
    }

    struct Submitted: Equatable {
        var identifier: String
        var parameters: String?
        var delay: Int64
        var requires: UInt32 = 0
        var kind = BGRUN_KIND_APP_REFRESH
        var strategy = BGRUN_STRATEGY_OF_TASK
    }

    /// - Parameters:
    ///   - kinds: the manifest's tasks and their `BGRUN_KIND_...`; nil for a host without
    ///     `bgrun.app/1`.
    ///   - register: registers the plugin's handlers.
    init(
        _ kinds: [String: UInt32]? = ["refresh": BGRUN_KIND_APP_REFRESH],
        hasProcess: Bool = false, hasDevice: Bool = false,
        register: (BGTaskScheduler) -> Void = { _ in }
    ) {
        state = Mutex(
            State(
                kinds: kinds?.mapValues { Int32($0) }, hasProcess: hasProcess, hasDevice: hasDevice)
        )
        let misuses = Misuses()
        runtime = PluginRuntime { misuses.add($0) }
        scheduler = BGTaskScheduler(runtime: runtime)
        let table = UnsafeMutablePointer<bgrun_host>.allocate(capacity: 1)
        self.table = UInt(bitPattern: table)
        table.initialize(to: Self.functions)
        table.pointee.host_data = Unmanaged.passUnretained(self).toOpaque()
        misuses.host = self
        let status = runtime.attach(table) { register(scheduler) }
        precondition(status == BGRUN_OK, "the runtime could not be attached")
    }

    /// Never freed, as the ABI promises: a thread may be about to return from an attempt.
    private final class Misuses: @unchecked Sendable {
        // Set once, before the first call of the plugin.
        weak var host: FakeHost?

        func add(_ text: String) {
            host?.state.withLock { $0.misuses.append(text) }
        }
    }

    /// Launches the identifier in a new thread.
    func launch(
        _ identifier: String, kind: UInt32 = BGRUN_KIND_APP_REFRESH, parameters: String = "{}"
    ) -> FakeAttempt {
        let attempt = FakeAttempt(self, identifier, kind: kind, parameters: parameters)
        attempt.start()
        return attempt
    }

    var handler: bgrun_handler? { state.withLock { $0.handler }?.value }
    var submitted: [Submitted] { state.withLock { $0.submitted } }
    var misuses: [String] { state.withLock { $0.misuses } }
    var log: [String] { state.withLock { $0.log } }
    var registrations: [Told] { state.withLock { $0.registrations } }

    static func of(_ host: UnsafePointer<bgrun_host>?) -> FakeHost {
        guard let data = host?.pointee.host_data else { preconditionFailure("no host") }
        return Unmanaged<FakeHost>.fromOpaque(data).takeUnretainedValue()
    }
}
