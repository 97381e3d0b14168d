// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address at which a host listens for a task: `on: {socket: ...}`.
package enum SocketAddress: Equatable, Sendable {
    /// An absolute path of at most `longestPath` bytes, and the mode of the file there.
    case unix(path: String, mode: UInt32)
    /// A numeric address in the form of the C library, and a nonzero port.
    case tcp(host: String, port: UInt16)

    /// The capacity of `sun_path` without the NUL.
    static let longestPath = 107
    /// Only the user of the host may connect.
    package static let defaultMode: UInt32 = 0o600

    /// An address that only this machine can connect to.
    package static let loopback = "127.0.0.1"

    /// The address without the mode: only one listener can use it.
    package var place: String {
        switch self {
        case .unix(let path, _): path
        case .tcp(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// Reads `127.0.0.1:9000`, `[::1]:9000` or `9000`, which means this machine only; nil if it is invalid.
    init?(tcp text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, last.allSatisfy(\.isASCII), last.allSatisfy(\.isNumber),
            let port = UInt16(last), port > 0
        else { return nil }
        let host = parts.count == 1 ? Self.loopback[...] : text.dropLast(last.count + 1)
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let family = isBracketed ? AF_INET6 : AF_INET
        let number = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
        guard let canonical = Self.canonical(number, family) else { return nil }
        self = .tcp(host: canonical, port: port)
    }

    private static func canonical(_ number: String, _ family: Int32) -> String? {
        var address = in6_addr()
        guard inet_pton(family, number, &address) == 1 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, &address, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
