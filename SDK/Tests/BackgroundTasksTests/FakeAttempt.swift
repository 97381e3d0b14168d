// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation
import Synchronization

/// An attempt as the fake host sees it. Its address is the `bgrun_task *`.
final class FakeAttempt: Sendable {
    struct Completion: Equatable {
        var success: Bool
        var message: String?
        /// The task had no expiration handler.
        var isAbandoned = false
    }

    struct State {
        var completion: Completion?
        var isTold = false
        var progress: [String] = []
        var titles: [String] = []
        var log: [String] = []
        var checkpoint: PluginCheckpoint?
        var assertions: Set<Int64> = []
        /// The assertion that revokes the time when it begins, before the plugin has its identifier.
        var revokingAssertion: String?
        var hasReturned = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Later reports of the handler are ignored.
        var isOver: Bool { completion != nil && assertions.isEmpty }
    }

    let host: FakeHost
    let identifier: String
    private let kind: UInt32
    private let parameters: String
    let state: Mutex<State>

    init(
        _ host: FakeHost, _ identifier: String, kind: UInt32 = BGRUN_KIND_APP_REFRESH,
        parameters: String = "{}", checkpoint: PluginCheckpoint? = nil
    ) {
        self.host = host
        self.identifier = identifier
        self.kind = kind
        self.parameters = parameters
        state = Mutex(State(checkpoint: checkpoint))
    }

    /// Calls the handler in a new thread.
    func start() {
        Thread.detachNewThread { [self] in
            enter()
            let waiters = state.withLock { state in
                state.hasReturned = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    private func enter() {
        guard let handler = host.handler else { preconditionFailure("no handler") }
        identifier.withCString { identifier in
            parameters.withCString { parameters in
                "/manifest".withCString { directory in
                    var launch = bgrun_launch()
                    launch.struct_size = UInt32(MemoryLayout<bgrun_launch>.size)
                    launch.kind = kind
                    launch.attempt = 1
                    launch.identifier = identifier
                    launch.parameters_json = parameters
                    launch.manifest_directory = directory
                    handler.launch(handler.user_data, handle, &launch)
                }
            }
        }
    }

    /// Revokes the time of the attempt.
    func expire(_ reason: UInt32 = BGRUN_REASON_TIME, grace: Duration = .seconds(5)) {
        state.withLock { $0.isTold = true }
        guard let handler = host.handler else { preconditionFailure("no handler") }
        "reason".withCString { text in
            var expiration = bgrun_expiration()
            expiration.struct_size = UInt32(MemoryLayout<bgrun_expiration>.size)
            expiration.reason = reason
            expiration.grace_ns = grace.components.seconds * 1_000_000_000
            expiration.reason_text = text
            handler.expire(handler.user_data, handle, &expiration)
        }
    }

    /// Waits until the handler has returned, which ends the attempt.
    func returned() async {
        await withCheckedContinuation { continuation in
            let isAlready = state.withLock { state in
                if !state.hasReturned { state.waiters.append(continuation) }
                return state.hasReturned
            }
            if isAlready { continuation.resume() }
        }
    }

    /// The completion, after the handler has returned.
    var completion: Completion? {
        get async {
            await returned()
            return state.withLock { $0.completion }
        }
    }

    /// Never freed, as the ABI promises.
    private var handle: OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    static func of(_ task: OpaquePointer?) -> FakeAttempt {
        guard let task else { preconditionFailure("no task") }
        return Unmanaged<FakeAttempt>.fromOpaque(UnsafeRawPointer(task)).takeUnretainedValue()
    }
}
