// SPDX-License-Identifier: Apache-2.0

/// A set of tags, sorted by their bytes.
package struct Tags: Equatable, Sendable {
    package private(set) var names: [String]

    /// The maximum number of tags of a request, including those of its task.
    package static let most = 8
    /// The maximum number of characters of a tag.
    package static let longest = 64
    /// The format of a tag for Markdown and messages.
    package static let form = "1 to \(longest) letters, digits, `.`, `_`, `-`, `:` or `/`"

    /// Removes duplicates.
    package init(_ names: some Sequence<String>) {
        let names = Array(names)
        self.names =
            names.isEmpty ? [] : Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    var isEmpty: Bool { names.isEmpty }

    func adding(_ others: Tags) -> Tags { Tags(names + others.names) }

    /// The problem and the remedy; nil: none.
    var problem: String? {
        if let problem = names.lazy.compactMap(Self.problem(of:)).first { return problem }
        guard names.count > Self.most else { return nil }
        return "a request has at most \(Self.most) tags, not \(names.count); omit some"
    }

    /// The problem with one tag, and the remedy; nil: none.
    package static func problem(of name: String) -> String? {
        let isValid = (1...longest).contains(name.utf8.count) && name.utf8.allSatisfy(isPermitted)
        return isValid ? nil : "\"\(shown(name))\" is not a tag; write \(form)"
    }

    /// Without control characters, which a terminal would interpret, and not much longer than a
    /// tag.
    private static func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(longest + 1).map {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "\u{FFFD}" : $0
        }
        return String(String.UnicodeScalarView(scalars))
            + (name.unicodeScalars.count > scalars.count ? "..." : "")
    }

    private static func isPermitted(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || ".-_:/".utf8.contains(byte)
    }
}

extension Tags: ExpressibleByArrayLiteral {
    package init(arrayLiteral names: String...) { self.init(names) }
}

extension Tags: Codable {
    package init(from decoder: any Decoder) throws { self.init(try [String](from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try names.encode(to: encoder) }
}
