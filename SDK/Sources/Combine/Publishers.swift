// SPDX-License-Identifier: Apache-2.0

/// The publishers that code creates by name.
public enum Publishers {
    /// Sends the elements of a sequence, and finishes.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element
        public let sequence: Elements

        public init(sequence: Elements) {
            self.sequence = sequence
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            AnyPublisher<Output, Failure> { downstream in
                for element in sequence {
                    guard !downstream.isOver else { return }
                    downstream.send(element)
                }
                downstream.send(completion: .finished)
            }
            .receive(subscriber: subscriber)
        }
    }

    /// Sends the values of several publishers as they come, and finishes when all have.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let publishers: [Upstream]

        public init(_ upstream: Upstream...) {
            publishers = upstream
        }

        public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
            publishers = Array(upstream)
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            Sequence<[Upstream], Failure>(sequence: publishers).flatMap { $0 }
                .receive(subscriber: subscriber)
        }
    }

    /// Sends the values of two publishers as they come.
    public struct Merge<A: Publisher, B: Publisher>: Publisher
    where A.Output == B.Output, A.Failure == B.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure
        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.merge(with: b).receive(subscriber: subscriber)
        }
    }

    /// Sends the latest values of two publishers.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
    where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure
        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.combineLatest(b).receive(subscriber: subscriber)
        }
    }

    /// Sends the latest values of three publishers.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        public typealias Output = (A.Output, B.Output, C.Output)
        public typealias Failure = A.Failure
        public let a: A
        public let b: B
        public let c: C

        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.combineLatest(b, c).receive(subscriber: subscriber)
        }
    }

    /// Sends the values of two publishers in pairs.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure
        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.zip(b).receive(subscriber: subscriber)
        }
    }

    /// Sends the values of three publishers in triples.
    public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        public typealias Output = (A.Output, B.Output, C.Output)
        public typealias Failure = A.Failure
        public let a: A
        public let b: B
        public let c: C

        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.zip(b, c).receive(subscriber: subscriber)
        }
    }
}

/// A publisher that begins to send when `connect` is called.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
    /// Begins; cancelling the result ends it.
    func connect() -> any Cancellable
}

extension ConnectablePublisher {
    /// Begins with the first subscriber, and ends with the last.
    public func autoconnect() -> Publishers.Autoconnect<Self> {
        Publishers.Autoconnect(upstream: self)
    }
}

extension Publishers {
    /// Connects `upstream` with the first subscriber, until the last one cancels.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        private let shared: AnyPublisher<Output, Failure>

        public init(upstream: Upstream) {
            self.upstream = upstream
            shared =
                AnyPublisher<Output, Failure> { downstream in
                    upstream.attach(to: downstream, downstream.send) {
                        downstream.send(completion: $0)
                    }
                    downstream.add(upstream.connect())
                }
                .share()
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            shared.receive(subscriber: subscriber)
        }
    }
}

extension Publisher {
    /// Sends through one subject, to all subscribers, once it is connected.
    public func multicast<S: Subject>(
        subject: S
    ) -> Publishers.Multicast<Self, S> where S.Output == Output, S.Failure == Failure {
        Publishers.Multicast(upstream: self, subject: subject)
    }

    /// The same through a subject that the closure creates.
    public func multicast<S: Subject>(
        _ createSubject: @escaping () -> S
    ) -> Publishers.Multicast<Self, S> where S.Output == Output, S.Failure == Failure {
        Publishers.Multicast(upstream: self, subject: createSubject())
    }

    /// Sends to all subscribers once it is connected.
    public func makeConnectable()
        -> Publishers.Multicast<
            Self, PassthroughSubject<Output, Failure>
        > where Failure == Never
    {
        multicast(subject: PassthroughSubject())
    }
}

extension Publishers {
    /// Sends through one subject once it is connected.
    public struct Multicast<Upstream: Publisher, S: Subject>: ConnectablePublisher
    where S.Output == Upstream.Output, S.Failure == Upstream.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        let subject: S

        public func connect() -> any Cancellable {
            upstream.subscribe(subject)
        }

        public func receive<Downstream: Subscriber>(
            subscriber: Downstream
        ) where Downstream.Input == Output, Downstream.Failure == Failure {
            subject.receive(subscriber: subscriber)
        }
    }
}
