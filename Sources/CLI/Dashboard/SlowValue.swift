// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Dispatch
import Synchronization

/// A value that takes long to make and is often needed: one thread makes it, at most a 20th of the
/// time, regardless of the number of callers.
final class SlowValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// Nanoseconds.
        var madeAt: Int64 = .min / 2
        var cost: Int64 = 0
        var making: DispatchGroup?
    }

    private let state = Mutex(State())
    /// The minimum lifetime of a value in nanoseconds.
    private static var shortest: Int64 { 2_000_000_000 }

    /// The newest value, after at most a second; nil before the first.
    func value(_ make: @escaping @Sendable () -> Value) -> Value? {
        let making: DispatchGroup? = state.withLock { state in
            if let making = state.making { return making }
            let age = bgrun_monotonic_ns() - state.madeAt
            if state.value != nil, age < max(Self.shortest, 20 * state.cost) { return nil }
            let making = DispatchGroup()
            making.enter()
            state.making = making
            start(making, make)
            return making
        }
        _ = making?.wait(timeout: .now() + .seconds(1))
        return state.withLock { $0.value }
    }

    private func start(_ making: DispatchGroup, _ make: @escaping @Sendable () -> Value) {
        DispatchQueue.global(qos: .utility).async { [self] in
            let begin = bgrun_monotonic_ns()
            let value = make()
            state.withLock { state in
                state.value = value
                state.madeAt = bgrun_monotonic_ns()
                state.cost = state.madeAt - begin
                state.making = nil
            }
            making.leave()
        }
    }
}

/// Slow values by name; drops the oldest of too many names.
final class SlowValues<Value: Sendable>: Sendable {
    private let values = Mutex<[String: SlowValue<Value>]>([:])

    func value(_ name: String, _ make: @escaping @Sendable () -> Value) -> Value? {
        let value = values.withLock { values in
            if let value = values[name] { return value }
            if values.count >= 256 { values.removeAll() }
            let value = SlowValue<Value>()
            values[name] = value
            return value
        }
        return value.value(make)
    }
}
