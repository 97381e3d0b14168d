// SPDX-License-Identifier: Apache-2.0

/// An app's part of the slots that the apps of a machine share.
package struct Share: Hashable, Sendable {
    /// Attempts it may launch at the event that is being handled.
    var granted = 0
    /// Whether it would launch one more with a free slot.
    package var wantsMore = false

    package init(granted: Int = 0, wantsMore: Bool = false) {
        self.granted = granted
        self.wantsMore = wantsMore
    }
}
