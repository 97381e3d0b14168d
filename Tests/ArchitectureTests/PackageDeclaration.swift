// SPDX-License-Identifier: Apache-2.0

/// A declaration that other targets can use.
struct PackageDeclaration {
    enum Kind { case type, member, initialiser }

    let kind: Kind
    let name: String
    let number: Int
    /// The text up to the end of the parameters.
    let signature: String
    /// The possible calls of an initialiser, in the form of `CodeWords.calls`.
    let calls: [String]

    var title: String { kind == .initialiser ? "\(name).init" : name }

    private static let types: Set<Substring> = [
        "struct", "enum", "class", "protocol", "actor", "typealias",
    ]

    static func all(in lines: [(number: Int, text: String)]) -> [Self] {
        var owners = Owners()
        return lines.indices.compactMap { index in
            let text = lines[index].text
            defer { owners.take(text) }
            let words = text.split(separator: " ")
            guard let place = words.firstIndex(of: "package"),
                words[..<place].allSatisfy({ $0.hasPrefix("@") || $0.allSatisfy(\.isLetter) })
            else { return nil }
            let rest = words[(place + 1)...]
            if rest.contains(where: { word in
                ["init(", "init?(", "init<"].contains { word.hasPrefix($0) }
            }) {
                let signature = Self.signature(at: index, of: lines)
                return Self(
                    kind: .initialiser, name: owners.name, number: lines[index].number,
                    signature: signature, calls: Self.calls(of: owners.name, signature))
            }
            guard
                let keyword = rest.firstIndex(where: {
                    Self.types.contains($0) || ["func", "var", "let"].contains($0)
                }), keyword + 1 < rest.endIndex
            else { return nil }
            // `class func` and `class var` do not occur.
            let name = rest[keyword + 1].drop { $0 == "`" }
                .prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            guard !name.isEmpty else { return nil }
            return Self(
                kind: Self.types.contains(rest[keyword]) ? .type : .member, name: String(name),
                number: lines[index].number, signature: Self.signature(at: index, of: lines),
                calls: [])
        }
    }

    /// The names that protocols require.
    static func requirements(in lines: [(number: Int, text: String)]) -> [String] {
        var depth = 0
        var names: [String] = []
        for (_, text) in lines {
            let words = text.split(separator: " ")
            if depth > 0 {
                if let place = words.firstIndex(where: { $0 == "func" || $0 == "var" }),
                    place + 1 < words.endIndex
                {
                    names.append(String(words[place + 1].prefix { $0.isLetter || $0.isNumber }))
                }
            } else if !words.contains("protocol") {
                continue
            }
            depth += text.count { $0 == "{" } - text.count { $0 == "}" }
        }
        return names
    }

    private static func signature(at index: Int, of lines: [(number: Int, text: String)]) -> String
    {
        var text = ""
        for line in lines[index...].prefix(20) {
            text += line.text + " "
            let open = text.count { $0 == "(" || $0 == "[" }
            let closed = text.count { $0 == ")" || $0 == "]" }
            if open == closed, !line.text.hasSuffix(":") { break }
        }
        return text
    }

    /// An initialiser is called with the label of its first parameter, or of a later one after defaults.
    private static func calls(of type: String, _ signature: String) -> [String] {
        let parameters = signature.drop { $0 != "(" }.dropFirst()
        let labels = parameters.split(separator: ",").compactMap { part -> String? in
            let words = part.prefix { $0 != ":" }.split(separator: " ")
            return part.contains(":") ? words.first.map { $0 == "_" ? "" : String($0) } : nil
        }
        let isEmpty = parameters.hasPrefix(")")
        let defaults = signature.count { $0 == "=" }
        let mayOmit = isEmpty || defaults >= labels.count
        let usable = (defaults > 0 ? labels : Array(labels.prefix(1))) + (mayOmit ? [""] : [])
        let names = [type, "init", "Self"]
        return usable.flatMap { label in names.map { "\($0)(\(label)" } } + ["\(type).init"]
    }

    /// The types whose bodies contain a line.
    private struct Owners {
        private var open: [(name: String, depth: Int)] = []
        private var depth = 0

        var name: String { open.last?.name ?? "" }

        mutating func take(_ text: String) {
            let words = text.split(separator: " ")
            if text.hasSuffix("{") || text.contains("{ "),
                let place = words.firstIndex(where: {
                    types.contains($0) || $0 == "extension"
                }), place + 1 < words.endIndex
            {
                let path = words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "." }
                open.append((path.split(separator: ".").last.map(String.init) ?? "", depth))
            }
            depth += text.count { $0 == "{" } - text.count { $0 == "}" }
            while let last = open.last, depth <= last.depth { open.removeLast() }
        }
    }
}
