// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP first end the run or the worker that this process waits for, which has its own
/// process group, then this process: its files are removed, and nothing continues.
enum Interruption {
    /// The pidfd of the run or the worker; -1 without one.
    private static let child = Atomic<Int32>(-1)
    /// The signal that ends the child.
    private static let childSignal = Atomic<Int32>(SIGTERM)
    /// The first signal that arrived; 0 without one.
    private static let first = Atomic<Int32>(0)

    /// Calls `body` while `process` is the run.
    static func ending<Value>(_ process: Subprocess, _ body: () throws -> Value) rethrows -> Value {
        child.store(process.descriptor, ordering: .sequentiallyConsistent)
        return try handling(SIGTERM, body)
    }

    /// Calls `body`, during which signals kill the worker passed to `watch`; a signal ends this process after
    /// `body` has returned and its files are removed.
    static func killing<Value>(_ body: () throws -> Value) rethrows -> Value {
        defer { end() }
        return try handling(SIGKILL, body)
    }

    /// Sets the worker, by its pidfd, that signals kill from now on; nil: no worker. Throws if a signal has
    /// arrived.
    static func watch(_ descriptor: Int32?) throws {
        child.store(descriptor ?? -1, ordering: .sequentiallyConsistent)
        if descriptor != nil, hasCome { throw Interrupted() }
    }

    /// A signal has arrived: no further worker is started.
    struct Interrupted: Error {}

    static var hasCome: Bool { first.load(ordering: .sequentiallyConsistent) != 0 }

    private static func handling<Value>(
        _ signalOfChild: Int32, _ body: () throws -> Value
    ) rethrows -> Value {
        childSignal.store(signalOfChild, ordering: .sequentiallyConsistent)
        let old = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (Int32, sigaction)? in
            var old = sigaction()
            sigaction(number, nil, &old)
            // A signal that the caller ignores, as `nohup` does, stays ignored.
            let handler = unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
            return handler == unsafeBitCast(SIG_IGN, to: Int.self) ? nil : (number, old)
        }
        for (number, _) in old {
            signal(number) { number in
                Interruption.first.store(number, ordering: .sequentiallyConsistent)
                // A second signal ends this process at once.
                signal(number, SIG_DFL)
                _ = bgrun_pidfd_signal(
                    Interruption.child.load(ordering: .sequentiallyConsistent),
                    Interruption.childSignal.load(ordering: .sequentiallyConsistent))
            }
        }
        defer {
            for (number, var old) in old { sigaction(number, &old, nil) }
            child.store(-1, ordering: .sequentiallyConsistent)
        }
        return try body()
    }

    /// Ends this process if a signal has arrived.
    static func end() {
        let number = first.load(ordering: .sequentiallyConsistent)
        if number != 0 { raise(number) }
    }
}

extension Subprocess {
    /// Waits for its end and returns its status, while signals kill it as they do a worker.
    func watched() throws -> Int32 {
        do {
            try Interruption.watch(descriptor)
        } catch {
            _ = bgrun_pidfd_signal(descriptor, SIGKILL)
            _ = wait()
            throw error
        }
        defer { try? Interruption.watch(nil) }
        return wait()
    }
}
