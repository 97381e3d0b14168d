// SPDX-License-Identifier: Apache-2.0

// Several publishers.
extension Publisher {
    /// Sends the values of the publishers that `transform` creates from each value, as they arrive.
    ///
    /// - Parameter maxPublishers: the maximum number of concurrent subscriptions; the rest wait.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
        relay { downstream in
            let inner = InnerPublishers<P>(downstream, limit: maxPublishers)
            return ({ inner.add(transform($0)) }, inner.endOuter)
        }
    }

    /// The same for publishers that do not fail.
    @_disfavoredOverload
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Failure> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
    }

    /// The same on a publisher that does not fail.
    @_disfavoredOverload
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, P.Failure> where Failure == Never {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// Sends the values of this and the others, as they arrive.
    public func merge<P: Publisher>(
        with others: P...
    ) -> AnyPublisher<Output, Failure> where P.Output == Output, P.Failure == Failure {
        Publishers.MergeMany([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() })
            .eraseToAnyPublisher()
    }

    @_disfavoredOverload
    public func merge<P: Publisher, Q: Publisher>(
        with second: P, _ third: Q
    ) -> AnyPublisher<Output, Failure>
    where P.Output == Output, P.Failure == Failure, Q.Output == Output, Q.Failure == Failure {
        merge(with: second).merge(with: third)
    }

    /// Sends the latest values of both, once each has sent one.
    public func combineLatest<P: Publisher>(
        _ other: P
    ) -> AnyPublisher<(Output, P.Output), Failure> where P.Failure == Failure {
        AnyPublisher { downstream in
            let latest = Guarded<(Output?, P.Output?)>((nil, nil))
            let both = Both(downstream)
            let send = { (values: (Output?, P.Output?)) in
                if let first = values.0, let second = values.1 { downstream.send((first, second)) }
            }
            attach(to: downstream) { value in
                send(
                    latest.withLock {
                        $0.0 = value
                        return $0
                    })
            } _: {
                both.end($0)
            }
            other.attach(to: downstream) { value in
                send(
                    latest.withLock {
                        $0.1 = value
                        return $0
                    })
            } _: {
                both.end($0)
            }
        }
    }

    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }

    public func combineLatest<P: Publisher, Q: Publisher>(
        _ second: P, _ third: Q
    ) -> AnyPublisher<(Output, P.Output, Q.Output), Failure>
    where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(second).combineLatest(third).map { ($0.0.0, $0.0.1, $0.1) }
    }

    /// Sends the first values of both, the second values of both, and so on.
    public func zip<P: Publisher>(
        _ other: P
    ) -> AnyPublisher<(Output, P.Output), Failure> where P.Failure == Failure {
        AnyPublisher { downstream in
            let pairs = Pairs<Output, P.Output>()
            let send = { if let pair = pairs.take() { downstream.send(pair) } }
            let end = { (completion: Subscribers.Completion<Failure>, isFirst: Bool) in
                if case .failure = completion { return downstream.send(completion: completion) }
                if pairs.end(first: isFirst) { downstream.send(completion: .finished) }
            }
            let checkEnd = { if pairs.isOver { downstream.send(completion: .finished) } }
            attach(to: downstream) {
                pairs.add(first: $0)
                send()
                checkEnd()
            } _: {
                end($0, true)
            }
            other.attach(to: downstream) {
                pairs.add(second: $0)
                send()
                checkEnd()
            } _: {
                end($0, false)
            }
        }
    }

    public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
        zip(other).map { transform($0.0, $0.1) }
    }

    public func zip<P: Publisher, Q: Publisher>(
        _ second: P, _ third: Q
    ) -> AnyPublisher<(Output, P.Output, Q.Output), Failure>
    where P.Failure == Failure, Q.Failure == Failure {
        zip(second).zip(third).map { ($0.0.0, $0.0.1, $0.1) }
    }

    /// Sends the values of the latest publisher that was sent.
    public func switchToLatest() -> AnyPublisher<Output.Output, Failure>
    where Output: Publisher, Output.Failure == Failure {
        relay { downstream in
            let latest = Latest<Output>(downstream)
            return (latest.replace, latest.endOuter)
        }
    }

    /// One subscription for all subscribers: it begins with the first of them.
    public func share() -> AnyPublisher<Output, Failure> {
        let shared = Shared(self)
        return AnyPublisher { shared.attach($0) }
    }
}

/// The publishers of a `flatMap`: those with a subscription, and those that wait.
private final class InnerPublishers<Inner: Publisher>: Sendable {
    private struct State {
        var waiting: [Inner] = []
        var active = 0
        var isOuterOver = false
    }

    private let state = Guarded(State())
    private let downstream: Conduit<Inner.Output, Inner.Failure>
    private let limit: Subscribers.Demand

    init(_ downstream: Conduit<Inner.Output, Inner.Failure>, limit: Subscribers.Demand) {
        self.downstream = downstream
        self.limit = limit
    }

    func add(_ inner: Inner) {
        state.withLock { $0.waiting.append(inner) }
        startNext()
    }

