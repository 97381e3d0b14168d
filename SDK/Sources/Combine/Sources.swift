// SPDX-License-Identifier: Apache-2.0

/// Sends one value, and finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never
    public let output: Output

    public init(_ output: Output) {
        self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        AnyPublisher<Output, Never> { downstream in
            downstream.send(output)
            downstream.send(completion: .finished)
        }
        .receive(subscriber: subscriber)
    }
}

/// Sends nothing, and finishes unless `completeImmediately` is false.
public struct Empty<Output, Failure: Error>: Publisher {
    public let completeImmediately: Bool

    public init(completeImmediately: Bool = true) {
        self.completeImmediately = completeImmediately
    }

    public init(
        completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type
    ) {
        self.completeImmediately = completeImmediately
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        AnyPublisher<Output, Failure> { downstream in
            if completeImmediately { downstream.send(completion: .finished) }
        }
        .receive(subscriber: subscriber)
    }
}

/// Fails immediately.
public struct Fail<Output, Failure: Error>: Publisher {
    public let error: Failure

    public init(error: Failure) {
        self.error = error
    }

    public init(outputType: Output.Type, failure: Failure) {
        error = failure
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        AnyPublisher<Output, Failure> { $0.send(completion: .failure(error)) }
            .receive(subscriber: subscriber)
    }
}

/// Creates a publisher for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure
    public let createPublisher: () -> DeferredPublisher

    public init(createPublisher: @escaping () -> DeferredPublisher) {
        self.createPublisher = createPublisher
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        createPublisher().receive(subscriber: subscriber)
    }
}

/// Sends one value, or fails, once its promise is called. Its work starts at its creation.
public final class Future<Output, Failure: Error>: Publisher, Sendable {
    /// Only the first call has an effect. Any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    private struct State {
        var result: Result<Output, Failure>?
        var waiting: [Conduit<Output, Failure>] = []
    }

    private let state = Guarded(State())

    public init(_ attemptToFulfill: (@escaping Promise) -> Void) {
        attemptToFulfill { result in self.fulfill(result) }
    }

    private func fulfill(_ result: Result<Output, Failure>) {
        let waiting = state.withLock { state -> [Conduit<Output, Failure>] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for conduit in waiting { conduit.send(result) }
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        AnyPublisher<Output, Failure> { downstream in
            let result = self.state.withLock { state in
                if state.result == nil { state.waiting.append(downstream) }
                return state.result
            }
            if let result { downstream.send(result) }
        }
        .receive(subscriber: subscriber)
    }
}

extension Conduit {
    /// A value and the end, or the failure.
    func send(_ result: Result<Output, Failure>) {
        switch result {
        case .success(let value):
            send(value)
            send(completion: .finished)
        case .failure(let error):
            send(completion: .failure(error))
        }
    }
}

extension Future where Failure == Never {
    /// The value once there is one.
    public var value: Output {
        get async {
            await withCheckedContinuation { continuation in
                wait {
                    continuation.resume(returning: ValueHandover(value: $0).value)
                } failure: { _ in
                }
            }
        }
    }
}

extension Future {
    /// The value once there is one, or the failure.
    public var value: Output {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                wait {
                    continuation.resume(returning: ValueHandover(value: $0).value)
                } failure: {
                    continuation.resume(throwing: $0)
                }
            }
        }
    }
}

extension Future {
    private func wait(
        _ value: @escaping (Output) -> Void, failure: @escaping (Failure) -> Void
    ) {
        receive(
            subscriber: Subscribers.Sink<Output, Failure>(
                receiveCompletion: { if case .failure(let error) = $0 { failure(error) } },
                receiveValue: value))
    }
}

extension Sequence {
    /// Sends the elements, and finishes.
    public var publisher: Publishers.Sequence<Self, Never> {
        Publishers.Sequence(sequence: self)
    }
}

extension Optional {
    /// Sends the value, if there is one, and finishes.
    public var publisher: AnyPublisher<Wrapped, Never> {
        Publishers.Sequence<[Wrapped], Never>(sequence: map { [$0] } ?? []).eraseToAnyPublisher()
    }
}

extension Result {
    /// Sends the value, or fails.
    public var publisher: AnyPublisher<Success, Failure> {
        AnyPublisher { $0.send(self) }
    }
}
