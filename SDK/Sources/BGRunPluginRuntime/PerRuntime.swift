// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One value per runtime of this process, such as the shared object of a framework. Values are
/// retained until the process ends. Thread-safe.
package final class PerRuntime<Value: Sendable>: Sendable {
    private let values = Mutex<[ObjectIdentifier: Value]>([:])

    package init() {}

    /// The value of the current runtime; `make` creates it under the lock.
    package func current(_ make: (PluginRuntime) -> Value) -> Value {
        let runtime = PluginRuntime.current
        return values.withLock { values in
            if let value = values[ObjectIdentifier(runtime)] { return value }
            let value = make(runtime)
            values[ObjectIdentifier(runtime)] = value
            return value
        }
    }
}
