// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP end the run that this process waits for, which is in a process group of its own,
/// before they end this process: its files are removed, and nothing goes on.
enum Interruption {
    /// The run; 0 without one.
    private static let child = Atomic<pid_t>(0)
    /// The first signal that has come; 0 without one.
    private static let first = Atomic<Int32>(0)

    /// Calls `body` while `process` is the run.
    static func ending<Value>(_ process: Subprocess, _ body: () throws -> Value) rethrows -> Value {
        child.store(process.pid, ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                Interruption.first.store(number, ordering: .sequentiallyConsistent)
                // A second signal ends this process at once.
                signal(number, SIG_DFL)
                kill(Interruption.child.load(ordering: .sequentiallyConsistent), SIGTERM)
            }
        }
        defer { for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) } }
        return try body()
    }

    /// Ends this process if a signal came.
    static func end() {
        let number = first.load(ordering: .sequentiallyConsistent)
        if number != 0 { raise(number) }
    }
}
