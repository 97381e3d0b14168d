// SPDX-License-Identifier: Apache-2.0

/// The server of a URL: scheme, host and port. The same server answers two URLs with equal values.
package struct WebAddress: Equatable, Sendable {
    /// Whether it uses TLS.
    package var isSecure: Bool
    /// In lower case; an IPv6 address without brackets.
    package var host: String
    package var port: UInt16

    /// Nil if it is not an `http:` or `https:` URL with a host.
    package init?(_ url: String) {
        let url = Self.withoutUser(url)
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
            return nil
        }
        switch url[..<colon].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let place = url[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let isBracketed = place.hasPrefix("[")
        let name = place.prefix { isBracketed ? $0 != "]" : $0 != ":" }
        let rest = place.dropFirst(name.count + (isBracketed ? 1 : 0))
        host = String(isBracketed ? name.dropFirst() : name).lowercased()
        guard !host.isEmpty, !isBracketed || place.contains("]") else { return nil }
        if rest.isEmpty || rest == ":" {
            port = isSecure ? 443 : 80
        } else {
            guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()), number > 0 else {
                return nil
            }
            port = number
        }
    }

    /// `url` without its user and password, which are visible wherever it is shown, and must not be passed on to
    /// redirect targets.
    package static func withoutUser(_ url: String) -> String {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
            return url
        }
        let rest = url[colon...].dropFirst(3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return url }
        return url[..<colon] + "://" + rest[rest.index(after: at)...]
    }
}
