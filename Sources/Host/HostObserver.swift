// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Is told what a host does. Every call comes on the loop's thread.
package protocol HostObserver: AnyObject {
    /// Something is about to be decided: what was not looked at for a while may be looked at now.
    func willDecide()
    /// The engine has made `actions` of `event`; they are not carried out yet.
    func decided(_ event: Event, _ actions: [Action], at now: Instant)
    /// What has happened is handled: other attempts may run then, or requests be pending.
    func handled()
    /// Something was done that the engine was not told of.
    func worked()
    /// `Host.overview` may be another than before. Called several times in a row.
    func changed()
    /// Other readings of the device are needed than before.
    func needs(_ needs: Needs)
    /// So many attempts run that take slots which the apps of a machine share; `wantsMore`: one more
    /// would be launched with a free slot.
    func shares(running: Int, wantsMore: Bool)
    /// The machine is about to sleep, and no attempt runs any more.
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
