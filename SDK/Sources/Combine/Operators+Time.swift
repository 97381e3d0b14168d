// SPDX-License-Identifier: Apache-2.0

import Foundation

// Operators that determine the time and the thread of values.
extension Publisher {
    /// Sends values and the completion on a scheduler.
    public func receive<S: Scheduler>(
        on scheduler: S, options: Never? = nil
    ) -> AnyPublisher<Output, Failure> {
        later { scheduler.schedule($0) }
    }

    /// Subscribes on a scheduler.
    public func subscribe<S: Scheduler>(
        on scheduler: S, options: Never? = nil
    ) -> AnyPublisher<Output, Failure> {
        AnyPublisher { downstream in
            scheduler.schedule {
                guard !downstream.isOver else { return }
                attach(to: downstream, downstream.send) { downstream.send(completion: $0) }
            }
        }
    }

    /// Sends values and the completion later.
    public func delay<S: Scheduler>(
        for interval: SchedulerInterval, tolerance: SchedulerInterval? = nil, scheduler: S,
        options: Never? = nil
    ) -> AnyPublisher<Output, Failure> {
        later { scheduler.schedule(after: interval, $0) }
    }

    /// Sends a value once no other has arrived for this time.
    public func debounce<S: Scheduler>(
        for dueTime: SchedulerInterval, scheduler: S, options: Never? = nil
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let latest = Guarded<(number: Int, value: Output?)>((0, nil))
            let take = { (number: Int?) -> Output? in
                latest.withLock { latest in
                    guard number == nil || number == latest.number else { return nil }
                    defer { latest.value = nil }
                    return latest.value
                }
            }
            return (
                { value in
                    let number = latest.withLock { latest in
                        latest = (latest.number + 1, value)
                        return latest.number
                    }
                    scheduler.schedule(after: dueTime) {
                        if let value = take(number) { downstream.send(value) }
                    }
                },
                { completion in
                    scheduler.schedule {
                        if let value = take(nil) { downstream.send(value) }
                        downstream.send(completion: completion)
                    }
                }
            )
        }
    }

    /// Sends at most one value in each interval: the first one of all, then the latest or the first
    /// of each interval.
    public func throttle<S: Scheduler>(
        for interval: SchedulerInterval, scheduler: S, latest: Bool
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let state = Guarded<(isClosed: Bool, value: Output?)>((false, nil))
            // Sends the buffered value when an interval is over; the next interval begins if there
            // was one.
            func open() {
                let value = state.withLock { state in
                    defer { state = (state.value != nil, nil) }
                    return state.value
                }
                guard let value else { return }
                downstream.send(value)
                scheduler.schedule(after: interval, open)
            }
            return (
                { value in
                    let isFirst = state.withLock { state in
                        guard state.isClosed else {
                            state.isClosed = true
                            return true
                        }
                        if latest || state.value == nil { state.value = value }
                        return false
                    }
                    guard isFirst else { return }
                    scheduler.schedule { downstream.send(value) }
                    scheduler.schedule(after: interval, open)
                },
                { completion in
                    scheduler.schedule {
                        let value = state.withLock { $0.value }
                        if let value { downstream.send(value) }
                        downstream.send(completion: completion)
                    }
                }
            )
        }
    }

    /// Ends if no value arrives for this time: with an error, or without one.
    public func timeout<S: Scheduler>(
        _ interval: SchedulerInterval, scheduler: S, options: Never? = nil,
        customError: (() -> Failure)? = nil
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let count = Guarded(0)
            let watch = {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                scheduler.schedule(after: interval) {
                    guard count.withLock({ $0 }) == number else { return }
                    downstream.send(
                        completion: customError.map { .failure($0()) } ?? .finished)
                }
            }
            watch()
            return { value in
                downstream.send(value)
                watch()
            }
        }
    }

    private func later(
        _ schedule: @escaping (@escaping () -> Void) -> Void
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            // A queue that is not serial must not change the order.
            let events = Guarded<[() -> Void]>([])
            let add = { (event: @escaping () -> Void) in
                events.withLock { $0.append(event) }
                schedule { events.withLock { $0.removeFirst() }() }
            }
            return (
                { value in add { downstream.send(value) } },
                { completion in add { downstream.send(completion: completion) } }
            )
        }
    }
}
