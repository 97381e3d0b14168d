// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The valid values of a key.
package indirect enum Form: Sendable {
    case any
    /// Nonempty text; `pattern` is a regular expression of JSON Schema.
    case text(pattern: String? = nil, longest: Int? = nil)
    /// Text that may be empty.
    case anyText
    case path
    /// A scalar taken literally, even if YAML reads a number or a boolean.
    case verbatim(pattern: String? = nil)
    case flag
    case integer(ClosedRange<Int64>)
    case unsigned
    case real
    case null
    case percentage
    case duration(ClosedRange<Interval>)
    /// Bytes.
    case size(ClosedRange<Int64>)
    /// Bytes; 0 disables.
    case sizeOrNone(ClosedRange<Int64>)
    case words([String])
    case list(of: Form, count: ClosedRange<Int>? = nil, isUnique: Bool = false)
    case mapping(names: Form, values: Form)
    /// Text, or digits that YAML reads as an integer.
    case digits(pattern: String? = nil)
    case section(@Sendable () -> Section)
    case either([Form])
    /// A form that the schema defines once, under this name.
    case named(String, Form)

    static func count(_ range: ClosedRange<Int>) -> Form {
        .integer(Int64(range.lowerBound)...Int64(range.upperBound))
    }

    static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type) -> Form {
        .words(type.allCases.map(\.rawValue))
    }

    static func section(_ section: @autoclosure @escaping @Sendable () -> Section) -> Form {
        .section(section)
    }

    /// `1s` to a year, the range of most keys.
    static let year = Form.duration(.seconds(1) ... .days(366))
    static let wholeNumber = Form.integer(Int64.min...Int64.max)

    static let file = Form.text(pattern: "[^/]$")
    static let identifier = named(
        "identifier", .text(pattern: #"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$"#, longest: 255))
    /// An identifier, or one whose last part is `*`.
    static let identifiers = named(
        "identifiers", .text(pattern: #"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?$"#, longest: 255))
    static let name = named("name", .text(pattern: "^[A-Za-z_][A-Za-z0-9_-]*$", longest: 64))
    static let account = named("account", .text(pattern: #"^[^\s:-][^\s:]{0,63}$"#))
    static let address = named(
        "address", .text(pattern: #"^([hH][tT][tT][pP][sS]?)://[^/?#@\s]+([/?#][^\s]*)?$"#))
    static let digest = Form.digits(pattern: "^[0-9A-Fa-f]{64}$")
    static let environment = Form.mapping(
        names: .text(pattern: "^[^=]+$"), values: .either([.anyText, .real]))

    /// The name in the tables of the documentation.
    var words: String {
        switch self {
        case .any, .null: ""
        case .text, .anyText, .verbatim, .digits: "text"
        case .path: "path"
        case .flag: "truth value"
        case .integer(let range) where range == Int64.min...Int64.max: "number"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .unsigned, .real: "number"
        case .percentage: "percentage"
        case .duration(let range):
            "duration" + Self.text(range, isFromZero: range.lowerBound == .zero, Quantity.text)
        case .size(let range), .sizeOrNone(let range):
            "size" + Self.text(range, isFromZero: false, Quantity.text(bytes:))
        case .words(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .list(let form, _, _): "list of \(form.words)"
        case .mapping(_, let values): "mapping of \(values.words)s"
        case .section: "mapping"
        case .either(let forms):
            forms.map(\.words).filter { !$0.isEmpty }.joined(separator: ", or ")
        case .named(let name, let form):
            ["identifier", "name"].contains(name) ? name : form.words
        }
    }

    /// "to 7d", or ", 1s to 7d".
    private static func text<Bound>(
        _ range: ClosedRange<Bound>, isFromZero: Bool, _ text: (Bound) -> String
    ) -> String {
        isFromZero
            ? " to \(text(range.upperBound))"
            : ", \(text(range.lowerBound)) to \(text(range.upperBound))"
    }
}
