// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The keys of a manifest that would allow something, as YAML in one line.
enum AccessGrant {
    /// In place of a grant that gives more than a task needs.
    static let narrower = "create a directory for it and grant that"

    static func file(_ access: AccessRequest.FileAccess, _ path: String) -> String {
        text(access == .write ? "write" : "read", [path])
    }

    static func text(_ key: String, _ paths: [String]) -> String {
        "confine: {\(key): [\(paths.map(scalar).joined(separator: ", "))]}"
    }

    /// The whole key: the innermost `network` of a manifest replaces the others.
    static func network(_ network: Confinement.Network, with request: AccessRequest) -> String {
        var wider = network
        switch request {
        case .connect(let port): wider.connect?.append(port)
        case .listen(let port): wider.listen?.append(port)
        default: wider.udp = true
        }
        var parts: [String] = []
        if let ports = wider.connect { parts.append("connect: \(list(ports))") }
        if let ports = wider.listen, !ports.isEmpty { parts.append("listen: \(list(ports))") }
        if !wider.udp { parts.append("udp: false") }
        return parts.isEmpty
            ? "confine: {network: outgoing}"
            : "confine: {network: {\(parts.joined(separator: ", "))}}"
    }

    private static func list(_ ports: [UInt16]) -> String {
        "[\(ports.sorted().map(String.init).joined(separator: ", "))]"
    }

    /// Quotes what YAML would read otherwise.
    private static func scalar(_ path: String) -> String {
        let isPlain = path.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0)
                || "/._-+@".unicodeScalars.contains($0)
        }
        guard !isPlain else { return path }
        let escaped = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
