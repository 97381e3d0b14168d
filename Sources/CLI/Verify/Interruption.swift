// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP end the run that this process waits for, which is in a process group of its own,
/// before they end this process: its files are removed, and nothing goes on.
enum Interruption {
    /// The pidfd of the run; -1 without one.
    private static let child = Atomic<Int32>(-1)
    /// The first signal that has come; 0 without one.
    private static let first = Atomic<Int32>(0)

    /// Calls `body` while `process` is the run.
    static func ending<Value>(_ process: Subprocess, _ body: () throws -> Value) rethrows -> Value {
        child.store(process.descriptor, ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                Interruption.first.store(number, ordering: .sequentiallyConsistent)
                // A second signal ends this process at once.
                signal(number, SIG_DFL)
                _ = bgrun_pidfd_signal(
                    Interruption.child.load(ordering: .sequentiallyConsistent), SIGTERM)
            }
        }
        defer {
            for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
            child.store(-1, ordering: .sequentiallyConsistent)
        }
        return try body()
    }

    /// Ends this process if a signal came.
    static func end() {
        let number = first.load(ordering: .sequentiallyConsistent)
        if number != 0 { raise(number) }
    }
}
