// SPDX-License-Identifier: Apache-2.0

/// The values of `%n`, `%i`, ... in a unit.
struct UnitSpecifiers {
    /// The unit's name, with its type.
    var unit: String
    var user: String
    var home: String

    /// `text` with all known specifiers replaced; adds the others to `unknown`.
    func expand(_ text: String, unknown: inout Set<Character>) -> String {
        guard text.contains("%") else { return text }
        var result = ""
        var rest = Substring(text)
        while let character = rest.popFirst() {
            guard character == "%", let letter = rest.popFirst() else {
                result.append(character)
                continue
            }
            if let value = value(letter) {
                result += value
            } else {
                unknown.insert(letter)
                result += "%\(letter)"
            }
        }
        return result
    }

    private func value(_ letter: Character) -> String? {
        let name = unit.lastIndex(of: ".").map { String(unit[..<$0]) } ?? unit
        let at = name.firstIndex(of: "@")
        let prefix = at.map { String(name[..<$0]) } ?? name
        let instance = at.map { String(name[name.index(after: $0)...]) } ?? ""
        switch letter {
        case "%": return "%"
        case "n": return unit
        case "N": return name
        case "p": return prefix
        case "P": return Self.unescaped(prefix)
        case "i": return instance
        case "I": return Self.unescaped(instance)
        case "f": return "/" + Self.unescaped(at == nil ? prefix : instance)
        case "j": return prefix.split(separator: "-").last.map(String.init) ?? prefix
        case "u": return user
        case "U": return user == "root" ? "0" : nil
        case "h": return home
        default: return Self.places[letter]
        }
    }

    private static let places: [Character: String] = [
        "t": "/run", "S": "/var/lib", "C": "/var/cache", "L": "/var/log", "E": "/etc", "T": "/tmp",
        "V": "/var/tmp", "s": "/bin/sh",
    ]

    /// Reverses systemd-escape(1).
    private static func unescaped(_ text: String) -> String {
        UnitWords.split("\"" + text.replacing("-", with: "/") + "\"").first?.text ?? ""
    }
}
