// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
import CBGRunShims
import Glibc

/// Where the host reads the time. A simulation brings its own.
public protocol HostClock {
    var now: Instant { get }
}

/// The machine's clocks.
public struct SystemClock: HostClock {
    public init() {}

    public var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        return Instant(
            elapsed: bgrun_boottime_ns(), wall: WallTime(milliseconds: milliseconds))
    }
}
