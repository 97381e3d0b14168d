// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Operators that process each value.
extension Publisher {
    public func map<T>(_ transform: @escaping (Output) -> T) -> AnyPublisher<T, Failure> {
        relay { downstream in { downstream.send(transform($0)) } }
    }

    public func map<T>(_ keyPath: KeyPath<Output, T>) -> AnyPublisher<T, Failure> {
        map { $0[keyPath: keyPath] }
    }

    /// Fails with the error that `transform` throws.
    public func tryMap<T>(
        _ transform: @escaping (Output) throws -> T
    ) -> AnyPublisher<T, any Error> {
        attempting { downstream, value in downstream.send(try transform(value)) }
    }

    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> AnyPublisher<T, Failure> {
        relay { downstream in { value in if let new = transform(value) { downstream.send(new) } } }
    }

    /// Fails with the error that `transform` throws.
    public func tryCompactMap<T>(
        _ transform: @escaping (Output) throws -> T?
    ) -> AnyPublisher<T, any Error> {
        attempting { downstream, value in
            if let new = try transform(value) { downstream.send(new) }
        }
    }

    public func filter(
        _ isIncluded: @escaping (Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in { if isIncluded($0) { downstream.send($0) } } }
    }

    /// Fails with the error that `isIncluded` throws.
    public func tryFilter(
        _ isIncluded: @escaping (Output) throws -> Bool
    ) -> AnyPublisher<Output, any Error> {
        attempting { downstream, value in if try isIncluded(value) { downstream.send(value) } }
    }

    public func replaceNil<T>(with output: T) -> AnyPublisher<T, Failure> where Output == T? {
        map { $0 ?? output }
    }

    /// Sends the result of `nextPartialResult`, applied to the previous result and each value.
    public func scan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> AnyPublisher<T, Failure> {
        relay { downstream in
            let result = Guarded(initialResult)
            return { value in
                let new = nextPartialResult(result.withLock { $0 }, value)
                result.withLock { $0 = new }
                downstream.send(new)
            }
        }
    }

    /// Sends a value unless it equals the previous one.
    public func removeDuplicates(
        by predicate: @escaping (Output, Output) -> Bool
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            let last = Guarded<Output?>(nil)
            return { value in
                if let before = last.withLock({ $0 }), predicate(before, value) { return }
                last.withLock { $0 = value }
                downstream.send(value)
            }
        }
    }

    public func removeDuplicates() -> AnyPublisher<Output, Failure> where Output: Equatable {
        removeDuplicates(by: ==)
    }

    public func ignoreOutput() -> AnyPublisher<Never, Failure> {
        relay { _ in { _ in } }
    }

    /// Calls the closures at each event, and changes nothing.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            receiveSubscription?(downstream)
            receiveRequest?(.unlimited)
            let isComplete = Guarded(false)
            downstream.add(
                AnyCancellable { if !isComplete.withLock({ $0 }) { receiveCancel?() } })
            return (
                { value in
                    receiveOutput?(value)
                    downstream.send(value)
                },
                { completion in
                    isComplete.withLock { $0 = true }
                    receiveCompletion?(completion)
                    downstream.send(completion: completion)
                }
            )
        }
    }

    /// Prints each event.
    public func print(_ prefix: String = "") -> AnyPublisher<Output, Failure> {
        let start = prefix.isEmpty ? "" : "\(prefix): "
        return handleEvents(
            receiveSubscription: { _ in Swift.print("\(start)receive subscription") },
            receiveOutput: { Swift.print("\(start)receive value: (\($0))") },
            receiveCompletion: {
                switch $0 {
                case .finished: Swift.print("\(start)receive finished")
                case .failure(let error): Swift.print("\(start)receive error: (\(error))")
                }
            },
            receiveCancel: { Swift.print("\(start)receive cancel") })
    }

    public func decode<Item: Decodable, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> AnyPublisher<Item, any Error> where Output == Coder.Input {
        tryMap { try decoder.decode(type, from: $0) }
    }

    public func encode<Coder: TopLevelEncoder>(
        encoder: Coder
    ) -> AnyPublisher<Coder.Output, any Error> where Output: Encodable {
        tryMap { try encoder.encode($0) }
    }

    /// An operator that may throw, and then fails.
    func attempting<T>(
        _ body: @escaping (Conduit<T, any Error>, Output) throws -> Void
    ) -> AnyPublisher<T, any Error> {
        relay { downstream in
            (
                { value in
                    do {
                        try body(downstream, value)
                    } catch {
                        downstream.send(completion: .failure(error))
                    }
                },
                { downstream.send(completion: $0.mapError { $0 }) }
            )
        }
    }
}

extension Subscribers.Completion {
    func mapError<NewFailure: Error>(
        _ transform: (Failure) -> NewFailure
    ) -> Subscribers.Completion<NewFailure> {
        switch self {
        case .finished: .finished
        case .failure(let error): .failure(transform(error))
        }
    }
}

/// Decodes values from data.
public protocol TopLevelDecoder {
    associatedtype Input
    func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}

/// Encodes values as data.
public protocol TopLevelEncoder {
    associatedtype Output
    func encode<T: Encodable>(_ value: T) throws -> Output
}

extension JSONDecoder: TopLevelDecoder {}
extension JSONEncoder: TopLevelEncoder {}
extension PropertyListDecoder: TopLevelDecoder {}
extension PropertyListEncoder: TopLevelEncoder {}
