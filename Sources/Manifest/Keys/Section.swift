// SPDX-License-Identifier: Apache-2.0

/// The valid keys of one kind of mapping. The reader refuses every other key.
package struct Section: Sendable {
    /// The name of the mapping in messages: "the manifest", "`retry`", ...
    package let name: String
    /// Its name in the JSON Schema; nil: the last word of `name`.
    private let givenID: String?
    let keys: [Key]
    package let names: [String]
    /// Exactly one of these must be present, each with its requirements for other keys.
    let choices: [Choice]
    /// Whether at least one key must be present.
    let isNeverEmpty: Bool
    /// Keys that require another one.
    let requiredWith: [String: String]
    /// The document that explains the keys.
    let document: String
    /// The remedies for keys that belong elsewhere or have another name here.
    let remedies: [String: String]

    package init(
        _ name: String, id: String? = nil, oneOf choices: [Choice] = [],
        requiredWith: [String: String] = [:], isNeverEmpty: Bool = false,
        document: String = "Docs/manifest.md", remedies: [String: String] = [:],
        @KeyList keys: () -> [Key]
    ) {
        self.name = name
        givenID = id
        self.keys = keys()
        names = self.keys.map(\.name)
        self.choices = choices
        self.requiredWith = requiredWith
        self.isNeverEmpty = isNeverEmpty
        self.document = document
        self.remedies = remedies
    }

    /// One of several mutually exclusive keys, of which exactly one is required.
    package struct Choice: Sendable {
        let key: String
        /// The forms of other keys beside it.
        var others: [String: Form] = [:]
    }

    /// Its name in the JSON Schema. Computed on demand: only the JSON Schema needs it, and it would slow
    /// down every start.
    var id: String {
        givenID ?? String(name.split(separator: " ").last ?? "").replacing("`", with: "")
    }

    var required: [String] {
        keys.filter(\.isRequired).map(\.name)
    }

    package subscript(name: String) -> Key? {
        keys.first { $0.name == name }
    }

    /// The same mapping without one of its keys.
    func without(_ dropped: String, id: String) -> Section {
        Section(
            name, id: id, oneOf: choices.filter { $0.key != dropped }, requiredWith: requiredWith,
            isNeverEmpty: isNeverEmpty, document: document, remedies: remedies
        ) { keys.filter { $0.name != dropped } }
    }

    /// All mappings of the manifest, in the order of Docs/manifest.md.
    static let all = [
        root, plugin, task, secret, on, socket, requires, expiration, retry, confine,
        confinedNetwork, processorTime, keptVariables, device, policy, hook,
        hookCommand, transfer, timeout, certificate, transferRetry, push, pushPlace, webhook, mqtt,
        call, success, value, buffer, save, callback, type, strings,
    ]
}

/// Keys, one a line.
@resultBuilder
package enum KeyList {
    package static func buildExpression(_ key: Key) -> [Key] { [key] }

    package static func buildExpression(_ keys: [Key]) -> [Key] { keys }

    package static func buildBlock(_ keys: [Key]...) -> [Key] { keys.flatMap(\.self) }
}

extension Section.Choice: ExpressibleByStringLiteral {
    package init(stringLiteral key: String) { self.init(key: key) }
}
