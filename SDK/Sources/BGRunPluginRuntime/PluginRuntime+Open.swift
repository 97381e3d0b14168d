// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin
import Synchronization

extension PluginRuntime {
    /// Opens the app, as a user would: until the first attempt, calls go to a task without a
    /// handler. For hosts in tests.
    package func open(_ handle: OpaquePointer, _ launch: bgrun_launch) {
        guard let host = state.withLock({ $0.host }) else { return }
        let task = PluginTask(host: host, handle: handle, launch: launch)
        state.withLock { state in
            state.task = task
            state.device = task.readDevice()
        }
        submitHeldRequests(in: task)
    }
}