    func endOuter(_ completion: Subscribers.Completion<Inner.Failure>) {
        if case .failure = completion { return downstream.send(completion: completion) }
        state.withLock { $0.isOuterOver = true }
        finishIfDone()
    }

    private func startNext() {
        let next = state.withLock { state -> Inner? in
            guard .max(state.active) < limit, !state.waiting.isEmpty else { return nil }
            state.active += 1
            return state.waiting.removeFirst()
        }
        next?.attach(to: downstream, downstream.send) { [self] completion in
            if case .failure = completion { return downstream.send(completion: completion) }
            state.withLock { $0.active -= 1 }
            startNext()
            finishIfDone()
        }
    }

    private func finishIfDone() {
        let isDone = state.withLock { $0.isOuterOver && $0.active == 0 && $0.waiting.isEmpty }
        if isDone { downstream.send(completion: .finished) }
    }
}

/// The publisher of a `switchToLatest` that was sent last.
private final class Latest<Inner: Publisher>: Sendable {
    private struct State {
        var number = 0
        var relay: Relay<Inner.Output, Inner.Failure>?
        var isOuterOver = false
    }

    private let state = Guarded(State())
    private let downstream: Conduit<Inner.Output, Inner.Failure>

    init(_ downstream: Conduit<Inner.Output, Inner.Failure>) {
        self.downstream = downstream
    }

    func replace(_ inner: Inner) {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let relay = Relay<Inner.Output, Inner.Failure> { [self] in
            if isCurrent(number) { downstream.send($0) }
        } _: { [self] in
            if isCurrent(number) { endInner($0) }
        }
        let before = state.withLock { state in
            defer { state.relay = relay }
            return state.relay
        }
        before?.cancel()
        downstream.add(AnyCancellable { [weak relay] in relay?.cancel() })
        inner.receive(subscriber: relay)
    }

    func endOuter(_ completion: Subscribers.Completion<Inner.Failure>) {
        if case .failure = completion { return downstream.send(completion: completion) }
        let isOver = state.withLock { state in
            state.isOuterOver = true
            return state.relay == nil
        }
        if isOver { downstream.send(completion: .finished) }
    }

    private func isCurrent(_ number: Int) -> Bool {
        state.withLock { $0.number == number }
    }

    private func endInner(_ completion: Subscribers.Completion<Inner.Failure>) {
        if case .failure = completion { return downstream.send(completion: completion) }
        let isOver = state.withLock { state in
            state.relay = nil
            return state.isOuterOver
        }
        if isOver { downstream.send(completion: .finished) }
    }
}

/// Ends when both of two publishers have, or one of them fails.
private final class Both<Output, Failure: Error>: Sendable {
    private let left = Guarded(2)
    private let downstream: Conduit<Output, Failure>

    init(_ downstream: Conduit<Output, Failure>) {
        self.downstream = downstream
    }

    func end(_ completion: Subscribers.Completion<Failure>) {
        if case .failure = completion { return downstream.send(completion: completion) }
        let isOver = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isOver { downstream.send(completion: .finished) }
    }
}

/// The values of two publishers, until there is one of each.
private final class Pairs<First, Second>: Sendable {
    private struct State {
        var first: [First] = []
        var second: [Second] = []
        var isFirstOver = false
        var isSecondOver = false

        var isOver: Bool {
            (isFirstOver && first.isEmpty) || (isSecondOver && second.isEmpty)
        }
    }

    private let state = Guarded(State())

    func add(first: First) { state.withLock { $0.first.append(first) } }

    func add(second: Second) { state.withLock { $0.second.append(second) } }

    func take() -> (First, Second)? {
        state.withLock { state in
            guard !state.first.isEmpty, !state.second.isEmpty else { return nil }
            return (state.first.removeFirst(), state.second.removeFirst())
        }
    }

    /// Whether no more pairs are possible.
    var isOver: Bool { state.withLock { $0.isOver } }

    func end(first isFirst: Bool) -> Bool {
        state.withLock { state in
            if isFirst { state.isFirstOver = true } else { state.isSecondOver = true }
            return state.isOver
        }
    }
}

/// One subscription that several subscribers share.
private final class Shared<Upstream: Publisher>: Sendable {
    private let upstream: Guarded<Upstream>
    private let subject = PassthroughSubject<Upstream.Output, Upstream.Failure>()
    private let connection = Guarded<(count: Int, relay: AnyCancellable?)>((0, nil))

    init(_ upstream: Upstream) {
        self.upstream = Guarded(upstream)
    }

    func attach(_ downstream: Conduit<Upstream.Output, Upstream.Failure>) {
        subject.attach(to: downstream, downstream.send) { downstream.send(completion: $0) }
        let isFirst = connection.withLock { connection in
            connection.count += 1
            return connection.count == 1
        }
        downstream.add(
            AnyCancellable { [self] in
                let last = connection.withLock { connection -> AnyCancellable? in
                    connection.count -= 1
                    guard connection.count == 0 else { return nil }
                    defer { connection.relay = nil }
                    return connection.relay
                }
                last?.cancel()
            })
        guard isFirst else { return }
        let subscription = upstream.withLock { $0 }.subscribe(subject)
        connection.withLock { if $0.count > 0 { $0.relay = subscription } }
    }
}
