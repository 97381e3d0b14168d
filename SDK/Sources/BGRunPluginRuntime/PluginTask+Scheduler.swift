// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

extension PluginTask {
    /// Submits a request and returns once it is stored. It replaces a pending one of the same
    /// identifier. Blocks.
    public func submit(_ request: PluginRequest) throws(PluginHostError) {
        let call = "the request for \(request.identifier) was not submitted"
        let submit = try scheduler(call).submit
        let status = request.identifier.withCString { identifier in
            var given = bgrun_request()
            given.struct_size = UInt32(MemoryLayout<bgrun_request>.size)
            given.identifier = identifier
            given.earliest_delay_ns = max(0, request.delay.clampedNanoseconds)
            given.requires = UInt32(bitPattern: request.requirements.rawValue)
            guard let parameters = request.parametersJSON else { return submit?(handle, &given) }
            return parameters.withCString { parameters in
                given.parameters_json = parameters
                return submit?(handle, &given)
            }
        }
        try PluginHostError.check(status ?? BGRUN_E_UNAVAILABLE, call)
    }

    /// Cancels the pending request of an identifier and says whether there was one; a running
    /// attempt goes on. Blocks.
    @discardableResult
    public func cancel(_ identifier: String) throws(PluginHostError) -> Bool {
        let call = "the request for \(identifier) was not cancelled"
        let status = try scheduler(call).cancel(handle, identifier)
        guard status != BGRUN_E_NOT_FOUND else { return false }
        try PluginHostError.check(status, call)
        return true
    }

    /// Every pending request, in the order of their identifiers. Blocks.
    public func pending() throws(PluginHostError) -> [PendingPluginRequest] {
        let call = "the pending requests were not read"
        let pending = try scheduler(call).pending
        var requests: [PendingPluginRequest] = []
        let status = withUnsafeMutablePointer(to: &requests) { requests in
            pending?(handle, requests) { context, item in
                guard let context, let item = item?.pointee,
                    let request = PendingPluginRequest(item)
                else { return }
                context.assumingMemoryBound(to: [PendingPluginRequest].self).pointee.append(request)
            }
        }
        try PluginHostError.check(status ?? BGRUN_E_UNAVAILABLE, call)
        return requests
    }

    private func scheduler(_ call: String) throws(PluginHostError) -> bgrun_scheduler_ext {
        guard let scheduler = host.scheduler?.pointee else {
            throw PluginHostError(.unavailable, "\(call): this host has no scheduler for handlers")
        }
        return scheduler
    }
}

extension PendingPluginRequest {
    /// nil for a kind this SDK does not know.
    fileprivate init?(_ pending: bgrun_pending) {
        guard let kind = PluginTask.Kind(rawValue: pending.kind) else { return nil }
        self.init(
            identifier: String(cString: pending.identifier), kind: kind,
            earliestUnixNanoseconds: pending.earliest_unix_ns == 0
                ? nil : pending.earliest_unix_ns)
    }
}

extension Duration {
    /// Whole nanoseconds; what does not fit is as long, or as short, as can be.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, tooLarge) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !tooLarge else { return seconds < 0 ? .min : .max }
        return sum
    }
}
