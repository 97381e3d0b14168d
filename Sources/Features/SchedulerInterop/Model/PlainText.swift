// SPDX-License-Identifier: Apache-2.0

extension StringProtocol where SubSequence == Substring {
    /// Without spaces and tabs at both ends.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        let front = drop(while: isBlank)
        guard let last = front.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(front[...last])
    }

    /// The parts between spaces and tabs.
    var words: [String] {
        split { $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// The last part of a path.
    var baseName: String {
        split(separator: "/").last.map(String.init) ?? String(self)
    }

    /// The directory of a path, `.` without one.
    var directoryName: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// Without `ending`, if it has it.
    func dropping(ending: String) -> String {
        hasSuffix(ending) ? String(dropLast(ending.count)) : String(self)
    }
}

extension String {
    /// The lines of a file, with CR LF as LF; a final line break does not begin another line.
    var fileLines: [String] {
        var lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// `text` with `old` replaced.
    func replacing(_ old: Character, with new: String) -> String {
        split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}
