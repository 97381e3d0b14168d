// SPDX-License-Identifier: Apache-2.0

/// The search paths of plugins that ship with bgrun. Pure: accesses no file.
package struct PluginSearch: Sendable {
    private let executableDirectory: String

    /// `executableDirectory` is absolute and resolved, as from `/proc/self/exe`: its `..` are
    /// resolved by name, not through symbolic links.
    package init(executableDirectory: String) { self.executableDirectory = executableDirectory }

    /// The directories, the nearest to the executable first, relative to it.
    private static let places = [
        ".",  // beside the executable, as SwiftPM builds a dynamic library product
        "plugins",
        "../plugins",
        "../../plugins",  // .build/plugins, from .build/<triple>/<configuration>
        "../lib/bgrun/plugins",  // installed: <prefix>/bin and <prefix>/lib
    ]

    /// The possible paths of the shipped plugin `name`; the first existing one counts. Empty unless
    /// `name` is one or more of letters, digits, `-` and `_`.
    package func candidates(_ name: String) -> [String] {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else { return [] }
        return directories.map { "\($0)/\(Self.prefix)\(name)\(Self.suffix)" }
    }

    /// The directories of the candidates, in their order.
    package var directories: [String] {
        Self.places.map { Self.joined(executableDirectory, $0) }
    }

    /// The name of the shipped plugin in a file of this name; nil for other files.
    package static func name(ofFile file: String) -> String? {
        guard file.hasPrefix(prefix), file.hasSuffix(suffix) else { return nil }
        let name = file.dropFirst(prefix.count).dropLast(suffix.count)
        return !name.isEmpty && name.utf8.allSatisfy(isNameByte) ? String(name) : nil
    }

    private static let prefix = "libbgrun-"
    private static let suffix = ".so"

    private static func joined(_ base: String, _ relative: String) -> String {
        var parts = base.split(separator: "/")
        for part in relative.split(separator: "/") {
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
        return parts.map { "/" + $0 }.joined()
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8.contains(byte)
    }
}
