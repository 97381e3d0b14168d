// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A clock that only moves when it is advanced. Code that sleeps on it wakes as soon as it is
/// advanced far enough, so that it can be tested without waiting.
///
/// Thread-safe.
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

    /// A clock that starts at `start`, by default the present: dates that handlers derive from
    /// `Date()` then have their meaning.
    public init(start: Date = Date()) {
        self.start = start
    }

    public var now: Instant { state.value.now }

    /// The date on this clock.
    public var date: Date { start + now.sinceStart.timeInterval }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Advances the clock and wakes all sleepers until then.
    ///
    /// - Precondition: `duration` is not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock cannot be moved back, here by \(duration).")
        state.change { $0.now = $0.now.advanced(by: duration) }
    }

    /// Returns once the clock has been advanced to `deadline`. Throws `CancellationError` if the
    /// Swift task is cancelled before that.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        state.change { $0.sleepers += 1 }
        defer { state.change { $0.sleepers -= 1 } }
        try await state.wait { $0.now >= deadline }
    }

    /// Returns once at least `count` tasks sleep on the clock: advance it only then.
    public func waitForSleepers(_ count: Int = 1) async throws {
        try await state.wait { $0.sleepers >= count }
    }
}

extension Duration {
    var timeInterval: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
