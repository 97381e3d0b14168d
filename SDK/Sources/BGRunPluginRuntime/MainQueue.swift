// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The main queue, which the main actor runs on. The main thread belongs to the attempt while it
/// runs, so it serves that queue until the attempt is over.
enum MainQueue {
    /// Returns when `task` is over. On the main thread it serves the main queue and the main run
    /// loop meanwhile; on another it waits.
    static func serve(until task: PluginTask) {
        guard Thread.isMainThread else {
            let over = DispatchSemaphore(value: 0)
            task.whenOver { over.signal() }
            return over.wait()
        }
        // Something for the loop to come back for.
        task.whenOver { DispatchQueue.main.async {} }
        while !task.isOver {
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
        }
    }
}
