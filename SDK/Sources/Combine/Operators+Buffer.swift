// SPDX-License-Identifier: Apache-2.0

extension Publishers {
    /// The demand of a buffer; it is always unlimited.
    public enum PrefetchStrategy: Sendable {
        case keepFull, byRequest
    }

    /// The reaction of a full buffer to the next value.
    public enum BufferingStrategy<Failure: Error> {
        case dropNewest, dropOldest
        case customError(() -> Failure)
    }
}

extension Publisher {
    /// Keeps at most `size` values that the subscriber has not requested.
    public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy,
        whenFull: Publishers.BufferingStrategy<Failure>
    ) -> AnyPublisher<Output, Failure> {
        relay { downstream in
            { value in downstream.send(value, keeping: Swift.max(0, size), whenFull) }
        }
    }

    /// Writes each event to a stream; nil: standard output.
    public func print(
        _ prefix: String = "", to stream: (any TextOutputStream)?
    ) -> AnyPublisher<Output, Failure> {
        guard let stream else { return print(prefix) }
        let target = Guarded(stream)
        let start = prefix.isEmpty ? "" : "\(prefix): "
        let write = { (event: String) in
            target.withLock { $0.write("\(start)\(event)\n") }
        }
        return handleEvents(
            receiveSubscription: { _ in write("receive subscription") },
            receiveOutput: { write("receive value: (\($0))") },
            receiveCompletion: {
                switch $0 {
                case .finished: write("receive finished")
                case .failure(let error): write("receive error: (\(error))")
                }
            },
            receiveCancel: { write("receive cancel") })
    }
}
