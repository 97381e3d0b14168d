// SPDX-License-Identifier: Apache-2.0

/// Which identifiers a manifest permits: exactly (Apple), or any non-empty suffix after a trailing `.*`.
package struct IdentifierRule: Equatable, Sendable {
    private let patterns: [String]
    /// Indices of the patterns without a wildcard.
    private let exact: [String: Int]
    /// The other patterns, the longest first.
    private let prefixes: [Prefixes]

    /// Patterns of one length by their text without the `*`: each ends with a dot.
    private struct Prefixes: Equatable {
        /// Usually there is only one, which is faster to compare than to hash.
        let first: [UInt8]
        let position: Int
        let others: [Substring: Int]
    }

    /// `patterns` are identifiers, or prefixes that end in `.*`.
    package init(permitting patterns: [String]) {
        self.patterns = patterns
        let all = patterns.enumerated()
        exact = Dictionary(
            all.filter { !$1.hasSuffix(".*") }.map { ($1, $0) },
            uniquingKeysWith: { first, _ in first })
        let prefixes = Dictionary(
            all.filter { $1.hasSuffix(".*") }.map { ($1.dropLast(), $0) },
            uniquingKeysWith: { first, _ in first })
        self.prefixes = Dictionary(grouping: prefixes) { $0.key.utf8.count }
            .sorted { $0.key > $1.key }
            .map { _, unordered in
                let patterns = unordered.sorted { $0.value < $1.value }
                return Prefixes(
                    first: Array(patterns[0].key.utf8), position: patterns[0].value,
                    others: Dictionary(
                        patterns.dropFirst().map { ($0.key, $0.value) },
                        uniquingKeysWith: { first, _ in first }))
            }
    }

    package func permits(_ identifier: String) -> Bool { index(for: identifier) != nil }

    /// The most specific pattern that matches: the identifier itself, else the longest prefix.
    package func pattern(for identifier: String) -> String? {
        index(for: identifier).map { patterns[$0] }
    }

    /// The index of that pattern.
    package func index(for identifier: String) -> Int? {
        if !exact.isEmpty, let index = exact[identifier] { return index }
        for candidates in prefixes {
            if identifier.utf8.isLonger(than: candidates.first) { return candidates.position }
            guard !candidates.others.isEmpty,
                let end = identifier.utf8.index(
                    identifier.startIndex, offsetBy: candidates.first.count,
                    limitedBy: identifier.endIndex), end < identifier.endIndex
            else { continue }
            if let position = candidates.others[identifier[..<end]] { return position }
        }
        return nil
    }

    /// Whether `identifier` is well formed: 1 to 255 of letters, digits, `.`, `-` and `_`, no empty
    /// part between dots; with `wildcard`, a last part of `*` is allowed.
    package static func isWellFormed(_ identifier: String, wildcard: Bool = false) -> Bool {
        let bytes = identifier.utf8
        guard (1...255).contains(bytes.count) else { return false }
        if wildcard, identifier.hasSuffix(".*") {
            return isWellFormed(String(identifier.dropLast(2)))
        }
        return bytes.withContiguousStorageIfAvailable(hasWellFormedParts)
            ?? hasWellFormedParts(bytes)
    }

    private static func hasWellFormedParts(_ bytes: some Sequence<UInt8>) -> Bool {
        var isAtBeginningOfPart = true
        for byte in bytes {
            let isDot = byte == UInt8(ascii: ".")
            guard isDot ? !isAtBeginningOfPart : isIdentifierByte(byte) else { return false }
            isAtBeginningOfPart = isDot
        }
        return !isAtBeginningOfPart
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit.
    var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension String.UTF8View {
    /// Whether it begins with `prefix` and is longer.
    fileprivate func isLonger(than prefix: [UInt8]) -> Bool {
        count > prefix.count
            && withContiguousStorageIfAvailable { bytes in
                prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
            } ?? starts(with: prefix)
    }
}
