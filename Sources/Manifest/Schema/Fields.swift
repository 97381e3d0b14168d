// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The values of one mapping of the manifest, by key. The initializer reports unknown and missing keys.
package struct Fields {
    /// The place for messages about the mapping: its key, or itself in a list.
    package let span: SourceSpan
    let bag: DiagnosticBag
    private let values: [String: Field]
    /// Keys that are probably misspelt; their absence is not reported.
    private let misspelt: Set<String>
    private let section: Section

    /// Nil, after a report with `example`, if `field` is not a mapping.
    package init?(_ field: Field, _ section: Section, _ bag: DiagnosticBag, _ example: String) {
        guard case .mapping(let entries) = field.node.content else {
            bag.wrongType(field, expected: "a mapping", help: "write `\(example)`")
            return nil
        }
        span = field.span
        self.bag = bag
        self.section = section
        var values: [String: Field] = [:]
        var misspelt: Set<String> = []
        for entry in entries {
            guard let key = section[entry.key.text] else {
                let nearest = bag.nearest(to: entry.key.text, among: section.names)
                if let nearest { misspelt.insert(nearest) }
                bag.error(
                    .unknownKey, at: entry.key.span,
                    "\(section.name) has no key \(quoted(entry.key.text))",
                    help: section.remedies[entry.key.text] ?? nearest.map { "write `\($0)`" }
                        ?? "drop it; the keys are \(listed(section.names))")
                continue
            }
            values[entry.key.text] = Field(entry, form: key.form)
        }
        self.values = values
        self.misspelt = misspelt
        for key in section.required where values[key] == nil && !misspelt.contains(key) {
            bag.error(
                .missingKey, at: span, "\(section.name) needs the key `\(key)`",
                help: "add `\(key): ...`; \(section.document) says what it means")
        }
    }

    package subscript(key: String) -> Field? {
        precondition(section.names.contains(key), "\(key) is not a key of \(section.name)")
        return values[key]
    }

    // Each reads one value according to its key's form: nil if it is missing, or after a report if it is
    // invalid.

    func flag(_ key: String) -> Bool? {
        self[key].flatMap(bag.bool)
    }

    func count(_ key: String) -> Int? {
        guard let field = self[key] else { return nil }
        guard case .integer(let range) = field.form else { mismatch(key) }
        return bag.integer(field, in: range).map { Int($0) }
    }

    func duration(_ key: String) -> Interval? {
        guard let field = self[key] else { return nil }
        guard case .duration(let range) = field.form else { mismatch(key) }
        return bag.duration(field, in: range)
    }

    /// Bytes.
    func size(_ key: String) -> Int64? {
        guard let field = self[key] else { return nil }
        switch field.form {
        case .size(let range): return bag.size(field, in: range)
        case .sizeOrNone(let range):
            let isNone = (try? Quantity.size(field.scalar?.text ?? "")) == 0
            return isNone ? 0 : bag.size(field, in: range)
        default: mismatch(key)
        }
    }

    private func mismatch(_ key: String) -> Never {
        preconditionFailure("`\(key)` of \(section.name) has another form")
    }

    func word<Word: CaseIterable & RawRepresentable<String>>(
        _ key: String, _ type: Word.Type = Word.self
    ) -> Word? {
        self[key].flatMap { bag.word($0) }
    }

    /// Whether an unknown key is probably one of `keys`.
    func misspells(_ keys: [String]) -> Bool {
        !misspelt.isDisjoint(with: keys)
    }

    /// The present ones of `keys`.
    package func present(_ keys: [String]) -> [Field] {
        keys.compactMap { self[$0] }
    }

    /// The one of `keys` that is present. Without it, or with several, reports `subject`; `lack` names the
    /// missing part.
    func one(
        of keys: [String], _ subject: String, lack: String, _ code: DiagnosticCode, help: String
    ) -> Field? {
        let present = present(keys)
        if present.isEmpty, misspells(keys) { return nil }
        if present.count == 1 { return present[0] }
        let found = present.isEmpty ? lack : "has \(listed(present.map(\.name)))"
        return bag.refuse(code, at: present.last?.span ?? span, "\(subject) \(found)", help: help)
    }
}

/// A value and its name.
package struct Field {
    /// Its key, or "item 2" in a list.
    package let name: String
    /// The place of its key; of the value itself in a list.
    package let span: SourceSpan
    package let node: Node
    /// The valid values of its key.
    let form: Form

    init(_ entry: Node.Entry) {
        self.init(entry, form: .any)
    }

    init(_ entry: Node.Entry, form: Form) {
        name = entry.key.text
        span = entry.key.span
        node = entry.value
        self.form = form
    }

    package init(name: String, node: Node) {
        self.name = name
        span = node.span
        self.node = node
        form = .any
    }

    package var scalar: Node.Scalar? {
        if case .scalar(let scalar) = node.content { scalar } else { nil }
    }

    var isBroken: Bool {
        if case .broken = node.content { true } else { false }
    }
}

extension DiagnosticBag {
    /// The items of a list, named by their number from 1.
    package func items(of field: Field, example: String) -> [Field] {
        guard case .sequence(let nodes) = field.node.content else {
            wrongType(field, expected: "a list", help: "write `\(example)`")
            return []
        }
        return nodes.enumerated().map {
            Field(name: "item \($0.offset + 1) of \(field.name)", node: $0.element)
        }
    }

    /// The items of a list that must not be empty; `short` is the example for an empty one.
    func someItems(of field: Field, example: String, short: String? = nil) -> [Field] {
        let items = items(of: field, example: example)
        if items.isEmpty, case .sequence = field.node.content {
            error(
                .wrongType, at: field.node.span, "\(quoted(field.name)) is empty",
                help: "write `\(short ?? example)`")
        }
        return items
    }

    /// The values of a mapping with arbitrary keys; nil, after a report, for other values.
    package func members(of field: Field, example: String) -> [Field]? {
        guard case .mapping(let entries) = field.node.content else {
            return refuseType(field, expected: "a mapping", help: "write `\(example)`")
        }
        return entries.map(Field.init)
    }

    /// Reports that a value has the wrong type; skips a broken one.
    func wrongType(_ field: Field, expected: String, help remedy: String) {
        if field.isBroken { return }
        if field.scalar?.value == .null {
            error(.wrongType, at: field.span, "`\(field.name)` has no value", help: remedy)
        } else {
            error(
                .wrongType, at: field.node.span,
                "\(quoted(field.name)) must be \(expected), not \(field.node.kindName)",
                help: remedy)
        }
    }

    /// The same; returns nil in place of the value.
    package func refuseType<Value>(
        _ field: Field, expected: String, help remedy: String
    ) -> Value? {
        wrongType(field, expected: expected, help: remedy)
        return nil
    }
}
