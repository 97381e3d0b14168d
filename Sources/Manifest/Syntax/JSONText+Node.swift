// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension JSONText {
    /// `node` as JSON, with keys in the order of the file. Numbers keep their digits. Reports
    /// values that JSON cannot represent, and replaces them by null.
    package static func value(_ node: Node, bag: DiagnosticBag) -> String {
        switch node.content {
        case .scalar(let scalar):
            return self.scalar(scalar, at: node.span, bag: bag)
        case .sequence(let items):
            return array(items.map { value($0, bag: bag) })
        case .mapping(let entries):
            return object(entries.map { ($0.key.text, value($0.value, bag: bag)) })
        case .broken:
            return "null"
        }
    }

    private static func scalar(
        _ scalar: Node.Scalar, at span: SourceSpan, bag: DiagnosticBag
    ) -> String {
        switch scalar.value {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .text: return string(scalar.text)
        case .integer:
            if !scalar.text.hasPrefix("0x"), !scalar.text.hasPrefix("0o") {
                return number(scalar.text)
            }
            if let integer = scalar.integer(UInt64.self) { return String(integer) }
            bag.error(
                .noJSONForm, at: span, "\(quoted(scalar.text)) does not fit 64 bits",
                help: "write it in quotes, as text")
            return "null"
        case .real: return number(scalar.text)
        case .notFinite:
            bag.error(
                .noJSONForm, at: span, "\(quoted(scalar.text)) has no form in JSON",
                help: "write it in quotes, as text")
            return "null"
        }
    }

    /// JSON permits no plus sign and no leading zero, and requires digits around the point.
    private static func number(_ text: String) -> String {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest.removeFirst() }
        var whole = rest.prefix { $0.isNumber }
        rest = rest.dropFirst(whole.count)
        while whole.count > 1, whole.first == "0" { whole.removeFirst() }
        var fraction: Substring = ""
        if rest.first == "." {
            fraction = rest.dropFirst().prefix { $0.isNumber }
            rest = rest.dropFirst(1 + fraction.count)
            if fraction.isEmpty { fraction = "0" }
        }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)
            + (fraction.isEmpty ? "" : "." + fraction) + rest
    }
}
