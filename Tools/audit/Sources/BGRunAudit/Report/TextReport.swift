// SPDX-License-Identifier: Apache-2.0

/// Findings in the format of compilers.
public struct TextReport {
    private let files: [String: SourceFile]

    public init(files: [SourceFile]) {
        self.files = Dictionary(
            files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The place and the message, the line with a caret below, and the remedy.
    public func text(of finding: Finding) -> String {
        var lines = [
            "\(finding.file):\(finding.place.line):\(finding.place.column): "
                + "\(finding.rule.severity.rawValue): \(finding.message) [\(finding.rule.id)]"
        ]
        lines += excerpt(finding.file, finding.place)
        for note in finding.notes {
            lines.append(
                "\(note.file):\(note.place.line):\(note.place.column): note: \(note.message)")
        }
        let fixable = finding.fix.map { " (--fix: \($0.message))" } ?? ""
        lines.append("  help: \(finding.rule.remedy)\(fixable)")
        return lines.joined(separator: "\n")
    }

    private func excerpt(_ file: String, _ place: Place) -> [String] {
        guard let line = files[file]?.line(place.line) else { return [] }
        // Keeps tabs, so that the caret is below its character.
        let margin = line.prefix(place.column - 1).map { $0 == "\t" ? "\t" : " " }.joined()
        return ["  \(line)", "  \(margin)^"]
    }

    /// "3 findings in 2 files", or a text for none.
    public static func summary(of findings: [Finding], fileCount: Int) -> String {
        let places = fileCount == 1 ? "1 file" : "\(fileCount) files"
        guard !findings.isEmpty else { return "no findings in \(places)" }
        let count = findings.count == 1 ? "1 finding" : "\(findings.count) findings"
        let fixable = findings.count { $0.fix != nil }
        return "\(count) in \(places)" + (fixable == 0 ? "" : ", \(fixable) with a fix (--fix)")
    }
}
