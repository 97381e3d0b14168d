// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks
import Handlers

@main
struct Plugin: BGRunPlugin {
    init() {
        // Completes the task on every path, and cancels the work when its time is revoked.
        BGTaskScheduler.shared.register("com.example.kit-name.count") { task in
            try await count(task)
        }
    }
}
