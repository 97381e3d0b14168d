// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation
import Synchronization

extension FakeHost {
    /// Like a host of ABI 1.4, this refuses to read without an attempt.
    nonisolated(unsafe) static let device = constant(
        bgrun_device_ext(
            struct_size: UInt32(MemoryLayout<bgrun_device_ext>.size), reserved: 0,
            read: { task, reading in
                guard task != nil, let reading else { return BGRUN_E_STATE }
                reading.pointee.low_power_mode = BGRUN_YES
                return BGRUN_OK
            }))

    /// The process functions of a host of ABI 1.4.
    nonisolated(unsafe) static let process = constant(
        bgrun_process_ext(
            struct_size: UInt32(MemoryLayout<bgrun_process_ext>.size), reserved: 0,
            submit: { host, request in submit(FakeHost.of(host), request) },
            cancel: { _, _ in BGRUN_E_NOT_FOUND },
            pending: { host, context, visit in
                for item in FakeHost.of(host).state.withLock({ $0.pending }) {
                    item.identifier.withCString { identifier in
                        (item.parametersJSON ?? "{}").withCString { parameters in
                            var pending = bgrun_pending()
                            pending.struct_size = UInt32(MemoryLayout<bgrun_pending>.size)
                            pending.kind = item.kind.rawValue
                            pending.identifier = identifier
                            pending.requires = UInt32(bitPattern: item.requirements.rawValue)
                            pending.strategy =
                                item.isOnlyImmediate ? BGRUN_STRATEGY_FAIL : BGRUN_STRATEGY_QUEUE
                            pending.parameters_json = parameters
                            visit?(context, &pending)
                        }
                    }
                }
                return BGRUN_OK
            },
            observe_device: { _, _, _ in BGRUN_OK },
            abandon: { task, message in
                FakeAttempt.of(task).state.withLock { state in
                    guard state.isTold, state.completion == nil else { return BGRUN_E_STATE }
                    state.completion = FakeAttempt.Completion(
                        success: false, message: message.map { String(cString: $0) },
                        isAbandoned: true)
                    return BGRUN_OK
                }
            }))
}
