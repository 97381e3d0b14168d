// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

extension PluginTask {
    /// Submits a request and returns once it is stored. It replaces a pending one of the same
    /// identifier. Blocks.
    public func submit(_ request: PluginRequest) throws(PluginHostError) {
        let call = "the request for \(request.identifier) was not submitted"
        let submit = try scheduler(call).submit
        let status = request.pass { submit?(handle, $0) }
        try PluginHostError.check(status ?? BGRUN_E_UNAVAILABLE, call)
    }

    /// Cancels the pending request of an identifier and returns whether there was one; a running
    /// attempt continues. Blocks.
    @discardableResult
    public func cancel(_ identifier: String) throws(PluginHostError) -> Bool {
        let call = "the request for \(identifier) was not cancelled"
        let status = try scheduler(call).cancel(handle, identifier)
        guard status != BGRUN_E_NOT_FOUND else { return false }
        try PluginHostError.check(status, call)
        return true
    }

    /// All pending requests, sorted by identifier. Blocks.
    public func pending() throws(PluginHostError) -> [PendingPluginRequest] {
        let call = "the pending requests were not read"
        let pending = try scheduler(call).pending
        return try PendingPluginRequest.collect(call) { pending?(handle, $0, $1) }
    }

    private func scheduler(_ call: String) throws(PluginHostError) -> bgrun_scheduler_ext {
        guard let scheduler = host.scheduler?.pointee else {
            throw PluginHostError(.unavailable, "\(call): this host has no scheduler for handlers")
        }
        return scheduler
    }
}
