// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Counts the connections that are open.
final class ConnectionSlots: Sendable {
    private let free: Atomic<Int>

    init(_ count: Int) {
        free = Atomic(count)
    }

    /// False when all are taken.
    func take() -> Bool {
        if free.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 { return true }
        give()
        return false
    }

    func give() {
        free.wrappingAdd(1, ordering: .relaxed)
    }
}

/// Starts threads that nobody waits for.
enum Thread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// False when the system has no thread to give.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument {
                    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
