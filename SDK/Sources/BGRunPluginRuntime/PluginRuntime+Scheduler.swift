// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension PluginRuntime {
    /// Submits a request in the current attempt. Before the first attempt it is kept, and submitted
    /// when that is launched: the host then logs what it refuses. Blocks.
    public func submit(_ request: PluginRequest) throws(PluginHostError) {
        let task = state.withLock { state in
            if state.task == nil {
                state.heldRequests.removeAll { $0.identifier == request.identifier }
                state.heldRequests.append(request)
            }
            return state.task
        }
        try task?.submit(request)
    }

    /// Cancels the pending request of an identifier and says whether there was one. Blocks.
    @discardableResult
    public func cancel(_ identifier: String) throws(PluginHostError) -> Bool {
        let (task, wasHeld) = state.withLock { state in
            let count = state.heldRequests.count
            state.heldRequests.removeAll { $0.identifier == identifier }
            return (state.task, state.heldRequests.count < count)
        }
        guard let task else { return wasHeld }
        return try task.cancel(identifier)
    }

    /// Every pending request; before the first attempt, none. Blocks.
    public func pending() throws(PluginHostError) -> [PendingPluginRequest] {
        try currentTask?.pending() ?? []
    }

    func submitHeldRequests(in task: PluginTask) {
        let requests = state.withLock { state in
            defer { state.heldRequests = [] }
            return state.heldRequests
        }
        for request in requests {
            do {
                try task.submit(request)
            } catch {
                task.log(.warning, error.description)
            }
        }
    }
}
