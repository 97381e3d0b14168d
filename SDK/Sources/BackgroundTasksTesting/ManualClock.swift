// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// A clock that moves when it is told to, and only then. Whoever sleeps on it wakes the moment it is
/// advanced far enough: code that is given a clock is tested without waiting.
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

    private struct Sleeper {
        let number: UInt64
        let deadline: Instant
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(sinceStart: .zero)
        var nextNumber: UInt64 = 0
        var sleepers: [Sleeper] = []
        /// Sleepers that were cancelled before they lay down.
        var cancelled: Set<UInt64> = []
    }

    /// The date at the clock's start.
    public let start: Date
    private let state = Mutex(State())

    /// A clock that starts at `start`, today's date unless given: dates that handlers reckon from
    /// `Date()` then mean what they say.
    public init(start: Date = Date()) {
        self.start = start
    }

    public var now: Instant {
        state.withLock(\.now)
    }

    /// The date it is by this clock.
    public var date: Date {
        start + now.sinceStart.timeInterval
    }

    public var minimumResolution: Duration {
        .nanoseconds(1)
    }

    /// How many sleep on the clock.
    public var sleepers: Int {
        state.withLock(\.sleepers.count)
    }

    /// Moves the clock on and wakes, in the order of their deadlines, all who slept until then.
    ///
    /// - Precondition: `duration` is not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock cannot be moved back, here by \(duration).")
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due.sorted(by: { ($0.deadline, $0.number) < ($1.deadline, $1.number) }) {
            sleeper.wake.resume()
        }
    }

    /// Returns once the clock has been advanced to `deadline`. Throws `CancellationError` when the
    /// Swift task is cancelled before that.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                lieDown(Sleeper(number: number, deadline: deadline, wake: wake))
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func lieDown(_ sleeper: Sleeper) {
        enum Verdict { case sleeps, due, cancelled }
        let verdict = state.withLock { state -> Verdict in
            if state.cancelled.remove(sleeper.number) != nil { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers.append(sleeper)
            return .sleeps
        }
        switch verdict {
        case .sleeps: break
        case .due: sleeper.wake.resume()
        case .cancelled: sleeper.wake.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ number: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.sleepers.remove(at: place)
        }
        sleeper?.wake.resume(throwing: CancellationError())
    }
}

extension Duration {
    var timeInterval: TimeInterval {
        let (seconds, attoseconds) = components
        return TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
    }
}
