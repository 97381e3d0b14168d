// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension NotificationCenter {
    /// Sends the notifications of a name, on the thread that posts them.
    public struct Publisher: Combine.Publisher {
        public typealias Output = Notification
        public typealias Failure = Never

        public let center: NotificationCenter
        public let name: Notification.Name
        public let object: AnyObject?

        public init(
            center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil
        ) {
            self.center = center
            self.name = name
            self.object = object
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Notification, S.Failure == Never {
            AnyPublisher<Notification, Never> { downstream in
                let observer = center.addObserver(forName: name, object: object, queue: nil) {
                    downstream.send($0)
                }
                downstream.add(AnyCancellable { center.removeObserver(observer) })
            }
            .receive(subscriber: subscriber)
        }
    }

    /// Sends the notifications of a name; with an object, those it posts.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
        Publisher(center: self, name: name, object: object)
    }
}

extension Timer {
    /// Sends the date repeatedly once it is connected.
    public final class TimerPublisher: ConnectablePublisher {
        public typealias Output = Date
        public typealias Failure = Never

        public let interval: TimeInterval
        private let runLoop: RunLoop
        private let mode: RunLoop.Mode
        private let subject = PassthroughSubject<Date, Never>()
        private let running = Guarded<[Timer]>([])

        public init(
            interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop,
            mode: RunLoop.Mode, options: Never? = nil
        ) {
            self.interval = interval
            self.runLoop = runLoop
            self.mode = mode
        }

        /// Starts a timer unless one runs. Cancelling the result of any call ends it; releasing the
        /// result does not.
        public func connect() -> any Cancellable {
            let subject = subject
            let isFirst = running.withLock { $0.isEmpty }
            if isFirst {
                let timer = Timer(timeInterval: interval, repeats: true) { _ in
                    subject.send(Date())
                }
                running.withLock { $0.append(timer) }
                runLoop.add(timer, forMode: mode)
            }
            return Connection(running: running)
        }

        private struct Connection: Cancellable {
            let running: Guarded<[Timer]>

            func cancel() {
                let timers = running.withLock { running in
                    defer { running = [] }
                    return running
                }
                for timer in timers { timer.invalidate() }
            }
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Date, S.Failure == Never {
            subject.receive(subscriber: subscriber)
        }
    }

    /// Sends the date each `interval` seconds, while the run loop runs.
    public static func publish(
        every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop,
        in mode: RunLoop.Mode, options: Never? = nil
    ) -> TimerPublisher {
        TimerPublisher(interval: interval, runLoop: runLoop, mode: mode)
    }
}

extension Publisher where Failure == Never {
    /// The values as an asynchronous sequence. Values that arrive between iterations are buffered
    /// without a limit.
    public var values: AsyncPublisher<Self> { AsyncPublisher(self) }

    fileprivate var stream: AsyncStream<Output> {
        AsyncStream { continuation in
            let cancellable = sink { _ in
                continuation.finish()
            } receiveValue: { value in
                let handover = ValueHandover(value: value)
                continuation.yield(handover.value)
            }
            continuation.onTermination = { _ in cancellable.cancel() }
        }
    }
}

extension Publisher {
    /// The values as an asynchronous sequence, which throws the failure.
    public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }

    fileprivate var throwingStream: AsyncThrowingStream<Output, any Error> {
        AsyncThrowingStream { continuation in
            let cancellable = sink { completion in
                switch completion {
                case .finished: continuation.finish()
                case .failure(let error): continuation.finish(throwing: error)
                }
            } receiveValue: { value in
                let handover = ValueHandover(value: value)
                continuation.yield(handover.value)
            }
            continuation.onTermination = { _ in cancellable.cancel() }
        }
    }
}

/// The values of a publisher that cannot fail. It subscribes when it is created; its iterators share
/// the values.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
    public typealias Element = P.Output
    public typealias Failure = Never
    public typealias Iterator = AsyncStream<P.Output>.Iterator

    private let stream: AsyncStream<P.Output>

    public init(_ publisher: P) {
        stream = publisher.stream
    }

    public func makeAsyncIterator() -> Iterator { stream.makeAsyncIterator() }
}

extension AsyncPublisher: Sendable where P.Output: Sendable {}

/// The values of a publisher, then its failure. It subscribes when it is created; its iterators share
/// the values.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
    public typealias Element = P.Output
    public typealias Failure = any Error
    public typealias Iterator = AsyncThrowingStream<P.Output, any Error>.Iterator

    private let stream: AsyncThrowingStream<P.Output, any Error>

    public init(_ publisher: P) {
        stream = publisher.throwingStream
    }

    public func makeAsyncIterator() -> Iterator { stream.makeAsyncIterator() }
}

extension AsyncThrowingPublisher: Sendable where P.Output: Sendable {}

/// A value that is transferred to the one waiting task.
///
/// `@unchecked Sendable`: the publisher transfers it; Apple's publishers do not require `Sendable`.
struct ValueHandover<Value>: @unchecked Sendable {
    let value: Value
}
