// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

/// Reads the `bgrun_transfer_request` of a plugin of any ABI version.
enum TransferReading {
    /// A `BGRUN_E_...` to return to the plugin.
    struct Refusal: Error {
        let status: Int32
    }

    /// The valid flags of a request.
    private static let known =
        BGRUN_TRANSFER_UPLOAD | BGRUN_TRANSFER_DISCRETIONARY | BGRUN_TRANSFER_NO_METERED
        | BGRUN_TRANSFER_NO_LAUNCH_EVENTS | BGRUN_TRANSFER_SUSPENDED
        | BGRUN_TRANSFER_ANY_STATUS | BGRUN_TRANSFER_KEEP

    static func request(
        _ pointer: UnsafePointer<bgrun_transfer_request>
    ) throws(Refusal) -> WorkerMessage.TransferRequest {
        let size = MemoryLayout<bgrun_transfer_request>.size
        guard Int(pointer.pointee.struct_size) >= size else { throw .init(status: BGRUN_E_INVALID) }
        let given = pointer.pointee
        guard let session = try text(given.session, atMost: BGRUN_TRANSFER_SESSION_MAX),
            !session.isEmpty, given.flags & ~known == 0
        else { throw .init(status: BGRUN_E_INVALID) }
        let url = try text(given.url, atMost: BGRUN_TRANSFER_URL_MAX)
        var request = WorkerMessage.TransferRequest(session: session, url: url)
        request.flags = given.flags
        request.method = try text(given.method, atMost: BGRUN_TRANSFER_TEXT_MAX)
        request.headers = try text(given.headers_json, atMost: BGRUN_TRANSFER_TEXT_MAX)
        request.file = try text(given.file, atMost: BGRUN_TRANSFER_TEXT_MAX)
        request.sha256 = try text(given.sha256, atMost: BGRUN_TRANSFER_TEXT_MAX)
        request.description = try text(given.description, atMost: BGRUN_TRANSFER_TEXT_MAX)
        request.resumeData = try data(given.resume_data, given.resume_size)
        request.earliestDelayNanoseconds = given.earliest_delay_ns
        request.requestTimeoutNanoseconds = given.request_timeout_ns
        request.resourceTimeoutNanoseconds = given.resource_timeout_ns
        request.expectedSend = given.expected_send
        request.expectedReceive = given.expected_receive
        request.rate = given.rate
        request.connections = given.connections
        guard isWhole(request) else { throw .init(status: BGRUN_E_INVALID) }
        return request
    }

    /// The checks that do not need the host.
    private static func isWhole(_ request: WorkerMessage.TransferRequest) -> Bool {
        let isUpload = request.flags & BGRUN_TRANSFER_UPLOAD != 0
        let numbers = [
            request.earliestDelayNanoseconds, request.requestTimeoutNanoseconds,
            request.resourceTimeoutNanoseconds, request.expectedSend, request.expectedReceive,
            request.rate,
        ]
        let isHexadecimal: (UInt8) -> Bool = { isxdigit(Int32($0)) != 0 }  // fits: a byte
        return numbers.allSatisfy { $0 >= 0 }
            && (request.url != nil || !request.resumeData.isEmpty)
            && (!isUpload || (request.file != nil && request.resumeData.isEmpty))
            && request.sha256.map { $0.utf8.count == 64 && $0.utf8.allSatisfy(isHexadecimal) }
                ?? true
    }

    private static func text(
        _ pointer: UnsafePointer<CChar>?, atMost limit: UInt32
    ) throws(Refusal) -> String? {
        guard let pointer else { return nil }
        let text = HostTable.text(pointer, atMost: Int(limit) + 1)
        guard text.utf8.count <= limit else { throw .init(status: BGRUN_E_TOO_LARGE) }
        return text
    }

    private static func data(
        _ pointer: UnsafeRawPointer?, _ size: UInt64
    ) throws(Refusal) -> [UInt8] {
        guard size <= UInt64(BGRUN_TRANSFER_TEXT_MAX) else {
            throw .init(status: BGRUN_E_TOO_LARGE)
        }
        guard pointer != nil || size == 0 else { throw .init(status: BGRUN_E_INVALID) }
        return [UInt8](UnsafeRawBufferPointer(start: pointer, count: Int(size)))
    }
}
