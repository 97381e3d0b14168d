// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunDevice
import BGRunHost
import BGRunPolicy

/// Connects a host with its device, the daemon and others during `bgrun run`.
final class RunObserver: HostObserver {
    var host: Host?
    var control: ControlServer?
    var device: HostDevice?
    /// For a host that systemd has started.
    var service: HostService?
    /// For a host that the daemon has started.
    var share: ShareClient?
    /// For `--device simulated`.
    var rehearsal: Rehearsal?

    func willDecide() { device?.freshen() }

    func decided(_ event: Event, _ actions: [Action], at now: Instant) {
        rehearsal?.note(event, actions, at: now)
    }

    func handled() { service?.handled() }

    func worked() { rehearsal?.lookAfterThisRound() }

    func changed() { control?.noteChange() }

    func needs(_ needs: Needs) { device?.needs = PolledReadings(needs.conditions, needs.factors) }

    func shares(running: Int, wantsMore: Bool) {
        share?.report(running: running, wantsMore: wantsMore)
    }

    func maySleep() { device?.readyToSleep() }
}

extension RunObserver: DeviceObserver {
    func deviceReads(_ report: DeviceReport) { host?.deviceReads(report.state) }

    func deviceSuspends(within time: Interval?) { host?.deviceSuspends(within: time) }

    func deviceResumed() { host?.deviceResumed() }
}

/// The host launches what the daemon grants, and ends with it.
extension RunObserver: ShareObserver {
    func shareGranted(_ count: Int) { host?.send(.granted(count)) }

    func shareReclaimed(_ count: Int) { host?.send(.shareReclaimed(count)) }

    func daemonEnded() { host?.shutDown() }
}
