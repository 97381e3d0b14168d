// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The main queue, on which the main actor runs. An attempt occupies the main thread while it runs,
/// and serves that queue until it is over.
enum MainQueue {
    /// Returns when `task` is over. On the main thread, serves the main queue and the main run loop
    /// meanwhile; on another thread, waits.
    static func serve(until task: PluginTask) {
        guard Thread.isMainThread else {
            let over = DispatchSemaphore(value: 0)
            task.whenOver { over.signal() }
            return over.wait()
        }
        // Wakes the run loop.
        task.whenOver { DispatchQueue.main.async {} }
        while !task.isOver {
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
        }
    }
}
