// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation

/// Silent pushes, which are held until their task is launched.
extension SimulatedScheduler {
    /// Delivers a push: submits a request of a task of kind `push` with `payload`, a JSON object,
    /// and launches it.
    @discardableResult
    public func simulatePush(
        forTaskWithIdentifier identifier: String, payload: String
    ) async throws -> SimulatedAttempt {
        try await simulatePushes(forTaskWithIdentifier: identifier, payloads: [payload])
    }

    /// Delivers several pushes with one launch, oldest first, after those left by a failed attempt.
    @discardableResult
    public func simulatePushes(
        forTaskWithIdentifier identifier: String, payloads: [String]
    ) async throws -> SimulatedAttempt {
        let status = submit(identifier, delay: .zero, parameters: payloads.last)
        guard status == BGRUN_OK else { throw SimulationError.notScheduled(identifier) }
        state.change { state in
            state.pushes[identifier, default: []] += payloads.map {
                PluginPushMessage(payloadJSON: $0)
            }
        }
        return try await simulateLaunch(forTaskWithIdentifier: identifier)
    }

    /// The payloads held for a task: those of attempts that did not end with success.
    public func heldPushes(forTaskWithIdentifier identifier: String) -> [String] {
        state.value.pushes[identifier]?.map(\.payloadJSON) ?? []
    }
}

/// `bgrun.push/1` of the host that tests run handlers under.
enum PushTable {
    nonisolated(unsafe) static let table = ExtensionTables.constant(
        bgrun_push_ext(
            struct_size: UInt32(MemoryLayout<bgrun_push_ext>.size), reserved: 0,
            messages: { task, context, visit in
                guard let attempt = SimulatedAttempt.of(task), let visit else {
                    return BGRUN_E_INVALID
                }
                guard !attempt.isOver else { return BGRUN_E_STATE }
                for push in attempt.pushes {
                    push.payloadJSON.withCString { payload in
                        var message = bgrun_push_message()
                        message.struct_size = UInt32(MemoryLayout<bgrun_push_message>.size)
                        message.priority = UInt32(push.priority)
                        message.payload_json = payload
                        visit(context, &message)
                    }
                }
                return BGRUN_OK
            },
            complete: { task, result in
                guard let attempt = SimulatedAttempt.of(task) else { return BGRUN_E_INVALID }
                guard let result = PluginPushResult(rawValue: result) else {
                    return BGRUN_E_INVALID
                }
                guard attempt.kind == .push else { return BGRUN_E_STATE }
                return attempt.complete(result)
            }))
}

extension SimulatedAttempt {
    /// The messages that were held at its launch.
    fileprivate var pushes: [PluginPushMessage] {
        kind == .push ? scheduler.state.value.pushes[identifier] ?? [] : []
    }

    /// A handled push is removed, unless it failed.
    fileprivate func complete(_ result: PluginPushResult) -> Int32 {
        let text =
            switch result {
            case .newData: "new data"
            case .noData: "no data"
            case .failed: "failed"
            }
        let status = complete(result != .failed, text)
        if status == BGRUN_OK, result != .failed, !isExpired {
            scheduler.state.change { $0.pushes[identifier] = nil }
        }
        return status
    }
}
