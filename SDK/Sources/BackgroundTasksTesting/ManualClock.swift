// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A clock that moves when it is told to, and only then. Whoever sleeps on it wakes the moment it
/// is advanced far enough: code that is given a clock is tested without waiting.
///
/// May be used from any thread.
public final class ManualClock: Clock, Sendable {
    /// A moment: the time since the clock was made.
    public struct Instant: InstantProtocol {
        public let sinceStart: Duration

        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        public func duration(to other: Instant) -> Duration {
            other.sinceStart - sinceStart
        }

        public static func < (left: Instant, right: Instant) -> Bool {
            left.sinceStart < right.sinceStart
        }
    }

    private struct State {
        var now = Instant(sinceStart: .zero)
        var sleepers = 0
    }

    /// The date at the clock's start.
    public let start: Date
    private let state = Watched(State())

    /// A clock that starts at `start`, the present unless given: dates that handlers reckon from
    /// `Date()` then mean what they say.
    public init(start: Date = Date()) {
        self.start = start
    }

    public var now: Instant { state.value.now }

    /// The date it is by this clock.
    public var date: Date { start + now.sinceStart.timeInterval }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock on and wakes all who slept until then.
    ///
    /// - Precondition: `duration` is not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock cannot be moved back, here by \(duration).")
        state.change { $0.now = $0.now.advanced(by: duration) }
    }

    /// Returns once the clock has been advanced to `deadline`. Throws `CancellationError` when the
    /// Swift task is cancelled before that.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        state.change { $0.sleepers += 1 }
        defer { state.change { $0.sleepers -= 1 } }
        try await state.wait { $0.now >= deadline }
    }

    /// Returns once at least `count` sleep on the clock: only then is there a point in advancing
    /// it.
    public func waitForSleepers(_ count: Int = 1) async throws {
        try await state.wait { $0.sleepers >= count }
    }
}

extension Duration {
    var timeInterval: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
