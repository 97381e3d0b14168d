// SPDX-License-Identifier: Apache-2.0

// Operators that select values or combine all values into one.
extension Publisher {
    public func first() -> AnyPublisher<Output, Failure> {
        prefix(1)
    }

    public func first(
        where predicate: @escaping (Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        filter(predicate).prefix(1)
    }

    /// The first values, no more than `maxLength`.
    public func prefix(_ maxLength: Int) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let left = Guarded(maxLength)
            if maxLength <= 0 { downstream.send(completion: .finished) }
            return { value in
                let rest = left.withLock { left in
                    left = Swift.max(-1, left - 1)
                    return left
                }
                if rest >= 0 { downstream.send(value) }
                if rest <= 0 { downstream.send(completion: .finished) }
            }
        }
    }

    /// The first values, while `predicate` holds.
    public func prefix(
        while predicate: @escaping (Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            { value in
                if predicate(value) {
                    downstream.send(value)
                } else {
                    downstream.send(completion: .finished)
                }
            }
        }
    }

    /// The values until `publisher` sends one.
    public func prefix<P: Publisher>(
        untilOutputFrom publisher: P
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            publisher.attach(to: downstream) { _ in
                downstream.send(completion: .finished)
            } _: { _ in
            }
            return { downstream.send($0) }
        }
    }

    public func dropFirst(_ count: Int = 1) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let left = Guarded(count)
            return { value in
                let isDropped = left.withLock { left in
                    defer { left = Swift.max(0, left - 1) }
                    return left > 0
                }
                if !isDropped { downstream.send(value) }
            }
        }
    }

    public func drop(
        while predicate: @escaping (Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let isDropping = Guarded(true)
            return { value in
                if isDropping.withLock({ $0 }), predicate(value) { return }
                isDropping.withLock { $0 = false }
                downstream.send(value)
            }
        }
    }

    /// One result, made of all values once they have ended.
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> AnyPublisher<T, Failure> {
        relay { downstream in
            let result = Guarded(initialResult)
            return (
                { value in
                    let new = nextPartialResult(result.withLock { $0 }, value)
                    result.withLock { $0 = new }
                },
                { completion in
                    if case .finished = completion { downstream.send(result.withLock { $0 }) }
                    downstream.send(completion: completion)
                }
            )
        }
    }

    /// All values, in an array, once they have ended.
    public func collect() -> AnyPublisher<[Output], Failure> {
        reduce([]) { $0 + [$1] }
    }

    /// Arrays of `count` values, the last may have fewer.
    public func collect(_ count: Int) -> AnyPublisher<[Output], Failure> {
        relay { downstream in
            let values = Guarded<[Output]>([])
            let take = { (limit: Int) -> [Output] in
                values.withLock { values in
                    guard values.count >= limit else { return [] }
                    defer { values = [] }
                    return values
                }
            }
            return (
                { value in
                    values.withLock { $0.append(value) }
                    let full = take(Swift.max(1, count))
                    if !full.isEmpty { downstream.send(full) }
                },
                { completion in
                    let rest = take(1)
                    if case .finished = completion, !rest.isEmpty { downstream.send(rest) }
                    downstream.send(completion: completion)
                }
            )
        }
    }

    public func count() -> AnyPublisher<Int, Failure> {
        reduce(0) { count, _ in count + 1 }
    }

    public func last() -> AnyPublisher<Output, Failure> {
        reduce(Output?.none) { $1 }.compactMap { $0 }
    }

    public func last(
        where predicate: @escaping (Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        filter(predicate).last()
    }

    public func allSatisfy(
        _ predicate: @escaping (Output) -> Bool
    ) -> AnyPublisher<Bool, Failure> {
        reduce(true) { $0 && predicate($1) }
    }

    /// Whether a value satisfies `predicate`, as soon as one does.
    public func contains(
        where predicate: @escaping (Output) -> Bool
    ) -> AnyPublisher<Bool, Failure> {
        filter(predicate).map { _ in true }.prefix(1).replaceEmpty(with: false)
    }

    public func contains(
        _ value: Output
    ) -> AnyPublisher<Bool, Failure> where Output: Equatable {
        contains { $0 == value }
    }

    public func min() -> AnyPublisher<Output, Failure> where Output: Comparable {
        reduce(Output?.none) { result, value in result.map { Swift.min($0, value) } ?? value }
            .compactMap { $0 }
    }

    public func max() -> AnyPublisher<Output, Failure> where Output: Comparable {
        reduce(Output?.none) { result, value in result.map { Swift.max($0, value) } ?? value }
            .compactMap { $0 }
    }

    /// Sends `output` if there was no value.
    public func replaceEmpty(with output: Output) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let isEmpty = Guarded(true)
            return (
                { value in
                    isEmpty.withLock { $0 = false }
                    downstream.send(value)
                },
                { completion in
                    if case .finished = completion, isEmpty.withLock({ $0 }) {
                        downstream.send(output)
                    }
                    downstream.send(completion: completion)
                }
            )
        }
    }

    /// Sends the elements before the values.
    public func prepend(_ elements: Output...) -> AnyPublisher<Output, Failure> {
        prepend(elements)
    }

    public func prepend<S: Sequence>(
        _ elements: S
    ) -> AnyPublisher<Output, Failure> where S.Element == Output {
        AnyPublisher { downstream in
            for element in elements { downstream.send(element) }
            attach(to: downstream, downstream.send) { downstream.send(completion: $0) }
        }
    }

    /// Sends the elements after the values.
    public func append(_ elements: Output...) -> AnyPublisher<Output, Failure> {
        append(elements)
    }

    public func append<S: Sequence>(
        _ elements: S
    ) -> AnyPublisher<Output, Failure> where S.Element == Output {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Sends the values of `next` once these have ended.
    public func append<P: Publisher>(
        _ next: P
    ) -> AnyPublisher<Output, Failure> where P.Output == Output, P.Failure == Failure {
        relay { downstream in
            (
                { downstream.send($0) },
                { completion in
                    guard case .finished = completion else {
                        return downstream.send(completion: completion)
                    }
                    next.attach(to: downstream, downstream.send) {
                        downstream.send(completion: $0)
                    }
                }
            )
        }
    }
}
