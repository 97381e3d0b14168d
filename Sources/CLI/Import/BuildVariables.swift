// SPDX-License-Identifier: Apache-2.0

/// The `$(NAME)` of an Info.plist, which Xcode replaces when it builds.
struct BuildVariables {
    var values: [String: String]

    struct Missing: Error {
        var name: String
    }

    /// `text` with the value of each variable in place of its name; applies `:rfc1034identifier`
    /// and similar modifiers.
    func expand(_ text: String) throws(Missing) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "$") {
            let open = rest.index(after: start)
            let close: Character? = ["(": ")", "{": "}"][rest[open...].first ?? " "]
            guard let close, let end = rest[open...].firstIndex(of: close) else {
                result += rest[..<open]
                rest = rest[open...]
                continue
            }
            let words = rest[rest.index(after: open)..<end].split(separator: ":")
            let name = String(words.first ?? "")
            guard let value = values[name] else { throw Missing(name: name) }
            result += rest[..<start] + (words.count > 1 ? Self.identifier(value) : value)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// The identifier that Xcode makes from a product name.
    private static func identifier(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
    }
}
