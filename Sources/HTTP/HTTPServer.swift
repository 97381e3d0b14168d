// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import Glibc

/// Answers requests, each on a thread of its own that ends with its connection. However many callers there
/// are and however slow they are, others are answered and memory is bounded.
///
/// Belongs to the loop's thread; the handler is called on other ones.
package final class HTTPServer {
    package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse
    /// Refuses a request based on its header, so that the body is not read; nil: accepted.
    package typealias Admission = @Sendable (HTTPRequest) -> HTTPResponse?

    /// What a caller may take.
    package struct Timeouts: Sendable {
        /// Connections at a time; more are turned away.
        package var connections = 32
        /// Per address; the loopback addresses of this machine count as one.
        package var connectionsOfOneAddress = 24
        /// Nanoseconds from the connection to the end of the request.
        package var request: Int64 = 10_000_000_000
        /// Nanoseconds between two parts of a request.
        package var idle: Int64 = 5_000_000_000
        /// Nanoseconds to take the answer.
        package var response: Int64 = 30_000_000_000

        package init() {}
    }

    /// The port it listens on; 0 for a UNIX socket.
    package let port: UInt16
    private let loop: EventLoop
    private let listener: Int32
    private let unixPath: String?
    private let timeouts: Timeouts
    private let admit: Admission
    private let handler: Handler
    private let slots: ConnectionSlots
    private let acceptor: Acceptor

    /// Listens at `address`. A UNIX socket is its user's alone (0600), and one that a dead server has left
    /// is replaced.
    package init(
        _ loop: EventLoop, _ address: ListenAddress, _ timeouts: Timeouts = Timeouts(),
        admit: @escaping Admission = { _ in nil }, handler: @escaping Handler
    ) throws(SystemFailure) {
        self.loop = loop
        self.timeouts = timeouts
        self.admit = admit
        self.handler = handler
        slots = ConnectionSlots(
            timeouts.connections, ofOneAddress: timeouts.connectionsOfOneAddress)
        if case .unix(let path) = address { unixPath = path } else { unixPath = nil }
        listener = try ListeningSocket.open(address)
        acceptor = Acceptor(listener)
        port = ListeningSocket.port(of: listener)
        try loop.watch(listener) { [unowned self] _ in accept() }
    }

    deinit {
        loop.forget(listener)
        close(listener)
        if let unixPath { unlink(unixPath) }
    }

    private func accept() {
        acceptor.round { descriptor in
            let address = PeerAddress(of: descriptor)
            guard slots.take(address) else {
                let busy = HTTPResponse(503, type: "text/plain", "too many connections\n").bytes()
                _ = send(descriptor, busy, busy.count, Int32(MSG_NOSIGNAL))
                close(descriptor)
                return
            }
            let connection = HTTPConnection(
                descriptor: descriptor, timeouts: timeouts, address: address, admit: admit,
                handler: handler, slots: slots)
            if !Thread.start({ connection.hold() }) { connection.end() }
        }
    }
}
