// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims

/// Detects that the machine was suspended: CLOCK_BOOTTIME continued and CLOCK_MONOTONIC did not.
struct SleepWatch {
    /// The maximum difference of clocks that are read one after the other.
    private static let noise: Int64 = 100_000_000
    private var asleep: Int64

    init(elapsed: Int64, monotonic: Int64) { asleep = elapsed.saturatingSubtracting(monotonic) }

    init() { self.init(elapsed: bgrun_boottime_ns(), monotonic: bgrun_monotonic_ns()) }

    /// The nanoseconds of suspension since the last call; nil without one.
    mutating func look(elapsed: Int64, monotonic: Int64) -> Int64? {
        let before = asleep
        let now = elapsed.saturatingSubtracting(monotonic)
        let slept = now.saturatingSubtracting(before)
        guard slept > Self.noise else { return nil }
        asleep = now
        return slept
    }

    mutating func look() -> Int64? {
        look(elapsed: bgrun_boottime_ns(), monotonic: bgrun_monotonic_ns())
    }
}
