// SPDX-License-Identifier: Apache-2.0

/// One moment on both clocks. Durations are measured on `elapsed`, which never jumps; dates chosen by a person are
/// compared with `wall`, which may.
package struct Instant: Equatable, Sendable {
    /// Nanoseconds since boot, time spent suspended included (CLOCK_BOOTTIME).
    package var elapsed: Int64
    /// The calendar clock.
    package var wall: WallTime

    package init(elapsed: Int64, wall: WallTime) {
        self.elapsed = elapsed
        self.wall = wall
    }
}

/// A date: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
package struct WallTime: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// 1970-01-01T00:00:00Z.
    package static let epoch = WallTime(milliseconds: 0)

    package static func < (left: WallTime, right: WallTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The date `interval` later; stays at the first or last representable date instead of overflowing.
    package func advanced(by interval: Interval) -> WallTime {
        WallTime(milliseconds: milliseconds.saturatingAdding(interval.nanoseconds / 1_000_000))
    }

    /// The milliseconds from `date` until `self`, negative before it; the limit of the type instead of an overflow.
    package func milliseconds(since date: WallTime) -> Int64 {
        milliseconds.saturatingSubtracting(date.milliseconds)
    }

    /// The time from `self` until `date`, in whole milliseconds; negative when it has passed.
    package func interval(until date: WallTime) -> Interval {
        .milliseconds(date.milliseconds.saturatingSubtracting(milliseconds))
    }
}

/// A length of time in nanoseconds, at most about 292 years. 64 bits, where `Swift.Duration` has 128: the engine
/// compares these in its inner loop.
package struct Interval: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = Interval(nanoseconds: 0)
    package static func milliseconds(_ count: Int64) -> Interval { scaled(count, 1_000_000) }
    package static func seconds(_ count: Int64) -> Interval { scaled(count, 1_000_000_000) }
    package static func minutes(_ count: Int64) -> Interval { scaled(count, 60_000_000_000) }
    package static func hours(_ count: Int64) -> Interval { scaled(count, 3_600_000_000_000) }
    package static func days(_ count: Int64) -> Interval { scaled(count, 86_400_000_000_000) }

    package static func < (left: Interval, right: Interval) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Whole milliseconds, rounded towards zero.
    var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// The same length in the opposite direction.
    package var negated: Interval {
        Interval(nanoseconds: Int64(0).saturatingSubtracting(nanoseconds))
    }

    /// `self` minus `other`, at least zero.
    func reduced(by other: Interval) -> Interval {
        Interval(nanoseconds: max(0, nanoseconds.saturatingSubtracting(other.nanoseconds)))
    }

    /// `self` times `factor`, at most the largest interval.
    package func multiplied(by factor: Int64) -> Interval { Interval.scaled(nanoseconds, factor) }

    private static func scaled(_ count: Int64, _ unit: Int64) -> Interval {
        Interval(nanoseconds: count.saturatingMultiplied(by: unit))
    }
}

/// As a number of nanoseconds.
extension Interval: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try Int64(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws { try nanoseconds.encode(to: encoder) }
}

/// As a number of milliseconds since 1970.
extension WallTime: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(milliseconds: try Int64(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}
