// SPDX-License-Identifier: Apache-2.0

/// A line of output that reports a denied access, in the English words of the C library, of Python or of SQLite.
package struct DenialLine: Equatable, Sendable {
    /// What the program wanted; nil: the line does not tell whether it read or wrote.
    package var access: AccessRequest.FileAccess?
    /// Absolute.
    package var path: String
    /// Whether the file is reported as missing: what is hidden is missing for a handler.
    package var isMissing: Bool

    /// Longer lines are not messages about a file.
    private static let mostBytes = 4_096

    private static let denials = [
        "permission denied", "operation not permitted", "read-only file system",
        "unable to open database",
    ]
    /// Also in the words of dash.
    private static let absences = ["no such file or directory", "directory nonexistent"]
    /// The verbs of messages about writing.
    private static let writes = [
        "creat", "writ", "remove", "delet", "mkdir", "make", "touch", "unlink", "renam", "move",
        "link", "lock", "output", "truncat", "changing", "preserving", "setting", "save",
        "read-only file system", "unable to open database",
    ]
    private static let executions = ["exec", "cannot run", "spawn"]

    package init?(_ line: String) {
        guard line.utf8.count <= Self.mostBytes else { return nil }
        let words = line.lowercased()
        let isDenial = Self.denials.contains { words.contains($0) }
        guard isDenial || Self.absences.contains(where: words.contains) else { return nil }
        guard let (path, rest) = Self.path(in: line) else { return nil }
        let verbs = rest.lowercased()
        self.path = path
        isMissing = !isDenial
        if Self.writes.contains(where: { verbs.contains($0) }) {
            access = .write
        } else if Self.executions.contains(where: { verbs.contains($0) }) {
            access = .execute
        }
    }

    /// The last absolute path, and the line without its paths.
    private static func path(in line: String) -> (path: String, rest: String)? {
        var paths: [String] = []
        var rest = ""
        for part in parts(of: line) {
            if part.isQuoted || part.text.hasPrefix("/") {
                if part.text.hasPrefix("/") { paths.append(part.text) }
            } else {
                rest += part.text + " "
            }
        }
        return paths.last.map { ($0, rest) }
    }

    private struct Part {
        var text: String
        var isQuoted: Bool
    }

    private static let quotes: [Character: Character] = ["'": "'", "\"": "\"", "`": "'", "‘": "’"]

    /// Quoted texts, and the words between them without their punctuation. An unquoted path after `: ` continues to
    /// the next `: `, since it may contain spaces.
    private static func parts(of line: String) -> [Part] {
        var parts: [Part] = []
        var text = line[...]
        var previous: Character?
        var isField = true
        while let first = text.first {
            if let end = quotes[first], previous.map({ !$0.isLetter && !$0.isNumber }) ?? true,
                let close = text.dropFirst().firstIndex(of: end)
            {
                let inner = text[text.index(after: text.startIndex)..<close]
                parts.append(Part(text: String(inner), isQuoted: true))
                text = text[text.index(after: close)...]
                (previous, isField) = (end, false)
            } else if first == " " {
                text.removeFirst()
                isField = previous == ":"
                previous = " "
            } else {
                let isWhole = isField && first == "/"
                let word = isWhole ? field(text) : text.prefix { $0 != " " }
                parts.append(Part(text: trimmed(word), isQuoted: false))
                text = text.dropFirst(word.count)
                (previous, isField) = (word.last, false)
            }
        }
        return parts
    }

    /// The text to the next colon before a space.
    private static func field(_ text: Substring) -> Substring {
        text.firstRange(of: ": ").map { text[..<text.index(after: $0.lowerBound)] } ?? text
    }

    private static func trimmed(_ word: Substring) -> String {
        var word = word
        while let last = word.last, ":,;.)]".contains(last) { word.removeLast() }
        return String(word)
    }
}
