// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunDevice
import BGRunHost
import BGRunPolicy

/// Forwards a host's reports during `bgrun run` to the receivers that they concern.
final class RunObserver: HostObserver {
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
