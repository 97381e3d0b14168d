// SPDX-License-Identifier: Apache-2.0

/// Sends values over time to subscribers, then at most one completion.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// Attaches a subscriber. Call `subscribe(_:)` instead.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Attaches a subscriber.
    public func subscribe<S: Subscriber>(
        _ subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    /// Sends every value, and the completion, to a subject.
    public func subscribe<S: Subject>(
        _ subject: S
    ) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        sink(
            receiveCompletion: { subject.send(completion: $0) },
            receiveValue: { subject.send($0) })
    }

    /// Calls the closures with each value and with the completion, until the result is cancelled or
    /// released.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink(
            receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        receive(subscriber: sink)
        return AnyCancellable(sink)
    }

    /// Hides the type of the publisher.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
        AnyPublisher(self)
    }
}

extension Publisher where Failure == Never {
    /// Calls the closure with each value, until the result is cancelled or released.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }

    /// Assigns each value to a property of an object, which is held until the result is cancelled
    /// or released.
    public func assign<Root>(
        to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
    ) -> AnyCancellable {
        let assign = Subscribers.Assign(object: object, keyPath: keyPath)
        receive(subscriber: assign)
        return AnyCancellable(assign)
    }

    /// Assigns each value to a published property, for as long as that lives.
    public func assign(to published: inout Published<Output>.Publisher) {
        published.assign(from: self)
    }
}

/// Receives the values of a publisher.
public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    /// Called first. Request values of the subscription here, or later.
    func receive(subscription: any Subscription)
    /// Called with each value; the result is added to the demand.
    func receive(_ input: Input) -> Subscribers.Demand
    /// Called once, with nothing after it.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// A value without content.
    public func receive() -> Subscribers.Demand {
        receive(())
    }
}

/// Connects a subscriber with a publisher.
public protocol Subscription: Cancellable {
    /// Adds to the number of values the subscriber accepts.
    func request(_ demand: Subscribers.Demand)
}

/// The subscribers of this module, and the types they exchange with publishers.
public enum Subscribers {
    /// The end of a publisher.
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }

    /// A number of values.
    public struct Demand: Hashable, Comparable, Sendable {
        /// nil: no limit.
        public let max: Int?

        /// All values.
        public static let unlimited = Demand(max: nil)
        /// No value.
        public static let none = Demand(max: 0)

        /// This number of values; a negative number counts as 0.
        public static func max(_ value: Int) -> Demand {
            Demand(max: Swift.max(0, value))
        }

        public static func < (left: Demand, right: Demand) -> Bool {
            guard let leftMax = left.max else { return false }
            guard let rightMax = right.max else { return true }
            return leftMax < rightMax
        }

        public static func + (left: Demand, right: Demand) -> Demand {
            guard let leftMax = left.max, let rightMax = right.max else { return .unlimited }
            let (sum, isTooLarge) = leftMax.addingReportingOverflow(rightMax)
            return isTooLarge ? .unlimited : .max(sum)
        }

        public static func += (left: inout Demand, right: Demand) {
            left = left + right
        }

        /// One value less.
        var decremented: Demand {
            guard let max else { return self }
            return .max(max - 1)
        }
    }

    /// A subscriber made of two closures. It requests every value.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private struct State {
            var subscription: (any Subscription)?
            var receiveValue: ((Input) -> Void)?
            var receiveCompletion: ((Completion<Failure>) -> Void)?
        }

        private let state: Guarded<State>

        public init(
            receiveCompletion: @escaping (Completion<Failure>) -> Void,
            receiveValue: @escaping (Input) -> Void
        ) {
            state = Guarded(
                State(receiveValue: receiveValue, receiveCompletion: receiveCompletion))
        }

        public func receive(subscription: any Subscription) {
            state.withLock { $0.subscription = subscription }
            subscription.request(.unlimited)
        }

        public func receive(_ value: Input) -> Demand {
            state.withLock { $0.receiveValue }?(value)
            return .none
        }

        public func receive(completion: Completion<Failure>) {
            take().receiveCompletion?(completion)
        }

        public func cancel() {
            take().subscription?.cancel()
        }

        /// Ends it; the caller releases the captures of its closures outside the lock.
        private func take() -> State {
            state.withLock { state in
                defer { state = State() }
                return state
            }
        }
    }

    /// Assigns each value to a property of an object, which it holds until it is over.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        public typealias Failure = Never

        private struct State {
            var subscription: (any Subscription)?
            var object: Root?
        }

        public let keyPath: ReferenceWritableKeyPath<Root, Input>
        private let state: Guarded<State>

        /// nil once it is over.
        public var object: Root? { state.withLock { $0.object } }

        public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
            self.keyPath = keyPath
            state = Guarded(State(object: object))
        }

        public func receive(subscription: any Subscription) {
            state.withLock { $0.subscription = subscription }
            subscription.request(.unlimited)
        }

        public func receive(_ value: Input) -> Demand {
            if let object { object[keyPath: keyPath] = value }
            return .none
        }

        public func receive(completion: Completion<Never>) {
            _ = take()
        }

        public func cancel() {
            take().subscription?.cancel()
        }

        /// Ends it; the caller releases the object outside the lock.
        private func take() -> State {
            state.withLock { state in
                defer { state = State() }
                return state
            }
        }
    }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
