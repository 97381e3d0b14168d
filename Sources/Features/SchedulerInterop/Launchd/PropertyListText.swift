// SPDX-License-Identifier: Apache-2.0

/// A value of an XML property list.
package indirect enum PropertyListValue: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case real(Double)
    case truth(Bool)
    case array([PropertyListValue])
    case dictionary([Entry])

    package struct Entry: Equatable, Sendable {
        var key: String
        var line: Int
        var value: PropertyListValue
    }

    /// Why a text is not a property list.
    package struct Problem: Error, Equatable, Sendable {
        package var line: Int
        package var message: String
    }

    /// Reads an XML property list of at most 64 levels.
    package init(xml text: String) throws(Problem) {
        var reader = PropertyListReader(rest: text[...])
        self = try reader.document()
    }

    var entries: [Entry] {
        if case .dictionary(let entries) = self { entries } else { [] }
    }

    var items: [PropertyListValue] {
        if case .array(let items) = self { items } else { [] }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var integer: Int? {
        switch self {
        case .integer(let value): value
        case .real(let value) where value.magnitude < 1e15: Int(value)
        default: nil
        }
    }

    var isTrue: Bool {
        if case .truth(let value) = self { value } else { false }
    }

    subscript(key: String) -> PropertyListValue? { entries.first { $0.key == key }?.value }
}

/// The subset of XML in property lists: elements without significant attributes, text, comments,
/// the five entities, numeric ones and CDATA.
private struct PropertyListReader {
    var rest: Substring
    var line = 1
    private static let deepest = 64

    mutating func document() throws(PropertyListValue.Problem) -> PropertyListValue {
        var tag = try next()
        if tag.name == "plist" { tag = try next() }
        return try value(tag, depth: 1)
    }

    private struct Tag {
        var name: String
        var isEmpty = false
        var line: Int
    }

    private mutating func value(
        _ tag: Tag, depth: Int
    ) throws(PropertyListValue.Problem) -> PropertyListValue {
        guard depth <= Self.deepest else { throw problem("nested more than 64 levels deep") }
        switch tag.name {
        case "true", "false":
            if !tag.isEmpty { try close(tag.name) }
            return .truth(tag.name == "true")
        case "string", "date", "data":
            return .text(try content(tag))
        case "integer":
            let text = try content(tag).trimmed
            guard let number = Int(text) else { throw problem("\"\(text)\" is not an integer") }
            return .integer(number)
        case "real":
            let text = try content(tag).trimmed
            guard let number = Double(text) else { throw problem("\"\(text)\" is not a number") }
            return .real(number)
        case "array":
            var items: [PropertyListValue] = []
            while !tag.isEmpty, let child = try child(of: tag) {
                items.append(try value(child, depth: depth + 1))
            }
            return .array(items)
        case "dict":
            var entries: [PropertyListValue.Entry] = []
            while !tag.isEmpty, let child = try child(of: tag) {
                guard child.name == "key" else { throw problem("<\(child.name)> without a <key>") }
                let key = try content(child)
                entries.append(
                    PropertyListValue.Entry(
                        key: key, line: child.line, value: try value(try next(), depth: depth + 1)))
            }
            return .dictionary(entries)
        default:
            throw problem("<\(tag.name)> is not a value of a property list")
        }
    }

    /// The next tag, or nil at the end of `parent`.
    private mutating func child(of parent: Tag) throws(PropertyListValue.Problem) -> Tag? {
        let tag = try next()
        guard tag.name.hasPrefix("/") else { return tag }
        guard tag.name == "/\(parent.name)" else {
            throw problem("<\(tag.name)> where <\(parent.name)> is open")
        }
        return nil
    }

    private mutating func close(_ name: String) throws(PropertyListValue.Problem) {
        let tag = try next()
        guard tag.name == "/\(name)" else { throw problem("<\(name)> is not closed") }
    }

    /// The next tag other than comments and declarations.
    private mutating func next() throws(PropertyListValue.Problem) -> Tag {
        while true {
            skip(rest.prefix { $0 != "<" }.count)
            guard !rest.isEmpty else { throw problem("the file ends too early") }
            if rest.hasPrefix("<!--") {
                try skip(past: "-->")
            } else if rest.hasPrefix("<?") || rest.hasPrefix("<!") {
                try skip(past: ">")
            } else {
                break
            }
        }
        let begun = line
        let inside = rest.dropFirst().prefix { $0 != ">" }
        skip(inside.count + 1)
        guard !rest.isEmpty else { throw problem("a tag does not end") }
        skip(1)
        let isEmpty = inside.hasSuffix("/")
        let name = inside.prefix { !$0.isWhitespace }
        return Tag(
            name: isEmpty && name.hasSuffix("/") ? String(name.dropLast()) : String(name),
            isEmpty: isEmpty, line: begun)
    }

    /// The text up to the end of `tag`.
    private mutating func content(_ tag: Tag) throws(PropertyListValue.Problem) -> String {
        guard !tag.isEmpty else { return "" }
        var text = ""
        while true {
            let plain = rest.prefix { $0 != "<" && $0 != "&" }
            text += plain
            skip(plain.count)
            if rest.hasPrefix("<![CDATA[") {
                skip(9)
                guard let end = rest.firstRange(of: "]]>") else {
                    throw problem("CDATA does not end")
                }
                text += rest[..<end.lowerBound]
                try skip(past: "]]>")
            } else if rest.hasPrefix("<!--") {
                try skip(past: "-->")
            } else if rest.first == "&" {
                text += try entity()
            } else {
                try close(tag.name)
                return text
            }
        }
    }

    private mutating func entity() throws(PropertyListValue.Problem) -> String {
        let name = rest.dropFirst().prefix { $0 != ";" && $0 != "<" }
        guard rest.dropFirst(name.count + 1).first == ";" else { throw problem("a lone &") }
        skip(name.count + 2)
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                name.hasPrefix("#x")
                // fits: or is nil
                ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            guard name.hasPrefix("#"), let scalar = number.flatMap(Unicode.Scalar.init) else {
                throw problem("&\(name); is not known")
            }
            return String(Character(scalar))
        }
    }

    private mutating func skip(_ count: Int) {
        line += rest.prefix(count).count { $0.isNewline }
        rest = rest.dropFirst(count)
    }

    private mutating func skip(past end: String) throws(PropertyListValue.Problem) {
        guard let range = rest.firstRange(of: end) else { throw problem("\(end) is missing") }
        skip(rest[..<range.upperBound].count)
    }

    private func problem(_ message: String) -> PropertyListValue.Problem {
        PropertyListValue.Problem(line: line, message: message)
    }
}
