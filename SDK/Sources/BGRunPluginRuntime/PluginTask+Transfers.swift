// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin
import Glibc

extension PluginTask {
    /// Whether the host supports transfers; hosts before ABI 1.3 do not.
    public var hasTransfers: Bool { host.transfer != nil }

    /// Whether the host supports `PluginTransfer.Options.anyStatus` and `keepsFile`; hosts before
    /// ABI 1.4 refuse them.
    public var transfersTakeAnyStatus: Bool { host.functions.abi_version >= 1 << 16 | 4 }

    /// Stores a transfer and returns its id; it starts when its requirements are met. Blocks.
    public func createTransfer(
        _ request: PluginTransferRequest
    ) throws(PluginHostError) -> Int64 {
        let call = "the transfer of \(request.url ?? "a cancelled download") was not created"
        let create = try transfers(call).create
        var id: Int64 = 0
        let status = BorrowedTexts.with { texts in
            var given = bgrun_transfer_request()
            given.struct_size = UInt32(MemoryLayout<bgrun_transfer_request>.size)
            given.flags = request.options.rawValue
            given.session = texts.borrow(request.session)
            given.url = texts.borrow(request.url)
            given.method = texts.borrow(request.method)
            given.headers_json = texts.borrow(request.headersJSON)
            given.file = texts.borrow(request.file)
            given.sha256 = texts.borrow(request.sha256)
            given.description = texts.borrow(request.description)
            given.earliest_delay_ns = max(0, request.delay.clampedNanoseconds)
            given.request_timeout_ns = max(0, request.requestTimeout?.clampedNanoseconds ?? 0)
            given.resource_timeout_ns = max(0, request.resourceTimeout?.clampedNanoseconds ?? 0)
            given.expected_send = max(0, request.expectedToSend ?? 0)
            given.expected_receive = max(0, request.expectedToReceive ?? 0)
            given.rate = max(0, request.rate ?? 0)
            given.connections = UInt32(clamping: request.connections ?? 0)
            return request.resumeData.withUnsafeBytes { bytes in
                given.resume_data = bytes.isEmpty ? nil : bytes.baseAddress
                given.resume_size = UInt64(bytes.count)
                return create?(handle, &given, &id)
            }
        }
        try PluginHostError.check(
            status ?? BGRUN_E_UNAVAILABLE, call,
            notFound: "the file to send, or what the resume data continues with, is not there")
        return id
    }

    /// Lets a suspended transfer continue. Blocks.
    public func resumeTransfer(_ id: Int64) throws(PluginHostError) {
        try change("the transfer \(id) was not resumed", id) { $0.resume }
    }

    /// Pauses a transfer until it is resumed. Blocks.
    public func suspendTransfer(_ id: Int64) throws(PluginHostError) {
        try change("the transfer \(id) was not suspended", id) { $0.suspend }
    }

    /// Ends a transfer and discards its data, without a notification. Blocks.
    public func cancelTransfer(_ id: Int64) throws(PluginHostError) {
        try change("the transfer \(id) was not cancelled", id) { $0.cancel }
    }

    /// Does the same as `cancelTransfer`, and returns the data to resume it with; nil if it cannot be
    /// resumed. Blocks.
    public func cancelTransferResumably(_ id: Int64) throws(PluginHostError) -> [UInt8]? {
        let call = "the transfer \(id) was not cancelled"
        let cancel = try transfers(call).cancel_resumable
        var data: [UInt8]?
        let status = withUnsafeMutablePointer(to: &data) { data in
            cancel?(handle, id, data) { context, bytes, size in
                context?.assumingMemoryBound(to: [UInt8]?.self).pointee =
                    [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(size)))
            }
        }
        try PluginHostError.check(
            status ?? BGRUN_E_UNAVAILABLE, call, notFound: "it does not exist, or has ended")
        return data
    }

    /// The transfers of a session, or of the whole app for nil, sorted by id, whose end was not
    /// acknowledged. Blocks.
    public func transfers(ofSession session: String?) throws(PluginHostError) -> [PluginTransfer] {
        let call = "the transfers were not read"
        let visit = try transfers(call).visit
        var found: [PluginTransfer] = []
        let status = withUnsafeMutablePointer(to: &found) { found in
            visit?(handle, session, found) { context, transfer in
                guard let context, let transfer else { return }
                context.assumingMemoryBound(to: [PluginTransfer].self).pointee
                    .append(PluginTransfer(copying: transfer))
            }
        }
        try PluginHostError.check(status ?? BGRUN_E_UNAVAILABLE, call)
        return found
    }

    /// Passes every ended transfer of a session to `take`, in the order they ended, on this thread. If
    /// that returns true, the transfer is acknowledged and its temporary file is removed; false stops
    /// here, and the rest is delivered again later. Blocks.
    ///
    /// - Parameter session: nil: the one with the name of the task.
    /// - Returns: whether all were acknowledged.
    @discardableResult
    public func takeEndedTransfers(
        ofSession session: String? = nil, _ take: (PluginTransfer) -> Bool
    ) throws(PluginHostError) -> Bool {
        let call = "the ended transfers were not read"
        let events = try transfers(call).events
        let refused: Int32 = 1
        let status = withoutActuallyEscaping(take) { take in
            withUnsafePointer(to: take) { take in
                events?(handle, session, UnsafeMutableRawPointer(mutating: take)) {
                    context, transfer in
                    guard let context, let transfer else { return BGRUN_E_INVALID }
                    let take = context.assumingMemoryBound(to: ((PluginTransfer) -> Bool).self)
                    return take.pointee(PluginTransfer(copying: transfer)) ? BGRUN_OK : 1
                }
            }
        }
        guard status != refused else { return false }
        try PluginHostError.check(status ?? BGRUN_E_UNAVAILABLE, call)
        return true
    }

    private func change(
        _ call: String, _ id: Int64,
        _ function: (bgrun_transfer_ext) -> (@convention(c) (OpaquePointer?, Int64) -> Int32)?
    ) throws(PluginHostError) {
        let status = function(try transfers(call))?(handle, id) ?? BGRUN_E_UNAVAILABLE
        try PluginHostError.check(status, call, notFound: "it does not exist, or has ended")
    }

    private func transfers(_ call: String) throws(PluginHostError) -> bgrun_transfer_ext {
        guard let transfer = host.transfer?.pointee else {
            throw PluginHostError(.unavailable, "\(call): this host makes no transfers")
        }
        return transfer
    }
}

/// C strings that are valid during one call.
private struct BorrowedTexts {
    private var copies: [UnsafeMutablePointer<CChar>] = []

    static func with<Result>(_ body: (inout BorrowedTexts) -> Result) -> Result {
        var texts = BorrowedTexts()
        defer { for copy in texts.copies { free(copy) } }
        return body(&texts)
    }

    mutating func borrow(_ text: String?) -> UnsafePointer<CChar>? {
        guard let text, let copy = strdup(text) else { return nil }
        copies.append(copy)
        return UnsafePointer(copy)
    }
}
