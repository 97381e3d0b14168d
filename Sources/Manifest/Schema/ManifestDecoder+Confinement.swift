// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// `confine:` of the manifest, a plugin or a task: the name of a profile, or a mapping.
extension ManifestDecoder {
    func decodeConfinement(_ field: Field) -> ConfinementKeys {
        var keys = ConfinementKeys()
        if field.scalar != nil {
            keys.profile = bag.word(field)
            return keys
        }
        guard let fields = Fields(field, .confine, bag, "confine: default") else { return keys }
        keys.profile = fields.word("profile")
        keys.enforcement = fields.word("enforce")
        keys.read = fields["read"].map(decodeGrants) ?? []
        keys.write = fields["write"].map(decodeGrants) ?? []
        keys.hide = fields["hide"].map(decodeGrants) ?? []
        keys.sockets = fields["sockets"].map(decodeGrants) ?? []
        keys.devices = fields["devices"].map(decodeGrants) ?? []
        keys.network = fields["network"].flatMap(decodeNetwork)
        keys.tasks = fields.count("tasks")
        keys.files = fields.count("files")
        keys.memory = fields.size("memory")
        keys.fileSize = fields.size("file_size")
        keys.temporary = fields.size("temporary")
        keys.processorTime = fields["cpu"].flatMap {
            Fields($0, .processorTime, bag, "cpu: {time: 10m}")?.duration("time")
        }
        keys.nice = fields.count("nice")
        keys.reuse = fields.word("reuse")
        keys.keptVariables = fields["environment"].map(decodeKeptVariables) ?? []
        return keys
    }

    private func decodeGrants(_ field: Field) -> [String] {
        let examples = ["sockets": "/run/app.sock", "devices": "/dev/dri/renderD128"]
        let example = examples[field.name] ?? "./data"
        return bag.items(of: field, example: "\(field.name): [\(example)]").compactMap { item in
            let path = decodeGrant(item, example)
            if let path { warnOfGrant(path, item, of: field.name) }
            return path
        }.removingDuplicates()
    }

    /// An absolute path without `.` and `..`, whose file may be missing.
    private func decodeGrant(_ item: Field, _ example: String) -> String? {
        // YAML reads a plain `~` as null.
        let isHome = item.scalar?.text == "~"
        guard let text = isHome ? "~" : bag.text(item, example: example) else { return nil }
        guard !text.contains("${") else {
            return bag.refuse(
                .badPath, at: item.node.span,
                "\(quoted(text)) contains `${`, and parameters are not replaced here",
                help: "write the path itself")
        }
        guard isHome || text.hasPrefix("~/") else {
            warnOfTilde(item)
            return BaseDirectory.normalized(base.resolve(text))
        }
        guard let home else {
            return bag.refuse(
                .badPath, at: item.node.span, "the home directory of \(quoted(text)) is unknown",
                help: "set HOME to an absolute path, or write the whole path")
        }
        return BaseDirectory.normalized("\(home)/\(text.dropFirst())")
    }

    /// Nil: HOME is not an absolute path.
    private var home: String? {
        guard let home = options.home ?? Machine.home, home.hasPrefix("/") else { return nil }
        return home
    }

    private func warnOfGrant(_ path: String, _ item: Field, of key: String) {
        guard key != "hide" else { return }
        if options.checksFiles, SourceFile.isMissing(path) {
            bag.warn(
                .missingFile, at: item.node.span, "\(quoted(path, limit: 200)) is missing",
                help: "create it before the task runs, or correct the path (relative to the "
                    + "manifest's directory)")
        }
        let wide = WideGrants(
            home: home, runtimeDirectory: options.runtimeDirectory ?? Machine.runtimeDirectory)
        let effect = "gives the handler the rights that its confinement withholds"
        switch key {
        case "read" where wide.isWide(reading: path), "write" where wide.isWide(writing: path):
            bag.warn(
                .wideGrant, at: item.node.span, "`\(key)` of \(quoted(path)) \(effect)",
                help: "write the files and directories that the handler needs")
        case "sockets":
            guard let service = wide.service(at: path) else { return }
            bag.warn(
                .wideGrant, at: item.node.span, "the socket of \(service) \(effect)",
                help: "drop it: what \(service) does for the handler is not confined")
        default: break
        }
    }

    private func decodeNetwork(_ field: Field) -> Confinement.Network? {
        if field.scalar != nil { return bag.word(field, Confinement.Network.words) }
        guard let fields = Fields(field, .confinedNetwork, bag, "network: {connect: [443]}")
        else { return nil }
        return Confinement.Network(
            connect: fields["connect"].map(decodePorts),
            listen: fields["listen"].map(decodePorts) ?? [], udp: fields.flag("udp") ?? true)
    }

    private func decodePorts(_ field: Field) -> [UInt16] {
        bag.items(of: field, example: "\(field.name): [443]")
            .compactMap { bag.integer($0, in: 1...UInt16.max) }.removingDuplicates()
    }

    private func decodeKeptVariables(_ field: Field) -> [String] {
        let example = "environment: {keep: [HTTPS_PROXY]}"
        guard let list = Fields(field, .keptVariables, bag, example)?["keep"] else { return [] }
        return bag.items(of: list, example: "keep: [HTTPS_PROXY]").compactMap { item in
            guard let name = bag.text(item, example: "HTTPS_PROXY"),
                isVariable(name, at: item.node.span)
            else { return nil }
            return name
        }.removingDuplicates()
    }

    /// Warns of each mapping whose keys apply only to tasks with the profile `none`.
    func warnOfUnusedConfinement(_ fields: Fields, _ manifest: Manifest) {
        let outer = manifest.confinement.profile ?? .none
        let plugins = Dictionary(
            manifest.plugins.map { ($0.name, $0.confinement.profile ?? outer) }
        ) { first, _ in first }
        // The plugins that have, or of which a task has, another profile.
        var confined = Set(plugins.filter { $0.value != .none }.keys)
        var isConfined = outer != .none
        for (field, task) in zip(Self.members(of: fields["tasks"]), manifest.tasks) {
            let inherited = task.plugin.flatMap { plugins[$0] } ?? outer
            let profile = task.confinement.profile ?? inherited
            isConfined = isConfined || profile != .none
            if profile == .none {
                warnOfUnused(task.confinement, in: field)
            } else if let plugin = task.plugin {
                confined.insert(plugin)
            }
        }
        for (field, plugin) in zip(Self.members(of: fields["plugins"]), manifest.plugins)
        where !confined.contains(plugin.name) {
            warnOfUnused(plugin.confinement, in: field)
        }
        if !isConfined, let field = fields["confine"] {
            warnOfUnused(manifest.confinement, at: field.span)
        }
    }

    private static func members(of field: Field?) -> [Field] {
        guard case .mapping(let entries)? = field?.node.content else { return [] }
        return entries.map(Field.init)
    }

    private func warnOfUnused(_ keys: ConfinementKeys, in field: Field) {
        guard let confine = Self.members(of: field).first(where: { $0.name == "confine" }) else {
            return
        }
        warnOfUnused(keys, at: confine.span)
    }

    private func warnOfUnused(_ keys: ConfinementKeys, at span: SourceSpan) {
        var others = keys
        others.profile = nil
        guard others != ConfinementKeys() else { return }
        bag.warn(
            .unusedConfinement, at: span,
            "the keys of `confine` have no effect with the profile `none`",
            help: "write `profile: default` beside them, or drop them")
    }
}
