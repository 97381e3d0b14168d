// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// One connection: a request, its answer, the end. Lives on the thread that calls `hold`.
struct HTTPConnection: Sendable {
    let descriptor: Int32
    let timeouts: HTTPServer.Timeouts
    let address: PeerAddress
    let admit: HTTPServer.Admission
    let handler: HTTPServer.Handler
    let slots: ConnectionSlots

    func hold() {
        defer { end() }
        let response: HTTPResponse
        var isHead = false
        do throws(HTTPRefusal) {
            switch try read() {
            case nil: return
            case .refused(let refusal): response = refusal
            case .whole(let request):
                isHead = request.method == "HEAD"
                response = handler(request)
            }
        } catch {
            response = HTTPResponse(error.status, type: "text/plain", error.reason + "\n")
        }
        write(response.bytes(isHead: isHead))
        drain()
    }

    func end() {
        close(descriptor)
        slots.give(address)
    }

    private enum Reading {
        case whole(HTTPRequest)
        /// Based on the header only; the body was not read.
        case refused(HTTPResponse)
    }

    /// Nil if the client has disconnected.
    private func read() throws(HTTPRefusal) -> Reading? {
        let deadline = bgrun_monotonic_ns() + timeouts.request
        var reader = HTTPReader()
        var isAdmitted = false
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let next = min(deadline, bgrun_monotonic_ns() + timeouts.idle)
            guard wait(for: Int16(POLLIN), until: next) else {
                throw HTTPRefusal(408, "the request took too long")
            }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return nil }
            let request = try reader.read(chunk[..<count])
            if !isAdmitted, let head = reader.headRead {
                if let refusal = admit(head) { return .refused(refusal) }
                isAdmitted = true
            }
            if let request { return .whole(request) }
        }
    }

    private func write(_ bytes: [UInt8]) {
        let deadline = bgrun_monotonic_ns() + timeouts.response
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                guard wait(for: Int16(POLLOUT), until: deadline) else { return }
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Closing while the caller still sends would take the answer back from it (RST).
    private func drain() {
        shutdown(descriptor, Int32(SHUT_WR))
        let deadline = bgrun_monotonic_ns() + 500_000_000
        var chunk = [UInt8](repeating: 0, count: 16_384)
        var rest = 1 << 20
        while rest > 0, wait(for: Int16(POLLIN), until: deadline) {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            rest -= count
        }
    }

    private func wait(for events: Int16, until deadline: Int64) -> Bool {
        while true {
            let left = (deadline - bgrun_monotonic_ns()) / 1_000_000
            guard left > 0 else { return false }
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let count = poll(&entry, 1, Int32(clamping: min(left, 60_000)))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }
}
