// SPDX-License-Identifier: Apache-2.0

/// The time since a transfer began, measured with CLOCK_BOOTTIME: independent of changes of the calendar clock, which
/// small boards set after each boot. Time while the machine was off does not count.
package struct ActiveTime: Equatable, Sendable {
    /// The time counted so far.
    package private(set) var spent: Interval
    /// CLOCK_BOOTTIME of the last count, in nanoseconds, and the boot it belongs to; nil: never counted.
    package private(set) var counted: Int64
    package private(set) var boot: String?

    package init(spent: Interval = .zero, counted: Int64 = 0, boot: String? = nil) {
        self.spent = max(.zero, spent)
        self.counted = max(0, counted)
        self.boot = boot
    }

    /// Adds the time since the last count, if that was in this boot.
    package mutating func count(to elapsed: Int64, boot: String) {
        if boot == self.boot, elapsed > counted {
            // fits: it is larger, neither is negative
            spent = Interval(nanoseconds: spent.nanoseconds.saturatingAdding(elapsed - counted))
        }
        counted = max(0, elapsed)
        self.boot = boot
    }

    /// CLOCK_BOOTTIME when `timeout` ends.
    package func deadline(_ timeout: Interval) -> Int64 {
        counted.saturatingAdding(timeout.reduced(by: spent).nanoseconds)
    }
}
