// SPDX-License-Identifier: Apache-2.0

/// Finds the place where a text stops being JSON (RFC 8259).
package struct JSONSyntax {
    /// The first byte that does not continue a JSON text.
    package struct Fault: Error, Equatable, Sendable {
        /// Both from 1 on; a column is a byte.
        package var line: Int
        package var column: Int
        /// The expected and the actual text.
        package var problem: String
    }

    private let bytes: [UInt8]
    private var at = 0
    private static let deepest = 512

    /// The first fault; nil: `text` is JSON.
    package static func fault(in text: some Sequence<UInt8>) -> Fault? {
        var syntax = JSONSyntax(bytes: Array(text))
        do throws(Fault) {
            try syntax.value(depth: 0)
            syntax.skipBlanks()
            return syntax.at < syntax.bytes.count ? syntax.fault("the end of the text") : nil
        } catch {
            return error
        }
    }

    // MARK: values

    private mutating func value(depth: Int) throws(Fault) {
        skipBlanks()
        switch here ?? 0 {
        case UInt8(ascii: "{"): try list("}", depth)
        case UInt8(ascii: "["): try list("]", depth)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default:
            for word in ["true", "false", "null"] where bytes[at...].starts(with: word.utf8) {
                at += word.utf8.count
                return
            }
            throw fault("a value")
        }
    }

    /// `{...}` or `[...]`.
    private mutating func list(_ end: Unicode.Scalar, _ depth: Int) throws(Fault) {
        guard depth < Self.deepest else { throw fault("at most \(Self.deepest) levels") }
        at += 1
        if skip(end) { return }
        repeat {
            if end == "}" { try key() }
            try value(depth: depth + 1)
        } while skip(",")
        guard skip(end) else { throw fault("`,` or `\(end)`") }
    }

    private mutating func key() throws(Fault) {
        skipBlanks()
        guard here == UInt8(ascii: "\"") else { throw fault("a key in double quotes") }
        try string()
        guard skip(":") else { throw fault("`:` after the key") }
    }

    private mutating func string() throws(Fault) {
        at += 1
        while let byte = here, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("an escape such as \\n for a control character") }
            at += 1
            guard byte == UInt8(ascii: "\\") else { continue }
            guard let escape = here, "\"\\/bfnrtu".utf8.contains(escape) else {
                throw fault("one of \" \\ / b f n r t u after the backslash")
            }
            at += 1
            guard escape == UInt8(ascii: "u") else { continue }
            for _ in 0..<4 {
                guard let digit = here, Self.isHexadecimal(digit) else {
                    throw fault("four hexadecimal digits after \\u")
                }
                at += 1
            }
        }
        guard here != nil else { throw fault("the closing quote of a string") }
        at += 1
    }

    private mutating func number() throws(Fault) {
        if here == UInt8(ascii: "-") { at += 1 }
        if here == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if here == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        guard here == UInt8(ascii: "e") || here == UInt8(ascii: "E") else { return }
        at += 1
        if here == UInt8(ascii: "+") || here == UInt8(ascii: "-") { at += 1 }
        try digits()
    }

    private mutating func digits() throws(Fault) {
        let start = at
        while let digit = here, 48...57 ~= digit { at += 1 }
        guard at > start else { throw fault("a digit") }
    }

    // MARK: bytes

    private var here: UInt8? { at < bytes.count ? bytes[at] : nil }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        "0123456789abcdefABCDEF".utf8.contains(byte)
    }

    private mutating func skipBlanks() {
        while let byte = here, " \t\r\n".utf8.contains(byte) { at += 1 }
    }

    private mutating func skip(_ sign: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard let here, Unicode.Scalar(here) == sign else { return false }
        at += 1
        return true
    }

    private func fault(_ expected: String) -> Fault {
        let before = bytes[..<at]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Fault(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: at - lineStart + 1,
            problem: "expected \(expected), found \(found)")
    }

    /// The text at this place, shortened for a message.
    private var found: String {
        guard at < bytes.count else { return "the end of the text" }
        let text = String(decoding: bytes[at...].prefix(24), as: UTF8.self)
        return "\"\(text.prefix { !$0.isNewline }.prefix(12))\""
    }
}
