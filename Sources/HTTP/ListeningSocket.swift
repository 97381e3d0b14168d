// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

enum ListeningSocket {
    static func open(_ address: ListenAddress) throws(SystemFailure) -> Int32 {
        switch address {
        case .unix(let path):
            return try UnixListener.listening { listener throws(SystemFailure) in
                try UnixListener.bind(listener, toFree: path)
            }
        case .internet(let host, let port):
            let family = host.contains(":") ? AF_INET6 : AF_INET
            return try UnixListener.listening(family) { listener throws(SystemFailure) in
                var yes: Int32 = 1
                let size = socklen_t(MemoryLayout<Int32>.size)
                setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, size)
                let bound = SocketName.with(host: host, port: port) { bind(listener, $0, $1) }
                try SystemFailure.check("bind \(ListenAddress.written(host)):\(port)", bound)
            }
        }
    }

    /// The port of a socket; 0 without one.
    static func port(of descriptor: Int32) -> UInt16 {
        var socket = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &socket) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        let family = Int32(clamping: socket.sin6_family)
        // Both families store the port at the same offset.
        guard code == 0, family == AF_INET || family == AF_INET6 else { return 0 }
        return UInt16(bigEndian: socket.sin6_port)
    }
}
