// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Each method reads one scalar and returns nil, after a report, if it is invalid.
extension DiagnosticBag {
    /// Nonempty text without NUL.
    package func text(_ field: Field, example: String) -> String? {
        guard let scalar = field.scalar, scalar.value == .text else {
            let isNumber = field.scalar.map { $0.value != .null } ?? false
            let remedy =
                isNumber
                ? "put it in quotes: `\"\(field.scalar?.text ?? "")\"`" : "write `\(example)`"
            return refuseType(field, expected: "text", help: remedy)
        }
        return written(scalar, field, example: example)
    }

    /// The literal characters of a scalar, even if YAML reads a number.
    package func verbatim(_ field: Field, example: String) -> String? {
        guard let scalar = field.scalar, scalar.value != .null else {
            return refuseType(field, expected: "text", help: "write `\(example)`")
        }
        return written(scalar, field, example: example)
    }

    private func written(_ scalar: Node.Scalar, _ field: Field, example: String) -> String? {
        guard !scalar.text.isEmpty else {
            return refuse(
                .wrongType, at: field.node.span, "\(quoted(field.name)) is empty",
                help: "write `\(example)`")
        }
        guard !scalar.text.unicodeScalars.contains("\0") else {
            return refuse(
                .nulCharacter, at: field.node.span,
                "\(quoted(field.name)) contains a NUL character", help: "drop the `\\0`")
        }
        return scalar.text
    }

    /// One of a few words.
    package func word<Word>(_ field: Field, _ words: [(name: String, word: Word)]) -> Word? {
        let choices = listed(words.map(\.name), joinedBy: "or")
        guard let scalar = field.scalar, scalar.value != .null else {
            return refuseType(field, expected: choices, help: "write \(choices)")
        }
        if let match = words.first(where: { $0.name == scalar.text }) { return match.word }
        return refuse(
            .unknownWord, at: field.node.span,
            "\(quoted(field.name)) cannot be \(quoted(scalar.text))",
            help: remedy(for: scalar.text, among: words.map(\.name)) ?? "write \(choices)")
    }

    func word<Word: CaseIterable & RawRepresentable<String>>(
        _ field: Field, _ type: Word.Type = Word.self
    ) -> Word? {
        word(field, Word.allCases.map { ($0.rawValue, $0) })
    }

    package func bool(_ field: Field) -> Bool? {
        if case .bool(let value)? = field.scalar?.value { return value }
        let meant =
            switch field.scalar?.text.lowercased() {
            case "yes", "on", "y": "`true`"
            case "no", "off", "n": "`false`"
            default: "`true` or `false`"
            }
        return refuseType(field, expected: "true or false", help: "write \(meant)")
    }

    package func integer<Number: FixedWidthInteger>(
        _ field: Field, in range: ClosedRange<Number>
    ) -> Number? {
        guard let scalar = field.scalar, scalar.value == .integer else {
            return refuseType(
                field, expected: "a whole number",
                help: "write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        guard let number = scalar.integer(Number.self), range.contains(number) else {
            return outOfRange(field, from: "\(range.lowerBound)", to: "\(range.upperBound)")
        }
        return number
    }

    package func duration(_ field: Field, in range: ClosedRange<Interval>) -> Interval? {
        quantity(
            field, what: "a length of time", examples: ["s", "m", "h"], units: "w, d, h, m, s, ms",
            example: "1h30m", code: .badDuration, from: Quantity.text(range.lowerBound),
            to: Quantity.text(range.upperBound), range: range
        ) { text throws(Quantity.Failure) in try Quantity.duration(text) }
    }

    /// Bytes.
    package func size(_ field: Field, in range: ClosedRange<Int64>) -> Int64? {
        quantity(
            field, what: "a size", examples: ["B", "KiB", "MiB"],
            units: "B, KiB, MiB, GiB, kB, MB, GB", example: "64MiB", code: .badSize,
            from: Quantity.text(bytes: range.lowerBound),
            to: Quantity.text(bytes: range.upperBound), range: range
        ) { text throws(Quantity.Failure) in try Quantity.size(text) }
    }

    /// `80%`
    package func percentage(_ field: Field) -> Int? {
        guard let scalar = field.scalar, scalar.value != .null else {
            return refuseType(field, expected: "a percentage", help: "write `80%`")
        }
        if scalar.value == .integer || scalar.value == .real {
            return missingUnit(field, scalar.text, help: "write `\(scalar.text)%`")
        }
        guard scalar.text.hasSuffix("%"), let number = UInt(scalar.text.dropLast()) else {
            return refuse(
                .badPercentage, at: field.node.span,
                "\(quoted(scalar.text)) is not a percentage",
                help: "write a whole number and %: `80%`")
        }
        guard number <= 100 else { return outOfRange(field, from: "0%", to: "100%") }
        return Int(number)
    }

    private func quantity<Value: Comparable>(
        _ field: Field, what: String, examples: [String], units: String, example: String,
        code: DiagnosticCode, from: String, to: String, range: ClosedRange<Value>,
        parse: (String) throws(Quantity.Failure) -> Value
    ) -> Value? {
        guard let scalar = field.scalar, scalar.value != .null else {
            return refuseType(field, expected: what, help: "write `\(field.name): \(example)`")
        }
        do throws(Quantity.Failure) {
            let value = try parse(scalar.text)
            return range.contains(value) ? value : outOfRange(field, from: from, to: to)
        } catch {
            let place = field.node.span
            switch error {
            case .noUnit:
                let choices = examples.map { scalar.text + $0 }
                return missingUnit(
                    field, scalar.text, help: "write \(listed(choices, joinedBy: "or"))")
            case .unknownUnit(let unit, let meant):
                let remedy = meant.map { "write `\($0)` for \(quoted(unit))" }
                return refuse(
                    code, at: place, "\(quoted(unit)) is not a unit of \(what)",
                    help: remedy ?? "the units are \(units); for example `\(example)`")
            case .order(let unit):
                return refuse(
                    code, at: place,
                    "\(quoted(unit)) stands after a smaller or equal unit in "
                        + quoted(scalar.text),
                    help: "write larger units first, each once: `\(example)`")
            case .notANumber:
                let packed = scalar.text.filter { $0 != " " }
                let isPacked = packed == scalar.text || (try? parse(packed)) == nil
                return refuse(
                    code, at: place, "\(quoted(scalar.text)) is not \(what)",
                    help: isPacked
                        ? "write whole numbers with units, for example `\(example)`; the units are "
                            + units
                        : "write `\(packed)`, without spaces")
            case .tooLarge:
                return outOfRange(field, from: from, to: to)
            }
        }
    }

    private func missingUnit<Value>(
        _ field: Field, _ text: String, help remedy: String
    ) -> Value? {
        refuse(
            .missingUnit, at: field.node.span,
            "\(quoted(field.name)) needs a unit after \(quoted(text))", help: remedy)
    }

    private func outOfRange<Value>(_ field: Field, from: String, to: String) -> Value? {
        refuse(
            .outOfRange, at: field.node.span,
            "\(quoted(field.name)) cannot be \(quoted(field.scalar?.text ?? ""))",
            help: "write a value from \(from) to \(to)")
    }
}
