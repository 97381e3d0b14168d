// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// A thread of a worker besides the main one. It ends when its body returns.
final class WorkerThread: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    private init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    /// Runs `body` on a new thread; returns 0, or the errno if it was not started.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let context = Unmanaged.passRetained(WorkerThread(name, body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let started = Unmanaged<WorkerThread>.fromOpaque(context).takeRetainedValue()
                bgrun_name_thread(started.name)
                started.body()
                return nil
            }, context.toOpaque())
        if code == 0 { pthread_detach(thread) } else { context.release() }
        return code
    }
}
