// SPDX-License-Identifier: Apache-2.0

/// Which identifiers a manifest permits. Matching is exact and case-sensitive (Apple); a trailing
/// `.*` permits any non-empty suffix.
public struct IdentifierRule: Hashable, Sendable {
    private let exact: Set<String>
    /// Without the `*`: each ends with a dot.
    private let prefixes: Set<String>

    /// `patterns` are identifiers, or prefixes that end in `.*`.
    public init(permitting patterns: [String]) {
        exact = Set(patterns.filter { !$0.hasSuffix(".*") })
        prefixes = Set(patterns.filter { $0.hasSuffix(".*") }.map { String($0.dropLast()) })
    }

    /// Whether `identifier` is permitted.
    public func permits(_ identifier: String) -> Bool {
        pattern(for: identifier) != nil
    }

    /// The most particular pattern that matches: the identifier itself, else the longest prefix.
    public func pattern(for identifier: String) -> String? {
        if exact.contains(identifier) { return identifier }
        if prefixes.isEmpty { return nil }
        var prefix = Substring(identifier)
        while let dot = prefix.lastIndex(of: ".") {
            let candidate = String(prefix[...dot])
            if candidate.utf8.count < identifier.utf8.count, prefixes.contains(candidate) {
                return candidate + "*"
            }
            prefix = prefix[..<dot]
        }
        return nil
    }

    /// Whether `identifier` is well formed: 1 to 255 of letters, digits, `.`, `-` and `_`, no empty
    /// part between dots; with `wildcard`, a last part of `*` is allowed.
    public static func isWellFormed(_ identifier: String, wildcard: Bool = false) -> Bool {
        guard (1...255).contains(identifier.utf8.count) else { return false }
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if wildcard, index > 0, index == parts.count - 1, part == "*" { continue }
            guard !part.isEmpty, part.utf8.allSatisfy(isIdentifierByte) else { return false }
        }
        return true
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
