// SPDX-License-Identifier: Apache-2.0

public import Combine
public import Foundation
public import FoundationNetworking

extension URLSession {
    /// Sends the server's response, once per subscriber; cancelling the subscription cancels the
    /// task. Not for background sessions.
    public struct DataTaskPublisher: Publisher {
        public typealias Output = (data: Data, response: URLResponse)
        public typealias Failure = URLError

        public let request: URLRequest
        public let session: URLSession

        public init(request: URLRequest, session: URLSession) {
            self.request = request
            self.session = session
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == URLError {
            Deferred {
                let running = Running()
                return Future<Output, URLError> { promise in
                    let task = session.dataTask(with: request) { data, response, error in
                        if let error {
                            promise(.failure(error as? URLError ?? URLError(.unknown)))
                        } else if let response {
                            promise(.success((data ?? Data(), response)))
                        } else {
                            promise(.failure(URLError(.badServerResponse)))
                        }
                    }
                    running.task = task
                    task.resume()
                }
                .handleEvents(receiveCancel: { running.task?.cancel() })
            }
            .receive(subscriber: subscriber)
        }

        /// Written before the subscription, and read when it is cancelled.
        private final class Running {
            var task: URLSessionDataTask?
        }
    }

    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
        dataTaskPublisher(for: URLRequest(url: url))
    }

    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
        DataTaskPublisher(request: request, session: self)
    }
}
