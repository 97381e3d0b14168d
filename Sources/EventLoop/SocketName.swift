// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Sockets and their addresses in the form of system calls.
package enum SocketName {
    /// A close-on-exec stream socket; -1 with errno on failure.
    package static func stream(_ family: Int32) -> Int32 {
        socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// A stream socket that is connected to the UNIX socket at `path`.
    /// - Parameter prepare: Called with the socket before it connects.
    package static func connected(
        to path: String, prepare: (Int32) throws(SystemFailure) -> Void = { _ in }
    ) throws(SystemFailure) -> Int32 {
        let descriptor = try SystemFailure.check("socket", stream(AF_UNIX))
        do throws(SystemFailure) {
            try prepare(descriptor)
            try SystemFailure.check(
                "connect \(path)", with(path: path) { connect(descriptor, $0, $1) })
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Calls `body` with the address of the UNIX socket at `path`; -1 and ENAMETOOLONG if it is longer
    /// than 107 bytes.
    package static func with(
        path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return generic(&address, body)
    }

    /// Calls `body` with the numeric address of `port` at `host`, which is IPv6 if it contains a colon.
    package static func with(
        host: String, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        guard host.contains(":") else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            return generic(&address, body)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, host, &address.sin6_addr)
        return generic(&address, body)
    }

    private static func generic<Address>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
