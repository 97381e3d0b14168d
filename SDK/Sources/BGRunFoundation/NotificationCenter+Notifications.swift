// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension NotificationCenter {
    /// The notifications of a name, from the moment the iteration begins. Notifications that arrive
    /// between iterations are buffered without a limit.
    ///
    /// `@unchecked Sendable`: it holds constants; the object is only compared.
    public struct Notifications: AsyncSequence, @unchecked Sendable {
        public typealias Element = Notification
        public typealias Failure = Never

        fileprivate let center: NotificationCenter
        fileprivate let name: Notification.Name
        fileprivate let object: AnyObject?

        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream<Posted>.makeStream()
            let observer = Posted(
                value: center.addObserver(forName: name, object: object, queue: nil) {
                    continuation.yield(Posted(value: $0))
                })
            let center = center
            continuation.onTermination = { _ in center.removeObserver(observer.value) }
            return Iterator(iterator: stream.makeAsyncIterator())
        }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var iterator: AsyncStream<Posted>.Iterator

            public mutating func next() async -> Notification? {
                await next(isolation: nil)
            }

            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async -> Notification? {
                await iterator.next(isolation: actor)?.value as? Notification
            }
        }
    }

    /// The notifications of a name; with an object, those it posts.
    public func notifications(
        named name: Notification.Name, object: AnyObject? = nil
    ) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }
}

/// A notification that is transferred to the iterating task, or the observer to remove.
///
/// `@unchecked Sendable`: it is transferred once, as in Apple's implementation.
private struct Posted: @unchecked Sendable {
    let value: Any
}
