// SPDX-License-Identifier: Apache-2.0

/// A publisher through which other code sends values.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)
    /// Completes the subject: nothing is sent after it.
    func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
    /// Sends a value without content.
    public func send() {
        send(())
    }
}

/// Sends each value to the current subscribers. Any thread.
public final class PassthroughSubject<Output, Failure: Error>: Subject, Sendable {
    private let subscribers = SubscriberList<Output, Failure>()

    public init() {}

    public func send(_ value: Output) {
        for conduit in subscribers.all { conduit.send(value) }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        subscribers.complete(completion)
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        subscribers.attach(AnySubscriber(subscriber))
    }
}

/// Has a value, and sends it to every new subscriber, and each change. Thread-safe.
public final class CurrentValueSubject<Output, Failure: Error>: Subject, Sendable {
    private let subscribers = SubscriberList<Output, Failure>()
    private let current: Guarded<Output>

    public init(_ value: Output) {
        current = Guarded(value)
    }

    /// A new value is sent.
    public var value: Output {
        get { current.withLock { $0 } }
        set { send(newValue) }
    }

    public func send(_ value: Output) {
        guard subscribers.completion == nil else { return }
        current.withLock { $0 = value }
        for conduit in subscribers.all { conduit.send(value) }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        subscribers.complete(completion)
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        subscribers.attach(AnySubscriber(subscriber)) { $0.send(self.value) }
    }
}

/// The subscribers.
final class SubscriberList<Output, Failure: Error>: Sendable {
    private struct State {
        var conduits: [ObjectIdentifier: (order: Int, conduit: Conduit<Output, Failure>)] = [:]
        var nextOrder = 0
        var completion: Subscribers.Completion<Failure>?
    }

    private let state = Guarded(State())

    /// The first to subscribe first.
    var all: [Conduit<Output, Failure>] {
        state.withLock { $0.conduits.values.sorted { $0.order < $1.order }.map(\.conduit) }
    }

    var completion: Subscribers.Completion<Failure>? { state.withLock(\.completion) }

    /// - Parameter greet: receives the connection before any other value is sent to it.
    func attach(
        _ subscriber: AnySubscriber<Output, Failure>,
        greet: (Conduit<Output, Failure>) -> Void = { _ in }
    ) {
        let conduit = Conduit(subscriber)
        subscriber.receive(subscription: conduit)
        let key = ObjectIdentifier(conduit)
        if completion == nil { greet(conduit) }
        let completion = state.withLock { state in
            if state.completion == nil {
                state.conduits[key] = (state.nextOrder, conduit)
                state.nextOrder += 1
            }
            return state.completion
        }
        guard completion == nil else { return conduit.send(completion: completion ?? .finished) }
        conduit.add(
            AnyCancellable { [weak self] in
                let removed = self?.state.withLock { $0.conduits.removeValue(forKey: key) }
                withExtendedLifetime(removed) {}
            })
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
        let conduits = all
        state.withLock { state in
            guard state.completion == nil else { return }
            state.completion = completion
            state.conduits = [:]
        }
        for conduit in conduits { conduit.send(completion: completion) }
    }
}
