// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Converts the tree of a manifest into a `Manifest`, and reports all problems.
///
/// Reports an invalid value and omits it; does not report problems that follow from that.
struct ManifestDecoder {
    let bag: DiagnosticBag
    let base: BaseDirectory
    let options: ManifestReader.Options
    private let listing = PluginListing()

    /// Caches the list of installed plugins.
    private final class PluginListing { var names: [String]? }

    /// The plugins that are installed with bgrun.
    var shippedPlugins: [String] {
        let names = listing.names ?? options.shippedPlugins()
        listing.names = names
        return names
    }

    /// The manifest, only complete if the bag has no errors.
    func decode(_ root: Node, path: String) -> Manifest? {
        guard isOurVersion(root) else { return nil }
        let field = Field(name: "the manifest", node: root)
        guard let fields = Fields(field, .root, bag, "bgrun: 1") else { return nil }

        if let version = fields["bgrun"], version.scalar == nil {
            bag.wrongType(version, expected: "a number", help: "write `bgrun: 1`")
        }
        let policy = fields["policy"].map(decodePolicy) ?? .apple
        let modes: Set<Mode>? = fields["modes"].map {
            words(bag.items(of: $0, example: "modes: [fetch, processing]"), in: $0)
        }
        let app = fields["app"].flatMap(decodeApp)
        let permitted = fields["permitted_identifiers"].map(decodePermitted)
        if let app { warnOutside(app, permitted ?? []) }
        let plugins = fields["plugins"].map(decodePlugins)
        let context = TaskContext(
            modes: fields.misspells(["modes"]) ? nil : modes ?? [],
            permitted: permitted.map { keys in
                let patterns = keys.map(\.text)
                return (patterns, IdentifierRule(permitting: patterns))
            },
            plugins: fields.misspells(["plugins"])
                ? nil : fields["plugins"].map(pluginNames) ?? [],
            shipped: ShippedHandlers.names(of: plugins ?? []),
            workers: Dictionary(
                (plugins ?? []).compactMap { plugin in plugin.workers.map { (plugin.name, $0) } },
                uniquingKeysWith: min),
            policy: policy, followers: fields["transfers"].map(followers) ?? [])
        let tasks =
            fields["tasks"].map {
                decodeTasks($0, context, isAll: fields["transfers"] == nil)
            } ?? []
        fields["tasks"].map { checkSchedule(of: tasks, $0, policy) }
        // An unreadable task might have used them.
        if !bag.hasErrors {
            warnUnused(permitted ?? [], by: tasks)
            warnUnused(plugins ?? [], by: tasks)
        }
        var manifest = Manifest(
            app: app ?? "", modes: modes ?? [],
            permittedIdentifiers: permitted?.map(\.text) ?? [], plugins: plugins ?? [],
            tasks: tasks, device: fields["device"].map(decodeDevice) ?? DeviceState(),
            policy: policy, directory: base.path, path: path)
        manifest.account = ManifestAccount(
            user: fields["user"].flatMap(decodeAccountName),
            group: fields["group"].flatMap(decodeAccountName),
            controlGroup: fields["control_group"].flatMap(decodeAccountName))
        manifest.usageZone = options.zone
        manifest.confinement = fields["confine"].map(decodeConfinement) ?? ConfinementKeys()
        manifest.push = fields["push"].flatMap { decodePush($0, tasks) }
        manifest.hooks = fields["hooks"].map { decodeHooks($0, tasks) } ?? []
        manifest.transfers = fields["transfers"].map { decodeTransfers($0, tasks) } ?? []
        if !bag.hasErrors { warnOfUnusedConfinement(fields, manifest) }
        return manifest
    }

