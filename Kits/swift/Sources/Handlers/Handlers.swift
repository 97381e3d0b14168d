// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks

/// Says which handler runs which task.
public func registerHandlers() {
    // The task is completed on every path, and the work cancelled when its time is revoked.
    BGTaskScheduler.shared.register("com.example.kit-name.count") { try await count($0) }
}
