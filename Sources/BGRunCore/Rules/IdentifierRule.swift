// SPDX-License-Identifier: Apache-2.0

/// Which identifiers a manifest permits. Matching is exact and case-sensitive (Apple); a trailing
/// `.*` permits any non-empty suffix.
public struct IdentifierRule: Hashable, Sendable {
    private let patterns: [String]
    /// Positions of the patterns without a wildcard.
    private let exact: [String: Int]
    /// Positions of the others, by what they are without the `*`: each ends with a dot.
    private let prefixes: [Substring: Int]
    /// In bytes, each once, the longest first.
    private let prefixLengths: [Int]

    /// `patterns` are identifiers, or prefixes that end in `.*`.
    public init(permitting patterns: [String]) {
        self.patterns = patterns
        let all = patterns.enumerated()
        exact = Dictionary(
            all.filter { !$1.hasSuffix(".*") }.map { ($1, $0) },
            uniquingKeysWith: { first, _ in first })
        prefixes = Dictionary(
            all.filter { $1.hasSuffix(".*") }.map { ($1.dropLast(), $0) },
            uniquingKeysWith: { first, _ in first })
        prefixLengths = Set(prefixes.keys.map(\.utf8.count)).sorted(by: >)
    }

    /// Whether `identifier` is permitted.
    public func permits(_ identifier: String) -> Bool {
        index(for: identifier) != nil
    }

    /// The most particular pattern that matches: the identifier itself, else the longest prefix.
    public func pattern(for identifier: String) -> String? {
        index(for: identifier).map { patterns[$0] }
    }

    /// The position of that pattern.
    func index(for identifier: String) -> Int? {
        if !exact.isEmpty, let index = exact[identifier] { return index }
        let bytes = identifier.utf8
        for length in prefixLengths where length < bytes.count {
            let end = bytes.index(bytes.startIndex, offsetBy: length)
            guard bytes[bytes.index(before: end)] == UInt8(ascii: ".") else { continue }
            if let index = prefixes[Substring(bytes[..<end])] { return index }
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
