// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import Foundation

extension DispatchQueue {
    /// A point in time.
    public struct SchedulerTimeType: Hashable, Sendable {
        public var dispatchTime: DispatchTime

        public init(_ time: DispatchTime) {
            dispatchTime = time
        }

        public func advanced(by interval: SchedulerInterval) -> Self {
            Self(dispatchTime + interval.timeInterval)
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(dispatchTime.uptimeNanoseconds)
        }
    }

    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

    /// Runs `action` at this time.
    public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
        let seconds =
            (Double(date.dispatchTime.uptimeNanoseconds)
                - Double(DispatchTime.now().uptimeNanoseconds)) / 1e9
        schedule(after: SchedulerInterval(timeInterval: seconds), action)
    }

    /// Runs `action` at this time and then at each interval, until the result is cancelled.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerInterval,
        tolerance: SchedulerInterval = 0, _ action: @escaping () -> Void
    ) -> any Cancellable {
        let handover = RepeatedAction(run: action)
        let timer = DispatchSource.makeTimerSource(queue: self)
        timer.schedule(
            deadline: date.dispatchTime, repeating: interval.timeInterval,
            leeway: .nanoseconds(Int(tolerance.timeInterval * 1e9)))
        timer.setEventHandler { handover.run() }
        timer.activate()
        return AnyCancellable { timer.cancel() }
    }
}

/// A closure that is transferred to a queue.
///
/// `@unchecked Sendable`: its owner transfers it, and it runs on the queue its owner has chosen.
private struct RepeatedAction: @unchecked Sendable {
    let run: () -> Void
}