    private func decodeAccountName(_ field: Field) -> String? {
        guard let name = bag.text(field, example: "\(field.name): backup") else { return nil }
        let isWellFormed =
            (1...64).contains(name.utf8.count)
            && !name.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: ":") }
            && name.utf8.first != UInt8(ascii: "-")
        guard isWellFormed else {
            return bag.refuse(
                .badName, at: field.node.span, "\(quoted(name)) is not the name of a user or group",
                help: "write a name as in /etc/passwd and /etc/group, or a number in quotes")
        }
        let isUser = field.name == "user"
        if (isUser ? options.hasUser : options.hasGroup)?(name) == false {
            bag.warn(
                .unknownAccount, at: field.node.span,
                "this machine has no \(isUser ? "user" : "group") \(quoted(name))",
                help: "add it before bgrun runs the manifest here, or correct `\(field.name)`")
        }
        return name
    }

    /// False, after a report, if the rest of the manifest may have another meaning.
    private func isOurVersion(_ root: Node) -> Bool {
        guard case .mapping(let entries) = root.content,
            let entry = entries.first(where: { $0.key.text == "bgrun" }),
            case .scalar(let scalar) = entry.value.content, scalar.integer(Int.self) != 1
        else { return true }
        bag.error(
            .unsupportedVersion, at: scalar.value == .null ? entry.key.span : entry.value.span,
            "this bgrun reads manifests of version 1, not \(quoted(scalar.text))",
            help: "write `bgrun: 1`, or use the bgrun this manifest was written for")
        return scalar.value != .integer
    }

    private func decodeApp(_ field: Field) -> String? {
        guard let app = bag.text(field, example: "app: com.example.photos") else { return nil }
        guard IdentifierRule.isWellFormed(app) else {
            return bag.refuse(
                .badIdentifier, at: field.node.span, "\(quoted(app)) is not an app identifier",
                help: "use letters, digits, `-` and `_`, in parts joined by dots: "
                    + "`com.example.photos`")
        }
        return app
    }

    /// The words of a list, without duplicates.
    func words<Word: CaseIterable & Hashable & RawRepresentable<String>>(
        _ items: [Field], in field: Field
    ) -> Set<Word> {
        var words: Set<Word> = []
        for item in items {
            guard let word: Word = bag.word(item) else { continue }
            if !words.insert(word).inserted { reportDuplicate(item, word.rawValue, in: field) }
        }
        return words
    }

    private func decodePermitted(_ field: Field) -> [Node.Key] {
        var permitted: [Node.Key] = []
        var seen: Set<String> = []
        for item in bag.items(of: field, example: "permitted_identifiers: [com.example.refresh]") {
            guard let text = bag.text(item, example: "com.example.photos.refresh") else { continue }
            guard IdentifierRule.isWellFormed(text, wildcard: true) else {
                reportBadIdentifier(text, at: item.node.span)
                continue
            }
            if seen.insert(text).inserted {
                permitted.append(Node.Key(text: text, span: item.node.span))
            } else {
                reportDuplicate(item, text, in: field)
            }
        }
        return permitted
    }

    func reportBadIdentifier(_ text: String, at span: SourceSpan) {
        bag.error(
            .badIdentifier, at: span, "\(quoted(text)) is not an identifier",
            help: "use letters, digits, `-` and `_`, in parts joined by dots; only the whole last "
                + "part may be `*`")
    }

    /// - Parameter kind: Including a leading space.
    func reportUnknownTask(
        _ text: String, at field: Field, among declared: [String], _ kind: String = ""
    ) {
        bag.error(
            .unknownTask, at: field.node.span, "unknown task \(quoted(text))\(kind)",
            help: bag.remedy(for: text, among: declared)
                ?? "declare it under `tasks`, or drop it")
    }

    private func reportDuplicate(_ item: Field, _ text: String, in field: Field) {
        bag.error(
            .duplicateEntry, at: item.node.span,
            "\(quoted(text)) is in \(quoted(field.name)) twice", help: "keep one of them")
    }

    /// Apple: identifiers begin with the app's identifier; continued tasks with other identifiers are refused.
    private func warnOutside(_ app: String, _ permitted: [Node.Key]) {
        for key in permitted where key.text != app && !key.text.hasPrefix(app + ".") {
            let parts = key.text.split(separator: ".")
            // Not the last part of another app's identifier.
            let isLong = parts.count > app.split(separator: ".").count + 1
            let end = parts.suffix(isLong && parts.last == "*" ? 2 : 1)
            bag.warn(
                .foreignIdentifier, at: key.span,
                "\(quoted(key.text)) does not begin with the app's identifier",
                help: "write `\(app).\(end.joined(separator: "."))`")
        }
    }

    private func warnUnused(_ permitted: [Node.Key], by tasks: [TaskDefinition]) {
        let declared = IdentifierRule(permitting: tasks.map(\.declaration.identifier))
        for key in permitted where !key.text.hasSuffix(".*") && !declared.permits(key.text) {
            bag.warn(
                .unusedIdentifier, at: key.span, "no task handles \(quoted(key.text))",
                help: "add it to `tasks`, or drop it here")
        }
    }

    private func warnUnused(_ plugins: [PluginReference], by tasks: [TaskDefinition]) {
        let used = Set(tasks.compactMap(\.plugin))
        for plugin in plugins where !used.contains(plugin.name) {
            bag.warn(
                .unusedPlugin, at: plugin.span, "no task uses the plugin \(quoted(plugin.name))",
                help: "use it in a `handler`, or drop it")
        }
    }
}

extension PluginReference {
    fileprivate var span: SourceSpan {
        let end = SourceMark(line: mark.line, column: mark.column + name.unicodeScalars.count)
        return SourceSpan(start: mark, end: end)
    }
}
