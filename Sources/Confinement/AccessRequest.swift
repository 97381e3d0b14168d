// SPDX-License-Identifier: Apache-2.0

/// What a handler may want to do, as `bgrun explain --access` names it. Paths are absolute.
package enum AccessRequest: Hashable, Sendable {
    package enum FileAccess: String, CaseIterable, Sendable {
        case read, write, execute

        /// For messages.
        var participle: String {
            switch self {
            case .read: "reading"
            case .write: "writing"
            case .execute: "executing"
            }
        }
    }

    case file(FileAccess, String)
    /// TCP ports.
    case connect(UInt16), listen(UInt16)
    case udp
    /// A connection to a UNIX socket.
    case socket(String)

    /// The forms that `init` reads.
    package static let forms =
        "read:PATH, write:PATH, execute:PATH, connect:PORT, listen:PORT, udp and socket:PATH"

    /// - Parameters:
    ///   - text: One of `forms`.
    ///   - directory: The start of relative paths, absolute.
    ///   - home: In place of `~`; nil: unknown.
    package init?(_ text: String, in directory: String, home: String?) {
        guard let colon = text.firstIndex(of: ":") else {
            guard text == "udp" else { return nil }
            self = .udp
            return
        }
        let word = String(text[..<colon])
        let rest = String(text[text.index(after: colon)...])
        let path = Self.path(rest, in: directory, home: home)
        switch word {
        case "connect", "listen":
            guard let port = UInt16(rest), port > 0 else { return nil }
            self = word == "connect" ? .connect(port) : .listen(port)
        case "socket":
            guard let path else { return nil }
            self = .socket(path)
        default:
            guard let access = FileAccess(rawValue: word), let path else { return nil }
            self = .file(access, path)
        }
    }

    package var text: String {
        switch self {
        case .file(let access, let path): "\(access.rawValue):\(path)"
        case .connect(let port): "connect:\(port)"
        case .listen(let port): "listen:\(port)"
        case .udp: "udp"
        case .socket(let path): "socket:\(path)"
        }
    }

    /// An absolute path without `.` and `..`; nil for an empty one, and for a home that is unknown.
    private static func path(_ text: String, in directory: String, home: String?) -> String? {
        guard !text.isEmpty else { return nil }
        var path = text.hasPrefix("/") ? text : directory + "/" + text
        if text == "~" || text.hasPrefix("~/") {
            guard let home, home.hasPrefix("/") else { return nil }
            path = home + "/" + text.dropFirst()
        }
        var names: [Substring] = []
        for name in path.split(separator: "/") where name != "." {
            if name != ".." { names.append(name) } else { _ = names.popLast() }
        }
        return "/" + names.joined(separator: "/")
    }
}
