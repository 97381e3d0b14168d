// SPDX-License-Identifier: Apache-2.0

/// The `$(NAME)` of an Info.plist, which Xcode replaces when it builds.
struct BuildVariables {
    var values: [String: String]

    struct Missing: Error {
        var name: String
    }

    /// `text` with each variable in the place of its name; `:rfc1034identifier` and its like are
    /// heeded.
    func expand(_ text: String) throws(Missing) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: /\$[({]/) {
            let close: Character = rest[start].last == "(" ? ")" : "}"
            guard let end = rest[start.upperBound...].firstIndex(of: close) else { break }
            let words = rest[start.upperBound..<end].split(separator: ":")
            let name = String(words.first ?? "")
            guard let value = values[name] else { throw Missing(name: name) }
            result += rest[..<start.lowerBound]
            result += words.count > 1 ? Self.identifier(value) : value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// As Xcode makes an identifier of a product's name.
    private static func identifier(_ text: String) -> String {
        String(
            text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
    }
}
