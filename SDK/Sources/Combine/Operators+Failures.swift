// SPDX-License-Identifier: Apache-2.0

// Operators that process a failure.
extension Publisher {
    public func mapError<E: Error>(
        _ transform: @escaping (Failure) -> E
    ) -> AnyPublisher<Output, E> {
        relay { downstream in
            ({ downstream.send($0) }, { downstream.send(completion: $0.mapError(transform)) })
        }
    }

    /// Continues with another publisher.
    public func `catch`<P: Publisher>(
        _ handler: @escaping (Failure) -> P
    ) -> AnyPublisher<Output, P.Failure> where P.Output == Output {
        relay { downstream in
            (
                { downstream.send($0) },
                { completion in
                    switch completion {
                    case .finished: downstream.send(completion: .finished)
                    case .failure(let error):
                        handler(error).attach(to: downstream, downstream.send) {
                            downstream.send(completion: $0)
                        }
                    }
                }
            )
        }
    }

    /// Continues with another publisher, or fails with the error that `handler` throws.
    public func tryCatch<P: Publisher>(
        _ handler: @escaping (Failure) throws -> P
    ) -> AnyPublisher<Output, any Error> where P.Output == Output {
        self.catch { failure -> AnyPublisher<Output, any Error> in
            do {
                return try handler(failure).mapError { $0 as any Error }.eraseToAnyPublisher()
            } catch {
                return Fail(error: error).eraseToAnyPublisher()
            }
        }
    }

    /// Sends `output` in place of the failure, and finishes.
    public func replaceError(with output: Output) -> AnyPublisher<Output, Never> {
        self.catch { _ in Just(output) }
    }

    /// Subscribes again after a failure, at most `retries` times.
    public func retry(_ retries: Int) -> AnyPublisher<Output, Failure> {
        guard retries > 0 else { return eraseToAnyPublisher() }
        return self.catch { _ in self.retry(retries - 1) }
    }

    /// Ends the process on a failure.
    public func assertNoFailure(_ prefix: String = "") -> AnyPublisher<Output, Never> {
        mapError { fatalError("\(prefix)\(prefix.isEmpty ? "" : " ")\($0)") }
    }
}

extension Publisher where Failure == Never {
    public func setFailureType<E: Error>(to failureType: E.Type) -> AnyPublisher<Output, E> {
        relay { downstream in
            ({ downstream.send($0) }, { _ in downstream.send(completion: .finished) })
        }
    }
}
