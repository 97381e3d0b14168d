// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension ManifestDecoder {
    func decodePlugins(_ field: Field) -> [PluginReference] {
        let plugins = bag.members(of: field, example: "plugins: {photos: ./libphotos.so}")
        return plugins?.compactMap(decodePlugin) ?? []
    }

    /// The plugin names that handlers may use, including those of invalid plugins.
    func pluginNames(_ field: Field) -> [String] {
        guard case .mapping(let entries) = field.node.content else { return [] }
        return entries.map(\.key.text)
    }

    private func decodePlugin(_ field: Field) -> PluginReference? {
        let isNamed = Self.isName(field.name)
        if !isNamed {
            bag.error(
                .badName, at: field.span, "\(quoted(field.name)) cannot name a plugin",
                help: "use up to 64 letters, digits, `-` and `_`, beginning with a letter")
        }
        var digest: String?
        var workers: Int?
        var confinement = ConfinementKeys()
        var place = field
        if case .mapping = field.node.content {
            guard let fields = Fields(field, .plugin, bag, "{path: ./libphotos.so}")
            else { return nil }
            digest = fields["sha256"].flatMap(decodeDigest)
            workers = fields.count("workers")
            confinement = fields["confine"].map(decodeConfinement) ?? confinement
            guard let path = fields["path"] else { return nil }
            place = path
        }
        guard let location = decodeLocation(place), isNamed else { return nil }
        return PluginReference(
            name: field.name, location: location, sha256: digest, workers: workers,
            confinement: confinement, mark: field.span.start)
    }

    /// A name without `/` and `.so` refers to a plugin that is installed with bgrun.
    private func decodeLocation(_ field: Field) -> PluginReference.Location? {
        guard let text = bag.text(field, example: "\(field.name): ./libphotos.so") else {
            return nil
        }
        if text.unicodeScalars.contains("/") || text.contains(".so") {
            return decodePath(field, text, what: "plugin").map { .path($0) }
        }
        let installed = shippedPlugins
        if installed.contains(text) || !options.checksFiles { return .shipped(text) }
        let path = "write a path to a file, for example `./\(text).so`"
        return bag.refuse(
            .unknownShippedPlugin, at: field.node.span,
            "no plugin \(quoted(text)) is installed with bgrun",
            help: bag.remedy(for: text, among: installed)
                ?? (installed.isEmpty ? path : "\(path), or one of \(listed(installed))"))
    }

    /// The absolute path of a file that the user provides; nil if it is missing.
    func existingFile(_ field: Field?, _ example: String, what: String) -> String? {
        guard let field, let text = bag.text(field, example: example) else { return nil }
        return decodePath(field, text, what: what, verb: "write")
    }

    /// `text` made absolute, after a check whether the file exists.
    func decodePath(
        _ field: Field, _ text: String, what: String, verb: String = "build"
    ) -> String? {
        let path = base.resolve(text)
        if isDirectory(text, field, help: "name the \(what)'s file") { return nil }
        if options.checksFiles, let absence = SourceFile.absence(of: path) {
            bag.error(
                .missingFile, at: field.node.span, "\(quoted(path, limit: 200)): \(absence)",
                help: "\(verb) the \(what), or correct the path (relative to the manifest's "
                    + "directory)")
        }
        return path
    }

    /// Whether `text` is the path of a directory, after a report.
    func isDirectory(_ text: String, _ field: Field, help remedy: String) -> Bool {
        guard text.hasSuffix("/") else { return false }
        bag.error(
            .badPath, at: field.node.span, "\(quoted(text)) is a directory", help: remedy)
        return true
    }

    func decodeDigest(_ field: Field) -> String? {
        guard let text = bag.verbatim(field, example: "sha256: 9f86d0...") else { return nil }
        let digest = text.lowercased()
        guard digest.utf8.count == 64, digest.allSatisfy(\.isHexDigit) else {
            return bag.refuse(
                .badDigest, at: field.node.span, "\(quoted(text)) is not a SHA-256",
                help: "write the 64 hexadecimal digits `sha256sum FILE` prints")
        }
        return digest
    }

    /// Whether a plugin, or a value of a foreign call, may have this name.
    static func isName(_ text: String) -> Bool {
        guard (1...64).contains(text.utf8.count), let first = text.unicodeScalars.first else {
            return false
        }
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                || $0 == "_" || $0 == "-"
        }
        return isPlain && (first.properties.isAlphabetic || first == "_")
    }
}
