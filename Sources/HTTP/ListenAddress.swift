// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address of a server: `127.0.0.1:8725`, `[::1]:8725`, `localhost:8725` or `unix:/path`. Port 0 means
/// any free one.
package enum ListenAddress: Equatable, Sendable {
    /// `host` is a numeric address, for IPv6 without brackets.
    case internet(host: String, port: UInt16)
    case unix(path: String)

    /// Nil if it is invalid. Names are not looked up; `localhost` is 127.0.0.1.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count < 100 else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])  // fits: text that does not is nil
        else { return nil }
        var host = String(text[..<colon])
        if host == "localhost" { host = "127.0.0.1" }
        var ip4 = in_addr()
        var ip6 = in6_addr()
        if inet_pton(AF_INET, host, &ip4) == 1 {
            self = .internet(host: host, port: port)
        } else if host.hasPrefix("["), host.hasSuffix("]"),
            case let inner = String(host.dropFirst().dropLast()),
            inet_pton(AF_INET6, inner, &ip6) == 1
        {
            self = .internet(host: inner, port: port)
        } else {
            return nil
        }
    }

    /// Whether only this machine can reach it.
    package var isLocal: Bool {
        switch self {
        case .internet(let host, _): host == "::1" || host.hasPrefix("127.")
        case .unix: true
        }
    }

    /// The address for a browser; `port` is the actual one.
    package func text(port: UInt16) -> String {
        switch self {
        case .internet(let host, _): "http://\(Self.written(host)):\(port)/"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The host names that a browser may use for it; nil: any.
    package var hosts: Set<String>? {
        guard isLocal, case .internet(let host, _) = self else { return nil }
        return ["localhost", "127.0.0.1", "[::1]", Self.written(host)]
    }

    /// The host with an IPv6 address in brackets, as required before a port.
    package static func written(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }
}
