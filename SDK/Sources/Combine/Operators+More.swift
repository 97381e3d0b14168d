// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Publisher {
    /// `scan(_:_:)` with a closure that may throw, which ends it.
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
    ) -> AnyPublisher<T, any Error> {
        let result = Guarded(initialResult)
        return tryMap { value in
            let new = try nextPartialResult(result.withLock { $0 }, value)
            result.withLock { $0 = new }
            return new
        }
    }

    /// `reduce(_:_:)` with a closure that may throw, which ends it.
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
    ) -> AnyPublisher<T, any Error> {
        tryScan(initialResult, nextPartialResult).last().replaceEmpty(with: initialResult)
    }

    /// `first(where:)` with a closure that may throw, which ends it.
    public func tryFirst(
        where predicate: @escaping (Output) throws -> Bool
    ) -> AnyPublisher<Output, any Error> {
        tryFilter(predicate).prefix(1)
    }

    /// `prefix(while:)` with a closure that may throw, which ends it.
    public func tryPrefix(
        while predicate: @escaping (Output) throws -> Bool
    ) -> AnyPublisher<Output, any Error> {
        attempting { downstream, value in
            if try predicate(value) {
                downstream.send(value)
            } else {
                downstream.send(completion: .finished)
            }
        }
    }

    /// `drop(while:)` with a closure that may throw, which ends it.
    public func tryDrop(
        while predicate: @escaping (Output) throws -> Bool
    ) -> AnyPublisher<Output, any Error> {
        relay { downstream in
            let isDropping = Guarded(true)
            return (
                { value in
                    do {
                        if isDropping.withLock({ $0 }), try predicate(value) { return }
                        isDropping.withLock { $0 = false }
                        downstream.send(value)
                    } catch {
                        downstream.send(completion: .failure(error))
                    }
                },
                { downstream.send(completion: $0.mapError { $0 }) }
            )
        }
    }

    /// `allSatisfy(_:)` with a closure that may throw, which ends it.
    public func tryAllSatisfy(
        _ predicate: @escaping (Output) throws -> Bool
    ) -> AnyPublisher<Bool, any Error> {
        tryFilter { try !predicate($0) }.map { _ in false }.prefix(1).replaceEmpty(with: true)
    }

    /// `contains(where:)` with a closure that may throw, which ends it.
    public func tryContains(
        where predicate: @escaping (Output) throws -> Bool
    ) -> AnyPublisher<Bool, any Error> {
        tryFilter(predicate).map { _ in true }.prefix(1).replaceEmpty(with: false)
    }

    /// `removeDuplicates(by:)` with a closure that may throw, which ends it.
    public func tryRemoveDuplicates(
        by predicate: @escaping (Output, Output) throws -> Bool
    ) -> AnyPublisher<Output, any Error> {
        let previous = Guarded<Output?>(nil)
        return tryCompactMap { value in
            let before = previous.withLock { previous in
                defer { previous = value }
                return previous
            }
            guard let before else { return value }
            return try predicate(before, value) ? nil : value
        }
    }

    public func map<A, B>(
        _ first: KeyPath<Output, A>, _ second: KeyPath<Output, B>
    ) -> AnyPublisher<(A, B), Failure> {
        map { ($0[keyPath: first], $0[keyPath: second]) }
    }

    /// The value with this index, counted from 0.
    public func output(at index: Int) -> AnyPublisher<Output, Failure> {
        dropFirst(index).first()
    }

    /// The values with these indices, counted from 0.
    public func output(in range: some RangeExpression<Int>) -> AnyPublisher<Output, Failure> {
        let numbers = range.relative(to: 0..<Int.max)
        return dropFirst(numbers.lowerBound).prefix(numbers.count)
    }

    /// The values after the first value of the other.
    public func drop<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> AnyPublisher<Output, Failure> where P.Failure == Failure {
        relay { downstream in
            let isOpen = Guarded(false)
            publisher.first().attach(
                to: downstream, { _ in isOpen.withLock { $0 = true } },
                { if case .failure = $0 { downstream.send(completion: $0) } })
            return { value in
                if isOpen.withLock({ $0 }) { downstream.send(value) }
            }
        }
    }

    /// Sends the values of the other, and then its own.
    public func prepend<P: Publisher>(
        _ publisher: P
    ) -> AnyPublisher<Output, Failure> where P.Output == Output, P.Failure == Failure {
        publisher.append(self)
    }

    /// Sends the time since the previous value.
    public func measureInterval<S: Scheduler>(
        using scheduler: S
    ) -> AnyPublisher<SchedulerInterval, Failure> {
        relay { downstream in
            let last = Guarded(Date())
            return { _ in
                let now = Date()
                let before = last.withLock { last in
                    defer { last = now }
                    return last
                }
                downstream.send(
                    SchedulerInterval(timeInterval: now.timeIntervalSince(before)))
            }
        }
    }

    /// Itself: there is no debugger.
    public func breakpointOnError() -> AnyPublisher<Output, Failure> {
        eraseToAnyPublisher()
    }

    @_disfavoredOverload
    public func merge<P: Publisher, Q: Publisher, R: Publisher>(
        with second: P, _ third: Q, _ fourth: R
    ) -> AnyPublisher<Output, Failure>
    where
        P.Output == Output, P.Failure == Failure, Q.Output == Output, Q.Failure == Failure,
        R.Output == Output, R.Failure == Failure
    {
        merge(with: second, third).merge(with: fourth)
    }

    /// Sends the latest values of all, once each has sent one.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ second: P, _ third: Q, _ fourth: R
    ) -> AnyPublisher<(Output, P.Output, Q.Output, R.Output), Failure>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        combineLatest(second, third).combineLatest(fourth) { ($0.0, $0.1, $0.2, $1) }
    }

    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ second: P, _ third: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(second, third).map { transform($0.0, $0.1, $0.2) }
    }

    /// Sends the values of all in groups, first with first.
    public func zip<P: Publisher, Q: Publisher, R: Publisher>(
        _ second: P, _ third: Q, _ fourth: R
    ) -> AnyPublisher<(Output, P.Output, Q.Output, R.Output), Failure>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        zip(second, third).zip(fourth) { ($0.0, $0.1, $0.2, $1) }
    }
}

extension Publishers {
    /// The grouping of values by time.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// The values of each span of time.
        case byTime(Context, SchedulerInterval)
        /// The values of each span of time, or at most this many.
        case byTimeOrCount(Context, SchedulerInterval, Int)
    }
}

extension Publisher {
    /// Arrays of the values of each span of time; empty spans send none.
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>
    ) -> AnyPublisher<[Output], Failure> {
        let (scheduler, interval, limit) =
            switch strategy {
            case .byTime(let scheduler, let interval): (scheduler, interval, Int.max)
            case .byTimeOrCount(let scheduler, let interval, let count):
                (scheduler, interval, Swift.max(1, count))
            }
        return relay { downstream in
            let values = Guarded<[Output]>([])
            let flush = { (least: Int) in
                let full = values.withLock { values -> [Output] in
                    guard values.count >= least else { return [] }
                    defer { values = [] }
                    return values
                }
                if !full.isEmpty { downstream.send(full) }
            }
            return (
                { value in
                    let isFirst = values.withLock { values in
                        values.append(value)
                        return values.count == 1
                    }
                    if isFirst { scheduler.schedule(after: interval) { flush(1) } }
                    flush(limit)
                },
                { completion in
                    if case .finished = completion { flush(1) }
                    downstream.send(completion: completion)
                }
            )
        }
    }
}
