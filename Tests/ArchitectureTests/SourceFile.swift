// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of the package, as text.
struct SourceFile: Sendable {
    /// Relative to the package's root.
    let path: String
    let lines: [String]

    init(path: String, text: String) {
        self.path = path
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        self.lines = lines
    }

    /// The imported modules; an import of a submodule or a declaration counts as its module.
    var imports: [String] { lines.compactMap(Self.importedModule) }

    /// The lines that are not comments, with their numbers.
    var code: [(number: Int, text: String)] {
        lines.enumerated().map { ($0.offset + 1, $0.element) }
            .filter { !$0.1.drop { $0 == " " }.hasPrefix("//") }
    }

    /// The lines that are only a comment, with their numbers.
    var comments: [(number: Int, text: String)] {
        lines.enumerated().map { ($0.offset + 1, $0.element) }
            .filter { $0.1.drop { $0 == " " }.hasPrefix("//") }
    }

    static func importedModule(_ line: String) -> String? {
        var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })[...]
        let before: Set<Substring> = [
            "public", "package", "internal", "fileprivate", "private",
        ]
        while let word = words.first, word.hasPrefix("@") || before.contains(word) {
            words.removeFirst()
        }
        guard words.first == "import" else { return nil }
        words.removeFirst()
        let kinds: Set<Substring> = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
        ]
        if let word = words.first, kinds.contains(word) { words.removeFirst() }
        return words.first.map { String($0.prefix { $0 != "." && $0 != ";" }) }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every file of `directory` with one of these extensions.
    static func all(in directory: String, _ extensions: Set<String>) -> [SourceFile] {
        let base = root.appending(path: directory)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        return (paths ?? []).sorted().compactMap { path in
            let url = base.appending(path: path)
            guard extensions.contains(url.pathExtension), !path.contains(".build/"),
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { return nil }
            return SourceFile(path: directory + "/" + path, text: text)
        }
    }
}
