// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks

/// Registers the handler of each task.
public func registerHandlers() {
    // Completes the task on every path, and cancels the work when its time is revoked.
    BGTaskScheduler.shared.register("com.example.kit-name.count") { try await count($0) }
}
