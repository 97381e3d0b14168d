// SPDX-License-Identifier: Apache-2.0

extension Publishers {
    /// Sends the values of three publishers as they arrive.
    public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where
        A.Output == B.Output, B.Output == C.Output, A.Failure == B.Failure,
        B.Failure == C.Failure
    {
        public typealias Output = A.Output
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
            a.merge(with: b, c).receive(subscriber: subscriber)
        }
    }

    /// Sends the values of four publishers as they arrive.
    public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where
        A.Output == B.Output, B.Output == C.Output, C.Output == D.Output,
        A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure
    {
        public typealias Output = A.Output
        public typealias Failure = A.Failure
        public let a: A
        public let b: B
        public let c: C
        public let d: D

        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.merge(with: b, c, d).receive(subscriber: subscriber)
        }
    }

    /// Sends the latest values of four publishers.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        public typealias Failure = A.Failure
        public let a: A
        public let b: B
        public let c: C
        public let d: D

        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.combineLatest(b, c, d).receive(subscriber: subscriber)
        }
    }

    /// Sends the values of four publishers in groups.
    public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        public typealias Failure = A.Failure
        public let a: A
        public let b: B
        public let c: C
        public let d: D

        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Output, S.Failure == Failure {
            a.zip(b, c, d).receive(subscriber: subscriber)
        }
    }
}

/// Sends recorded values, and ends.
public struct Record<Output, Failure: Error>: Publisher {
    public let output: [Output]
    public let completion: Subscribers.Completion<Failure>

    public init(output: [Output], completion: Subscribers.Completion<Failure>) {
        self.output = output
        self.completion = completion
    }

    public func receive<S: Subscriber>(
        subscriber: S
    ) where S.Input == Output, S.Failure == Failure {
        AnyPublisher<Output, Failure> { downstream in
            for value in output { downstream.send(value) }
            downstream.send(completion: completion)
        }
        .receive(subscriber: subscriber)
    }
}

/// Identifies a subscription.
public struct CombineIdentifier: Hashable, Sendable {
    private final class Token: Sendable {}

    private let token = Token()

    public init() {}

    public static func == (left: Self, right: Self) -> Bool { left.token === right.token }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(token))
    }
}

/// Has a unique identifier.
public protocol CustomCombineIdentifierConvertible {
    var combineIdentifier: CombineIdentifier { get }
}

extension Subscribers.Demand {
    public static func < (left: Self, right: Int) -> Bool { left < .max(right) }
    public static func <= (left: Self, right: Int) -> Bool { left <= .max(right) }
    public static func > (left: Self, right: Int) -> Bool { left > .max(right) }
    public static func >= (left: Self, right: Int) -> Bool { left >= .max(right) }
    public static func == (left: Self, right: Int) -> Bool { left == .max(right) }
    public static func + (left: Self, right: Int) -> Self { left + .max(right) }
    public static func += (left: inout Self, right: Int) { left = left + right }

    public static func - (left: Self, right: Self) -> Self {
        guard let leftMax = left.max else { return .unlimited }
        return .max(leftMax - min(leftMax, right.max ?? leftMax))
    }

    public static func - (left: Self, right: Int) -> Self { left - .max(right) }
    public static func -= (left: inout Self, right: Self) { left = left - right }
    public static func -= (left: inout Self, right: Int) { left = left - right }
}
