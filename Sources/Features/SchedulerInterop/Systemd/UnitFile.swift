// SPDX-License-Identifier: Apache-2.0

/// A unit of systemd.syntax(7) with its drop-ins applied: settings in order, by section.
package struct UnitFile: Equatable, Sendable {
    /// For example `fstrim.timer`.
    package var name: String
    /// The unit's own file.
    package var path: String
    private(set) var settings: [Setting] = []

    struct Setting: Equatable, Sendable {
        var section: String
        var key: String
        var value: String
        var place: SourcePlace
    }

    /// - Parameter name: The name of the unit; a drop-in has another file name.
    package init(name: String, path: String, text: String) {
        self.name = name
        self.path = path
        add(text, path: path)
    }

    /// The values of a list, in order, after the last empty one.
    func all(_ section: String, _ key: String) -> [Setting] {
        let all = settings.filter { $0.section == section && $0.key == key }
        guard let reset = all.lastIndex(where: { $0.value.isEmpty }) else { return all }
        return Array(all[(reset + 1)...])
    }

    /// The effective value: the last one.
    func last(_ section: String, _ key: String) -> Setting? { all(section, key).last }

    /// Adds a file; a drop-in is applied to the existing settings: lists grow, and an empty value empties them.
    package mutating func add(_ text: String, path: String) {
        var section = ""
        var begun: (text: String, line: Int)?
        for (index, raw) in text.fileLines.enumerated() {
            let line = begun == nil ? raw.trimmed : String(raw)
            // Comments are skipped inside a continued line, too.
            if line.trimmed.hasPrefix("#") || line.trimmed.hasPrefix(";") { continue }
            if line.hasSuffix("\\") {
                begun = ((begun?.text ?? "") + line.dropLast() + " ", begun?.line ?? index + 1)
                continue
            }
            let whole = ((begun?.text ?? "") + line).trimmed
            let number = begun?.line ?? index + 1
            begun = nil
            if whole.hasPrefix("["), whole.hasSuffix("]") {
                section = String(whole.dropFirst().dropLast())
            } else if let equals = whole.firstIndex(of: "=") {
                settings.append(
                    Setting(
                        section: section, key: whole[..<equals].trimmed,
                        value: whole[whole.index(after: equals)...].trimmed,
                        place: SourcePlace(file: path, line: number)))
            }
        }
    }
}
