// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import BGRunSystem

/// The host's knowledge of its device.
struct DeviceTracking {
    /// The measured state of the device, before it has settled.
    var measured = DeviceState()
    var settle = SettleRule()
    var timer: (any HostTimer)?
    /// The state of the device that the engine received last.
    var last: DeviceState
    /// The readings last sent to workers.
    var told: HostMessage.Device?
    /// The same for people: when each reading last changed.
    var bands: DeviceBands
    /// The readings needed last.
    var needs = Needs()

    init(_ state: DeviceState) {
        last = state
        bands = DeviceBands(state)
    }
}

extension Host {
    /// The device reports a new state. Values stated in the manifest override it; the others settle before they count.
    package func deviceReads(_ state: DeviceState) {
        device.measured = state
        settleDevice()
    }

    /// Passes the settled state to the engine, and sets a timer for the next settled change.
    func settleDevice() {
        let now = clock.now.elapsed
        let settled = device.settle.settle(device.measured, at: now, policy: manifest.policy)
            .stated(manifest.device)
        device.timer?.set(elapsed: device.settle.nextChange)
        guard settled != device.last else { return }
        note(settled, at: clock.now.wall)
        sendFirst(.deviceChanged(settled))
    }

    /// The machine is about to sleep, after at most `time` if known.
    package func deviceSuspends(within time: Interval?) { sendFirst(.suspending(within: time)) }

    /// The machine has slept, or the sleep was cancelled. Its readings settle again: a network takes seconds to come
    /// back.
    package func deviceResumed() {
        device.settle.restart()
        settleDevice()
        sendFirst(.resumed)
    }

    /// The device readings for plugins.
    package var deviceOfWorkers: HostMessage.Device {
        HostMessage.Device(engine.deviceState, refresh: engine.appFacts.refreshSwitch)
    }

    /// Sends the current readings to workers that run attempts.
    func tellWorkersOfDevice() {
        let readings = deviceOfWorkers
        guard readings != device.told else { return }
        device.told = readings
        supervisor.tell(readings)
    }

    /// Records the device state. The first reading counts as settled.
    private func note(_ state: DeviceState, at now: WallTime) {
        device.last = state
        if isStarted {
            device.bands.note(state, at: now)
        } else {
            device.bands = DeviceBands(state)
        }
    }

    /// The same for readings that must be known before the first launch: the engine of a new host begins with them.
    func sendFirst(_ event: Event) {
        if isStarted { return send(event) }
        if case .deviceChanged(let device) = event {
            engine.begin(on: device)
        } else {
            queue.first.append(event)
        }
    }

    /// Tells the observer of the device which readings are needed.
    func tellNeeds() {
        var needs = engine.needs
        for feature in features { needs.conditions.formUnion(feature.needs) }
        guard needs != device.needs else { return }
        device.needs = needs
        observer?.needs(needs)
    }
}
