// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The compiler's request for an attached macro; other requests do not decode.
struct Expansion: Decodable {
    struct Attached: Decodable {
        struct Macro: Decodable {
            let typeName: String
        }

        struct Syntax: Decodable {
            let source: String
        }

        let macro: Macro
        let macroRole: String
        let declSyntax: Syntax
    }

    let expandAttachedMacro: Attached
}

/// A property that `@Entry` is attached to: its name, and its type and initial value as written.
struct Entry {
    let name: String
    private let type: String?
    private let value: String?

    /// Nil if the source does not declare a variable.
    init?(_ source: String) {
        guard let declaration = Self.afterVar(source[...]) else { return nil }
        let name = declaration.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "`" }
        let rest = declaration.dropFirst(name.count)
        let parts = rest.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let first = parts.first?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        self.name = name.filter { $0 != "`" }
        type = first.hasPrefix(":") ? String(first.dropFirst()) : nil
        value = parts.count > 1 && !first.contains("//") ? String(parts[1]) : nil
        guard !name.isEmpty, type != nil || value != nil else { return nil }
    }

    /// The source after the keyword `var`; skips comments and strings before it.
    private static func afterVar(_ source: Substring) -> Substring? {
        var rest = source
        while let first = rest.first {
            if rest.hasPrefix("//") {
                rest = rest.drop { !$0.isNewline }
            } else if rest.hasPrefix("/*") {
                guard let end = rest.range(of: "*/") else { return nil }
                rest = rest[end.upperBound...]
            } else if first == "\"" {
                rest = rest.dropFirst().drop { $0 != "\"" }.dropFirst()
            } else if first.isLetter || first == "_" {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                rest = rest.dropFirst(word.count)
                if word == "var" { return rest.drop(while: \.isWhitespace) }
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    /// The accessors of the property.
    var accessors: String {
        "{ get { self[__Key_\(name).self] } set { self[__Key_\(name).self] = newValue } }"
    }

    /// The key. A value with a type is created at each use: it need not be `Sendable`.
    var key: String {
        let property =
            if let type {
                "static var defaultValue: \(type)\n{ \(value ?? "nil")\n}"
            } else {
                "static let defaultValue =\(value ?? "")\n"
            }
        return "private struct __Key_\(name): EnvironmentKey {\n\(property)\n}"
    }
}

/// The source that a macro expands to; empty for every macro except `@Entry`.
func expanded(_ request: [UInt8]) -> String {
    guard
        let attached = try? JSONDecoder().decode(Expansion.self, from: Data(request))
            .expandAttachedMacro,
        attached.macro.typeName == "Entry", let entry = Entry(attached.declSyntax.source)
    else { return "" }
    return attached.macroRole == "accessor" ? entry.accessors : entry.key
}
