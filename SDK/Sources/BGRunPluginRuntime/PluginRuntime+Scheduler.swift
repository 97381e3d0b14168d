// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin
import Synchronization

extension PluginRuntime {
    /// Submits a request and returns once it is stored. Blocks.
    ///
    /// A host of ABI 1.3 accepts requests only during attempts: a request before the first attempt
    /// is kept and submitted when the attempt is launched; the host then logs refused requests.
    public func submit(_ request: PluginRequest) throws(PluginHostError) {
        if let (host, process) = process {
            let call = "the request for \(request.identifier) was not submitted"
            let status = request.pass { process.submit?(host, $0) }
            return try PluginHostError.check(status ?? BGRUN_E_UNAVAILABLE, call)
        }
        let task = state.withLock { state in
            if state.task == nil {
                state.heldRequests.removeAll { $0.identifier == request.identifier }
                state.heldRequests.append(request)
            }
            return state.task
        }
        try task?.submit(request)
    }

    /// Cancels the pending request of an identifier and returns whether there was one. Blocks.
    @discardableResult
    public func cancel(_ identifier: String) throws(PluginHostError) -> Bool {
        if let (host, process) = process {
            let status = process.cancel?(host, identifier) ?? BGRUN_E_UNAVAILABLE
            guard status != BGRUN_E_NOT_FOUND else { return false }
            try PluginHostError.check(status, "the request for \(identifier) was not cancelled")
            return true
        }
        let (task, wasHeld) = state.withLock { state in
            let count = state.heldRequests.count
            state.heldRequests.removeAll { $0.identifier == identifier }
            return (state.task, state.heldRequests.count < count)
        }
        guard let task else { return wasHeld }
        return try task.cancel(identifier)
    }

    /// All pending requests. Blocks. With a host of ABI 1.3, empty before the first attempt.
    public func pending() throws(PluginHostError) -> [PendingPluginRequest] {
        if let (host, process) = process {
            return try PendingPluginRequest.collect("the pending requests were not read") {
                process.pending?(host, $0, $1)
            }
        }
        return try currentTask?.pending() ?? []
    }

    /// The process extension of the host, if the host has it.
    private var process: (UnsafePointer<bgrun_host>, bgrun_process_ext)? {
        state.withLock(\.host).flatMap { host in
            host.process.map { (host.pointer, $0.pointee) }
        }
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
