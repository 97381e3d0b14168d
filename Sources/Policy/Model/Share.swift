// SPDX-License-Identifier: Apache-2.0

/// An app's part of the slots that the apps of a machine share.
package struct Share: Equatable, Sendable {
    /// The number of attempts that it may launch at the current event.
    var granted = 0
    /// Whether it would launch one more attempt with a free slot.
    package var wantsMore = false

    package init(granted: Int = 0, wantsMore: Bool = false) {
        self.granted = granted
        self.wantsMore = wantsMore
    }
}

/// The settings that a daemon uses to share the machine between its apps.
package struct SharePolicy: Equatable, Sendable {
    /// How long an app that could launch waits for a slot before another app must return one. Ours.
    package var reclaimAfter: Interval
    /// How long an app may take to return a slot; after that the slot is reassigned. Ours: the
    /// longest grace period of the shipped policies, plus time to kill.
    var reclaimTimeout: Interval

    package init(reclaimAfter: Interval = .minutes(10), reclaimTimeout: Interval = .minutes(2)) {
        self.reclaimAfter = reclaimAfter
        self.reclaimTimeout = reclaimTimeout
    }
}
