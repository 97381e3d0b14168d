// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation

/// The extensions of the host that tests run handlers under.
///
/// `nonisolated(unsafe)`: the tables are constant.
enum ExtensionTables {
    static func table(_ name: String) -> UnsafeRawPointer? {
        switch name {
        case BGRUN_EXT_CHECKPOINT: UnsafeRawPointer(checkpoint)
        case BGRUN_EXT_SCHEDULER: UnsafeRawPointer(scheduler)
        case BGRUN_EXT_DEVICE: UnsafeRawPointer(device)
        case BGRUN_EXT_ASSERTION: UnsafeRawPointer(assertion)
        case BGRUN_EXT_TRANSFER: UnsafeRawPointer(TransferTable.table)
        case BGRUN_EXT_PUSH: UnsafeRawPointer(PushTable.table)
        case BGRUN_EXT_PROCESS: UnsafeRawPointer(ProcessTable.table)
        default: nil
        }
    }

    static func constant<Table>(_ table: Table) -> UnsafePointer<Table> {
        let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        pointer.initialize(to: table)
        return UnsafePointer(pointer)
    }

    nonisolated(unsafe) private static let checkpoint = constant(
        bgrun_checkpoint_ext(
            struct_size: UInt32(MemoryLayout<bgrun_checkpoint_ext>.size), reserved: 0,
            put: { task, version, data, size in
                guard let attempt = SimulatedAttempt.of(task) else { return BGRUN_E_INVALID }
                guard size <= UInt64(BGRUN_CHECKPOINT_MAX) else { return BGRUN_E_TOO_LARGE }
                let bytes = UnsafeRawBufferPointer(start: data, count: Int(size))
                return attempt.put(
                    size == 0 ? nil : PluginCheckpoint(version: version, data: [UInt8](bytes)))
            },
            get: { task, buffer, capacity, size, version in
                guard let attempt = SimulatedAttempt.of(task) else { return BGRUN_E_INVALID }
                let stored = attempt.scheduler.state.value.checkpoints[attempt.identifier]
                guard let stored else { return BGRUN_E_NOT_FOUND }
                let space = UnsafeMutableRawBufferPointer(start: buffer, count: Int(capacity))
                space.copyBytes(from: stored.data.prefix(space.count))
                size?.pointee = UInt64(stored.data.count)
                version?.pointee = stored.version
                return BGRUN_OK
            }))

    nonisolated(unsafe) private static let scheduler = constant(
        bgrun_scheduler_ext(
            struct_size: UInt32(MemoryLayout<bgrun_scheduler_ext>.size), reserved: 0,
            submit: { task, request in
                guard let attempt = SimulatedAttempt.of(task), let request else {
                    return BGRUN_E_INVALID
                }
                return attempt.scheduler.submit(request.pointee)
            },
            cancel: { task, identifier in
                guard let attempt = SimulatedAttempt.of(task), let identifier else {
                    return BGRUN_E_INVALID
                }
                return attempt.scheduler.cancel(String(cString: identifier))
            },
            pending: { task, context, visit in
                guard let attempt = SimulatedAttempt.of(task), let visit else {
                    return BGRUN_E_INVALID
                }
                attempt.scheduler.visitPending { visit(context, $0) }
                return BGRUN_OK
            }))

    nonisolated(unsafe) private static let device = constant(
        bgrun_device_ext(
            struct_size: UInt32(MemoryLayout<bgrun_device_ext>.size), reserved: 0,
            read: { task, reading in
                guard let reading else { return BGRUN_E_INVALID }
                let attempt = SimulatedAttempt.of(task)
                guard let scheduler = attempt?.scheduler ?? SimulatedScheduler.launching,
                    attempt?.isOver != true
                else { return BGRUN_E_STATE }
                let device = scheduler.device
                reading.pointee.external_power = truth(device.hasExternalPower)
                reading.pointee.battery_percent = Int32(device.batteryPercent ?? -1)
                reading.pointee.low_power_mode = truth(device.isLowPowerModeEnabled)
                reading.pointee.network = truth(device.hasNetwork)
                reading.pointee.network_metered = truth(device.isNetworkMetered)
                reading.pointee.user_idle = truth(device.isUserIdle)
                reading.pointee.thermal_state = device.thermalState?.rawValue ?? BGRUN_UNKNOWN
                reading.pointee.background_refresh =
                    device.backgroundRefresh?.rawValue ?? BGRUN_UNKNOWN
                return BGRUN_OK
            }))

    private static func truth(_ value: Bool?) -> Int32 {
        value.map { $0 ? BGRUN_YES : BGRUN_NO } ?? BGRUN_UNKNOWN
    }

    nonisolated(unsafe) private static let assertion = constant(
        bgrun_assertion_ext(
            struct_size: UInt32(MemoryLayout<bgrun_assertion_ext>.size), reserved: 0,
            begin: { task, name in
                SimulatedAttempt.of(task)?.beginAssertion(name.map { String(cString: $0) } ?? "")
                    ?? Int64(BGRUN_ASSERTION_INVALID)
            },
            end: { task, id in
                SimulatedAttempt.of(task)?.state.change { $0.assertions[id] = nil }
            },
            time_remaining: { task in
                SimulatedAttempt.of(task)?.timeRemaining.nanoseconds ?? 0
            }))
}

extension SimulatedAttempt {
    fileprivate func put(_ checkpoint: PluginCheckpoint?) -> Int32 {
        let status = record { state in
            if let checkpoint { state.checkpoints.append(checkpoint) }
        }
        if status == BGRUN_OK { scheduler.state.change { $0.checkpoints[identifier] = checkpoint } }
        return status
    }

    fileprivate func beginAssertion(_ name: String) -> Int64 {
        let id = scheduler.state.change { state in
            defer { state.nextAssertion += 1 }
            return state.nextAssertion
        }
        return state.change { state in
            guard state.expiredAt == nil, !state.isOver,
                state.assertions.count < Int(BGRUN_ASSERTIONS_MAX)
            else { return Int64(BGRUN_ASSERTION_INVALID) }
            state.assertions[id] = name
            return id
        }
    }

    /// On the scheduler's clock: until expiration, then until the kill.
    fileprivate var timeRemaining: Duration {
        let state = state.value
        guard !state.isOver else { return .zero }
        let end = state.expiredAt?.advanced(by: scheduler.grace) ?? deadline
        return max(.zero, scheduler.clock.now.duration(to: end))
    }
}
