// SPDX-License-Identifier: Apache-2.0

public import BGRunFoundation

extension KeyValueObservable {
    /// Sends the value, and then each observed change. Retains the object.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> AnyPublisher<Value, Never> {
        AnyPublisher<Value, Never> { [self] downstream in
            let sender = Sender { downstream.send(self[keyPath: keyPath]) }
            let observation = self.observe(keyPath, options: options.intersection(.initial)) {
                _, _ in sender.send()
            }
            downstream.add(AnyCancellable { observation.invalidate() })
        }
    }
}

/// Reads a property when a change is noticed.
///
/// `@unchecked Sendable`: as Apple's observers, it is called on the thread that reports the change,
/// by one at a time.
private struct Sender: @unchecked Sendable {
    let send: () -> Void
}
