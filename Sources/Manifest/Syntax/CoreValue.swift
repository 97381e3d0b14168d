// SPDX-License-Identifier: Apache-2.0

/// The value of a scalar in the core schema of YAML 1.2: `yes`, `on` and `12:30` are text.
enum CoreValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// Decimal digits, or hexadecimal after `0x`, or octal after `0o`; of any size.
    case integer
    case real
    /// An infinity, or not a number.
    case notFinite
    case text

    /// The value of a plain scalar.
    init(plain text: String) {
        switch text {
        case "", "~", "null", "Null", "NULL": self = .null
        case "true", "True", "TRUE": self = .bool(true)
        case "false", "False", "FALSE": self = .bool(false)
        case ".nan", ".NaN", ".NAN": self = .notFinite
        default: self = Self.number(Substring(text).utf8) ?? .text
        }
    }

    var kindName: String {
        switch self {
        case .null: "empty"
        case .bool: "a truth value"
        case .integer, .real, .notFinite: "a number"
        case .text: "text"
        }
    }

    private static func number(_ text: Substring.UTF8View) -> CoreValue? {
        if text.starts(with: "0o".utf8) { return digitsOnly(text.dropFirst(2), upTo: 8) }
        if text.starts(with: "0x".utf8) { return digitsOnly(text.dropFirst(2), upTo: 16) }
        var rest = text
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        if [".inf", ".Inf", ".INF"].contains(String(Substring(rest))) { return .notFinite }

        let whole = dropDigits(&rest)
        if rest.isEmpty { return whole > 0 ? .integer : nil }
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = dropDigits(&rest)
        }
        guard whole + fraction > 0 else { return nil }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard dropDigits(&rest) > 0 else { return nil }
        }
        return rest.isEmpty ? .real : nil
    }

    private static func digitsOnly(_ digits: Substring.UTF8View, upTo radix: Int) -> CoreValue? {
        let isNumber =
            !digits.isEmpty
            && digits.allSatisfy {
                Character(Unicode.Scalar($0)).hexDigitValue.map { $0 < radix } ?? false
            }
        return isNumber ? .integer : nil
    }

    private static func dropDigits(_ text: inout Substring.UTF8View) -> Int {
        let count = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        text.removeFirst(count)
        return count
    }
}

extension Node.Scalar {
    /// The integer, if it is one and fits `Number`.
    package func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        guard value == .integer else { return nil }
        if text.hasPrefix("0x") { return Number(text.dropFirst(2), radix: 16) }
        if text.hasPrefix("0o") { return Number(text.dropFirst(2), radix: 8) }
        return Number(text, radix: 10)
    }

    /// The number, when it is one.
    var real: Double? {
        switch value {
        case .integer: integer(Int64.self).map(Double.init) ?? Double(text)
        case .real: Double(text)
        case .notFinite:
            switch text.lowercased() {
            case ".nan": .nan
            case "-.inf": -.infinity
            default: .infinity
            }
        default: nil
        }
    }
}
