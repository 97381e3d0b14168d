// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

extension PluginRequest {
    /// Replaces a tag that is empty or contains a space or NUL by "?", which the host refuses.
    private var tagList: String {
        tags.sorted().map { tag in
            tag.isEmpty || tag.utf8.contains { $0 == 0x20 || $0 == 0 } ? "?" : tag
        }.joined(separator: " ")
    }

    /// Passes the request in its ABI representation.
    func pass<Result>(_ body: (UnsafePointer<bgrun_request>) -> Result) -> Result {
        identifier.withCString { identifier in
            var given = bgrun_request()
            given.struct_size = UInt32(MemoryLayout<bgrun_request>.size)
            given.identifier = identifier
            given.earliest_delay_ns = max(0, delay.clampedNanoseconds)
            given.requires = UInt32(bitPattern: requirements.rawValue)
            given.kind = kind?.rawValue ?? 0
            given.strategy = isOnlyImmediate ? BGRUN_STRATEGY_FAIL : BGRUN_STRATEGY_OF_TASK
            return tagList.withCString { tags in
                given.tags = tags
                guard let parametersJSON else { return body(&given) }
                return parametersJSON.withCString { parameters in
                    given.parameters_json = parameters
                    return body(&given)
                }
            }
        }
    }
}

extension PendingPluginRequest {
    /// nil for a kind this SDK does not know.
    private init?(_ pointer: UnsafePointer<bgrun_pending>) {
        let pending = HostTable.copy(pointer, over: bgrun_pending())
        guard let kind = PluginTask.Kind(rawValue: pending.kind) else { return nil }
        self.init(
            identifier: String(cString: pending.identifier), kind: kind,
            earliestUnixNanoseconds: pending.earliest_unix_ns == 0
                ? nil : pending.earliest_unix_ns,
            requirements: PluginRequest.Requirements(rawValue: Int32(bitPattern: pending.requires)),
            parametersJSON: pending.parameters_json.map { String(cString: $0) },
            isOnlyImmediate: pending.strategy == BGRUN_STRATEGY_FAIL,
            tags: Set(
                pending.tags.map { String(cString: $0).split(separator: " ").map(String.init) }
                    ?? []))
    }

    typealias Visitor =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<bgrun_pending>?
        ) -> Void

    /// The elements that `read` passes to its visitor.
    static func collect(
        _ call: String, _ read: (UnsafeMutableRawPointer, Visitor) -> Int32?
    ) throws(PluginHostError) -> [Self] {
        var requests: [Self] = []
        let status = withUnsafeMutablePointer(to: &requests) { requests in
            read(requests) { context, item in
                guard let context, let item, let request = PendingPluginRequest(item) else {
                    return
                }
                context.assumingMemoryBound(to: [PendingPluginRequest].self).pointee.append(request)
            }
        }
        try PluginHostError.check(status ?? BGRUN_E_UNAVAILABLE, call)
        return requests
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to the range of the type.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, tooLarge) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard !tooLarge else { return seconds < 0 ? .min : .max }
        return sum
    }
}
