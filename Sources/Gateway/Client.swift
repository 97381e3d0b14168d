// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP
import CBGRunShims
import CMicroHTTPD
import Glibc

/// A connection: a request, its answer, the end.
final class Client {
    enum Phase {
        case head
        case body
        /// Waits for the server's answer.
        case waiting
        /// The answer is being sent.
        case sending
        /// Discards what the client still sends: closing earlier would destroy the answer (RST).
        case draining(left: Int)
    }

    let number: Int64
    /// A duplicate of the socket that libmicrohttpd closes.
    let descriptor: Int32
    let address: PeerAddress
    /// The time limit of the whole request.
    let end: Int64
    var phase = Phase.head
    /// The end of the phase, on CLOCK_BOOTTIME in nanoseconds.
    var deadline: Int64
    /// libmicrohttpd's connection; nil after it was closed.
    var connection: OpaquePointer?
    var target = ""
    var request = HTTPRequest()
    /// Whether all of its request was read.
    var isRead = false
    var response: HTTPResponse?

    init(
        _ number: Int64, _ descriptor: Int32, _ address: PeerAddress, _ settings: GatewaySettings
    ) {
        self.number = number
        self.descriptor = descriptor
        self.address = address
        end = Self.time(after: settings.requestLimit)
        deadline = min(end, Self.time(after: settings.pauseLimit))
    }

    deinit { close(descriptor) }

    static func time(after limit: Int64) -> Int64 {
        // fits: a limit of the server's
        bgrun_boottime_ns() + limit
    }

    static func of(_ connection: OpaquePointer) -> Client? {
        bgrun_mhd_context(connection).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// The first header of that name.
    static func header(_ name: String, _ connection: OpaquePointer) -> String? {
        MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
    }

    /// The request from a received head, without its body.
    func head(
        _ connection: OpaquePointer, method: String, version: String, _ limits: HTTPLimits
    ) throws(HTTPRefusal) -> HTTPRequest {
        guard bgrun_mhd_head_size(connection) <= limits.head else {
            throw HTTPRefusal(431, "the head is longer than \(limits.head) bytes")
        }
        var headers: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &headers) { list in
            _ = MHD_get_connection_values(
                connection, .HEADER_KIND,
                { list, _, name, value in
                    if let list, let name {
                        list.assumingMemoryBound(to: [(name: String, value: String)].self)
                            .pointee.append(
                                (String(cString: name), value.map { String(cString: $0) } ?? ""))
                    }
                    return .YES
                }, list)
        }
        return try HTTPHead.request(
            method: method, target: target, version: version, headers: headers, limits)
    }

    /// Makes libmicrohttpd send the answer.
    func queue(_ response: HTTPResponse, _ connection: OpaquePointer) -> MHD_Result {
        phase = .sending
        let made = response.body.withUnsafeBytes { bytes in
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for (name, value) in response.allHeaders { _ = MHD_add_response_header(made, name, value) }
        return MHD_queue_response(connection, UInt32(clamping: response.status), made)
    }

    /// Sends an answer without libmicrohttpd, which has sent nothing yet.
    static func send(_ status: String, _ text: String, to descriptor: Int32) {
        var head = "HTTP/1.1 \(status)\r\n"
        for (name, value) in HTTPResponse(type: "text/plain", text).allHeaders {
            head += "\(name): \(value)\r\n"
        }
        let bytes = Array("\(head)Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Discards received bytes; false if no more are expected.
    func discard() -> Bool {
        guard case .draining(var left) = phase else { return false }
        var chunk = [UInt8](repeating: 0, count: 1_024)
        while left > 0 {
            let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 && errno == EAGAIN }
            left -= count
            phase = .draining(left: left)
        }
        return false
    }
}
