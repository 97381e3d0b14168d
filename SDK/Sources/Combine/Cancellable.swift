// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Work that can be ended early.
public protocol Cancellable {
    func cancel()
}

extension Cancellable {
    /// Keeps it in a set: it is cancelled when it is removed there.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(AnyCancellable(self))
    }

    /// Keeps it in a collection: it is cancelled when it is removed there.
    public func store<C: RangeReplaceableCollection>(
        in collection: inout C
    ) where C.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }
}

/// Cancels when it is released.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
    private let action: Guarded<(() -> Void)?>

    /// Calls `cancel` once: when it is cancelled or released.
    public init(_ cancel: @escaping () -> Void) {
        action = Guarded(cancel)
    }

    /// Cancels `other` once: when it is cancelled or released.
    public convenience init<Other: Cancellable>(_ other: Other) {
        self.init { other.cancel() }
    }

    deinit {
        cancel()
    }

    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    /// Keeps it in a set: it is cancelled when it is removed there.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }

    /// Keeps it in a collection: it is cancelled when it is removed there.
    public func store<C: RangeReplaceableCollection>(
        in collection: inout C
    ) where C.Element == AnyCancellable {
        collection.append(self)
    }

    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool {
        left === right
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A value behind a lock. Apple's closures are not `Sendable`, which `Mutex` requires.
///
/// `@unchecked Sendable`: the value is read and changed under the lock only.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Must not call anything that may call back: the lock is not recursive.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
