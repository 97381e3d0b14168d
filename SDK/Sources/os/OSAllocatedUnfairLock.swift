// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A lock with the state it protects. Copies share both. It is not recursive.
///
/// `@unchecked Sendable`: the state is read and changed under the lock only.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private final class Storage {
        let lock = NSLock()
        var state: State

        init(_ state: State) {
            self.state = state
        }
    }

    private let storage: Storage

    public init(uncheckedState initialState: State) {
        storage = Storage(initialState)
    }

    public init(initialState: State) where State: Sendable {
        storage = Storage(initialState)
    }

    public init() where State == Void {
        storage = Storage(())
    }

    public func withLock<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result {
        try withLockUnchecked(body)
    }

    public func withLock<Result: Sendable>(
        _ body: @Sendable () throws -> Result
    ) rethrows -> Result where State == Void {
        try withLockUnchecked { _ in try body() }
    }

    public func withLockUnchecked<Result>(
        _ body: (inout State) throws -> Result
    ) rethrows -> Result {
        storage.lock.lock()
        defer { storage.lock.unlock() }
        return try body(&storage.state)
    }

    /// nil if another thread holds the lock.
    public func withLockIfAvailable<Result: Sendable>(
        _ body: @Sendable (inout State) throws -> Result
    ) rethrows -> Result? {
        guard storage.lock.try() else { return nil }
        defer { storage.lock.unlock() }
        return try body(&storage.state)
    }
}

extension OSAllocatedUnfairLock where State == Void {
    public func lock() { storage.lock.lock() }
    public func unlock() { storage.lock.unlock() }
    public func lockIfAvailable() -> Bool { storage.lock.try() }
}
