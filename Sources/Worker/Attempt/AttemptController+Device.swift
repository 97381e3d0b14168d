// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

extension AttemptController {
    typealias DeviceObserver = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// The observers of device changes, called on a thread that lives for the duration of the
    /// calls.
    struct Observation {
        var observers: [(userData: UInt, changed: DeviceObserver)] = []
        var isRunning = false
        /// Whether the device has changed again since the observers were called.
        var isDue = false
    }

    /// Observers can be added while the plugin's init runs.
    func observeDevice(_ userData: UnsafeMutableRawPointer?, _ changed: DeviceObserver?) -> Int32 {
        guard let changed else { return BGRUN_E_INVALID }
        return state.change { state in
            guard state.deviceOfInit != nil else { return BGRUN_E_STATE }
            state.observation.observers.append((UInt(bitPattern: userData), changed))
            return BGRUN_OK
        }
    }

    /// The readings while the plugin's init runs.
    func beginInit(_ device: HostMessage.Device) { state.change { $0.deviceOfInit = device } }

    func endInit() { state.change { $0.deviceOfInit = nil } }

    /// The readings in an attempt; with 0, those in the plugin's init; nil if it is over.
    func device(of id: Int64) -> HostMessage.Device? {
        state.change { state in
            guard id != 0 else { return state.deviceOfInit }
            guard let current = state.current, current.id == id, !current.isOver else { return nil }
            return current.device
        }
    }

    /// On the watcher: sets the readings that the running attempt sees from now on.
    func deviceChanged(to device: HostMessage.Device) {
        let startsThread = state.change { state in
            guard let current = state.current, !current.isOver, current.device != device else {
                return false
            }
            state.current?.device = device
            guard !state.observation.observers.isEmpty else { return false }
            state.observation.isDue = true
            guard !state.observation.isRunning else { return false }
            state.observation.isRunning = true
            return true
        }
        guard startsThread else { return }
        let code = WorkerThread.start("bgrun-device") {
            AttemptController.shared.callDeviceObservers()
        }
        if code != 0 { state.change { $0.observation.isRunning = false } }
    }

    /// Calls every observer, and repeats while readings change meanwhile.
    private func callDeviceObservers() {
        while true {
            let observers = state.change { state -> [(userData: UInt, changed: DeviceObserver)]? in
                guard state.observation.isDue, state.current != nil else {
                    state.observation.isRunning = false
                    return nil
                }
                state.observation.isDue = false
                return state.observation.observers
            }
            guard let observers else { return }
            for observer in observers {
                observer.changed(UnsafeMutableRawPointer(bitPattern: observer.userData))
            }
        }
    }
}
