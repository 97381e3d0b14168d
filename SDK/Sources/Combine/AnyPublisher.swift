// SPDX-License-Identifier: Apache-2.0

/// A type-erased publisher. The operators of this module return it; Apple's return individual
/// types.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let attach: (AnySubscriber<Output, Failure>) -> Void

    /// Sends the values and the completion of `other`.
    public init<Other: Publisher>(
        _ other: Other
    ) where Other.Output == Output, Other.Failure == Failure {
        attach = { other.receive(subscriber: $0) }
    }

    /// Sends the values and the completion that `start`, called for each subscriber, produces.
    init(_ start: @escaping (Conduit<Output, Failure>) -> Void) {
        attach = { subscriber in
            let conduit = Conduit(subscriber)
            subscriber.receive(subscription: conduit)
            if !conduit.isOver { start(conduit) }
        }
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        attach(AnySubscriber(subscriber))
    }
}

/// A subscriber of any type.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    private let receiveSubscription: (any Subscription) -> Void
    private let receiveValue: (Input) -> Subscribers.Demand
    private let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    /// Forwards everything to `other`.
    public init<Other: Subscriber>(
        _ other: Other
    ) where Other.Input == Input, Other.Failure == Failure {
        receiveSubscription = { other.receive(subscription: $0) }
        receiveValue = { other.receive($0) }
        receiveCompletion = { other.receive(completion: $0) }
    }

    /// Without `receiveValue`, no further values are requested.
    public init(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveValue: ((Input) -> Subscribers.Demand)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) {
        self.receiveSubscription = receiveSubscription ?? { _ in }
        self.receiveValue = receiveValue ?? { _ in .none }
        self.receiveCompletion = receiveCompletion ?? { _ in }
    }

    public func receive(subscription: any Subscription) {
        receiveSubscription(subscription)
    }

    public func receive(_ value: Input) -> Subscribers.Demand {
        receiveValue(value)
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
        receiveCompletion(completion)
    }
}
