// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value behind a lock, with waiters for its conditions.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let number: UInt64
        let isFulfilled: @Sendable (Value) -> Bool
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var value: Value
        var nextNumber: UInt64 = 0
        var waiters: [Waiter] = []
        /// Waiters that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value { state.withLock(\.value) }

    /// Changes the value and wakes the waiters whose condition holds.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, due) = state.withLock { state in
            let result = body(&state.value)
            let due = state.waiters.filter { $0.isFulfilled(state.value) }
            state.waiters.removeAll { waiter in due.contains { $0.number == waiter.number } }
            return (result, due)
        }
        for waiter in due { waiter.wake.resume() }
        return result
    }

    /// Returns once `condition` holds. Throws `CancellationError` if the Swift task is cancelled
    /// before that.
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                begin(Waiter(number: number, isFulfilled: condition, wake: wake))
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func begin(_ waiter: Waiter) {
        let verdict = state.withLock { state -> Result<Void, any Error>? in
            if state.cancelled.remove(waiter.number) != nil { return .failure(CancellationError()) }
            if waiter.isFulfilled(state.value) { return .success(()) }
            state.waiters.append(waiter)
            return nil
        }
        if let verdict { waiter.wake.resume(with: verdict) }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.waiters.remove(at: place)
        }
        waiter?.wake.resume(throwing: CancellationError())
    }
}
