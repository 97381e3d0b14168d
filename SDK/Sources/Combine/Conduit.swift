// SPDX-License-Identifier: Apache-2.0

/// The subscription of one subscriber to a publisher of this module. Values are buffered until the
/// subscriber requests them, and delivered in order, by one thread at a time.
final class Conduit<Output, Failure: Error>: Subscription, Sendable {
    private struct State {
        /// nil once it is over.
        var subscriber: AnySubscriber<Output, Failure>?
        var waiting: [Output] = []
        var completion: Subscribers.Completion<Failure>?
        var demand = Subscribers.Demand.none
        var isDraining = false
        var upstream: [any Cancellable] = []
    }

    private let state: Guarded<State>

    init(_ subscriber: AnySubscriber<Output, Failure>) {
        state = Guarded(State(subscriber: subscriber))
    }

    /// Cancelled, or completed.
    var isOver: Bool { state.withLock { $0.subscriber == nil } }

    /// Cancels `other` when this is over.
    func add(_ other: any Cancellable) {
        let isOver = state.withLock { state in
            if state.subscriber != nil { state.upstream.append(other) }
            return state.subscriber == nil
        }
        if isOver { other.cancel() }
    }

    func send(_ value: Output) {
        drain { state in
            guard state.completion == nil else { return }
            state.waiting.append(value)
        }
    }

    /// The same for a buffer with a limit.
    func send(
        _ value: Output, keeping limit: Int, _ whenFull: Publishers.BufferingStrategy<Failure>
    ) {
        drain { state in
            guard state.completion == nil else { return }
            state.waiting.append(value)
            guard let demand = state.demand.max, state.waiting.count - demand > limit else {
                return
            }
            switch whenFull {
            case .dropNewest: state.waiting.removeLast()
            case .dropOldest: state.waiting.removeFirst()
            case .customError(let error):
                state.waiting.removeLast()
                state.completion = .failure(error())
            }
        }
    }

    /// Buffered values are delivered first. Only the first completion has an effect.
    func send(completion: Subscribers.Completion<Failure>) {
        drain { state in state.completion = state.completion ?? completion }
    }

    func request(_ demand: Subscribers.Demand) {
        drain { $0.demand += demand }
    }

    func cancel() {
        end(state.withLock { take(&$0) })
    }

    /// Changes the state, then delivers the requested values, unless another call already delivers.
    private func drain(_ change: (inout State) -> Void) {
        let isMine = state.withLock { state in
            guard state.subscriber != nil else { return false }
            change(&state)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard isMine else { return }
        while let deliver = state.withLock(next) { deliver() }
    }

    private func next(_ state: inout State) -> (() -> Void)? {
        guard let subscriber = state.subscriber else { return nil }
        if !state.waiting.isEmpty, state.demand > .none {
            state.demand = state.demand.decremented
            let value = state.waiting.removeFirst()
            return { [self] in
                let more = subscriber.receive(value)
                self.state.withLock { $0.demand += more }
            }
        }
        if state.waiting.isEmpty, let completion = state.completion {
            let upstream = take(&state)
            return { [self] in
                subscriber.receive(completion: completion)
                end(upstream)
            }
        }
        state.isDraining = false
        return nil
    }

    private func take(_ state: inout State) -> State {
        defer { state = State() }
        return state
    }

    private func end(_ state: State) {
        for each in state.upstream { each.cancel() }
    }
}

/// Receives the input of one operator. It requests every value.
final class Relay<Input, Failure: Error>: Subscriber, Cancellable {
    private struct State {
        var subscription: (any Subscription)?
        var isCancelled = false
    }

    private let state = Guarded(State())
    private let receiveValue: (Input) -> Void
    private let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    init(
        _ receiveValue: @escaping (Input) -> Void,
        _ receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        self.receiveValue = receiveValue
        self.receiveCompletion = receiveCompletion
    }

    func receive(subscription: any Subscription) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.subscription = subscription }
            return state.isCancelled
        }
        guard !isCancelled else { return subscription.cancel() }
        subscription.request(.unlimited)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        receiveValue(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        state.withLock { $0.subscription = nil }
        receiveCompletion(completion)
    }

    func cancel() {
        let subscription = state.withLock { state in
            state.isCancelled = true
            defer { state.subscription = nil }
            return state.subscription
        }
        subscription?.cancel()
    }
}

extension Publisher {
    /// An operator: `make` is called for each subscriber and determines how each value and the
    /// completion are processed.
    func relay<NewOutput, NewFailure: Error>(
        _ make:
            @escaping (Conduit<NewOutput, NewFailure>) -> (
                value: (Output) -> Void, completion: (Subscribers.Completion<Failure>) -> Void
            )
    ) -> AnyPublisher<NewOutput, NewFailure> {
        AnyPublisher { downstream in
            let (value, completion) = make(downstream)
            attach(to: downstream, value, completion)
        }
    }

    /// Receives until `downstream` is over.
    func attach<NewOutput, NewFailure: Error>(
        to downstream: Conduit<NewOutput, NewFailure>, _ value: @escaping (Output) -> Void,
        _ completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        let relay = Relay(value, completion)
        downstream.add(relay)
        receive(subscriber: relay)
    }

    /// An operator that changes values only.
    func relay<NewOutput>(
        _ make: @escaping (Conduit<NewOutput, Failure>) -> (Output) -> Void
    ) -> AnyPublisher<NewOutput, Failure> {
        relay { downstream in (make(downstream), { downstream.send(completion: $0) }) }
    }
}
