// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation

/// Functions of the process, not of an attempt.
///
/// `nonisolated(unsafe)`: the table is constant.
enum ProcessTable {
    nonisolated(unsafe) static let table = ExtensionTables.constant(
        bgrun_process_ext(
            struct_size: UInt32(MemoryLayout<bgrun_process_ext>.size), reserved: 0,
            submit: { host, request in
                guard let scheduler = SimulatedScheduler.of(host), let request else {
                    return BGRUN_E_INVALID
                }
                return scheduler.submit(request.pointee)
            },
            cancel: { host, identifier in
                guard let scheduler = SimulatedScheduler.of(host), let identifier else {
                    return BGRUN_E_INVALID
                }
                return scheduler.cancel(String(cString: identifier))
            },
            pending: { host, context, visit in
                guard let scheduler = SimulatedScheduler.of(host), let visit else {
                    return BGRUN_E_INVALID
                }
                scheduler.visitPending { visit(context, $0) }
                return BGRUN_OK
            },
            observe_device: { host, userData, changed in
                guard let scheduler = SimulatedScheduler.of(host), let changed else {
                    return BGRUN_E_INVALID
                }
                let observer = DeviceObserver(
                    userData: UInt(bitPattern: userData), changed: changed)
                scheduler.state.change { $0.deviceObservers.append(observer) }
                return BGRUN_OK
            },
            abandon: { task, message in
                guard let attempt = SimulatedAttempt.of(task), attempt.isExpired else {
                    return BGRUN_E_STATE
                }
                return attempt.complete(false, message.map { String(cString: $0) })
            }))
}

/// The observers of device changes.
struct DeviceObserver: Sendable {
    let userData: UInt
    let changed: @convention(c) (UnsafeMutableRawPointer?) -> Void

    func call() {
        changed(UnsafeMutableRawPointer(bitPattern: userData))
    }
}

extension SimulatedScheduler {
    func submit(_ request: bgrun_request) -> Int32 {
        guard let identifier = request.identifier else { return BGRUN_E_INVALID }
        return submit(
            String(cString: identifier), delay: .nanoseconds(request.earliest_delay_ns),
            parameters: request.parameters_json.map { String(cString: $0) },
            requires: SimulatedTask.Requirement.set(request.requires),
            requiresGPU: request.requires & UInt32(BGRUN_REQUIRES_GPU) != 0,
            kind: PluginTask.Kind(rawValue: request.kind),
            isOnlyImmediate: request.strategy == BGRUN_STRATEGY_FAIL,
            tags: request.tags.map { String(cString: $0) } ?? "")
    }

    func visitPending(_ visit: (UnsafePointer<bgrun_pending>) -> Void) {
        for request in pendingRequests {
            request.identifier.withCString { identifier in
                var pending = bgrun_pending()
                pending.struct_size = UInt32(MemoryLayout<bgrun_pending>.size)
                pending.kind = request.kind.rawValue
                pending.identifier = identifier
                let date = request.earliestBeginDate?.timeIntervalSince1970
                pending.earliest_unix_ns = date.map { Int64($0 * 1e9) } ?? 0
                pending.requires = request.submitted.requires
                pending.strategy =
                    request.submitted.isOnlyImmediate ? BGRUN_STRATEGY_FAIL : BGRUN_STRATEGY_QUEUE
                request.submitted.tags.withCString { tags in
                    if tags.pointee != 0 { pending.tags = tags }
                    guard let parameters = request.submitted.parameters else {
                        return visit(&pending)
                    }
                    parameters.withCString { parameters in
                        pending.parameters_json = parameters
                        visit(&pending)
                    }
                }
            }
        }
    }
}
