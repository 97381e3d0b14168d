// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Receives events about a host. Every call comes on the loop's thread.
package protocol HostObserver: AnyObject {
    /// A decision follows: the observer may now check inputs that it has not checked for a while.
    func willDecide()
    /// The engine has made `actions` of `event`; they are not executed yet.
    func decided(_ event: Event, _ actions: [Action], at now: Instant)
    /// Events were handled: other attempts may run, or requests be pending.
    func handled()
    /// Something was done without an event for the engine.
    func worked()
    /// `Host.overview` may have changed. May be called several times in a row.
    func changed()
    /// The needed readings of the device have changed.
    func needs(_ needs: Needs)
    /// The number of running attempts that take slots shared by the apps of a machine; `wantsMore`: one more would be
    /// launched with a free slot.
    func shares(running: Int, wantsMore: Bool)
    /// The machine will sleep soon, and no attempt runs any more.
    func maySleep()
}

extension HostObserver {
    package func willDecide() {}
    package func decided(_ event: Event, _ actions: [Action], at now: Instant) {}
    package func handled() {}
    package func worked() {}
    package func changed() {}
    package func needs(_ needs: Needs) {}
    package func shares(running: Int, wantsMore: Bool) {}
    package func maySleep() {}
}
