// SPDX-License-Identifier: Apache-2.0

/// An app's part of the slots that the apps of a machine share.
package struct Share: Hashable, Sendable {
    /// The number of attempts that it may launch at the current event.
    var granted = 0
    /// Whether it would launch one more attempt with a free slot.
    package var wantsMore = false

    package init(granted: Int = 0, wantsMore: Bool = false) {
        self.granted = granted
        self.wantsMore = wantsMore
    }
}
