// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

/// Makes sockets that listen.
enum ListeningSocket {
    static func open(_ address: ListenAddress) throws(SystemFailure) -> Int32 {
        let descriptor: Int32
        switch address {
        case .unix(let path):
            descriptor = try make(AF_UNIX)
            try attempt(descriptor) { () throws(SystemFailure) in
                try UnixListener.bind(descriptor, toFree: path)
            }
        case .ip4(let host, let port):
            descriptor = try make(AF_INET)
            try attempt(descriptor) { () throws(SystemFailure) in
                let bound = SocketName.with(host: host, port: port) { bind(descriptor, $0, $1) }
                try SystemFailure.check("bind \(host):\(port)", bound)
            }
        case .ip6(let host, let port):
            descriptor = try make(AF_INET6)
            try attempt(descriptor) { () throws(SystemFailure) in
                let bound = SocketName.with(host: host, port: port) { bind(descriptor, $0, $1) }
                try SystemFailure.check("bind [\(host)]:\(port)", bound)
            }
        }
        try attempt(descriptor) { () throws(SystemFailure) in
            try SystemFailure.check("listen", listen(descriptor, 64))
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    /// The port of a socket; 0 when it has none.
    static func port(of descriptor: Int32) -> UInt16 {
        var socket = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &socket) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        let family = Int32(clamping: socket.sin6_family)
        // Both families have the port at the same place.
        guard code == 0, family == AF_INET || family == AF_INET6 else { return 0 }
        return UInt16(bigEndian: socket.sin6_port)
    }

    private static func make(_ family: Int32) throws(SystemFailure) -> Int32 {
        let descriptor = try SystemFailure.check("socket", SocketName.stream(family))
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static func attempt(
        _ descriptor: Int32, _ body: () throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        do throws(SystemFailure) {
            try body()
        } catch {
            close(descriptor)
            throw error
        }
    }
}
