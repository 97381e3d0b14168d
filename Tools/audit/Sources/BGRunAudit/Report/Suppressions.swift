// SPDX-License-Identifier: Apache-2.0

/// `// bgrun:ignore rule-id reason`, on the line of a finding or on the line above it.
struct Suppressions {
    private struct Suppression {
        var file: String
        var place: Place
        var ruleID: String
        var hasReason: Bool
        /// The lines it applies to.
        var lines: ClosedRange<Int>
        var isUsed = false
    }

    private var all: [Suppression] = []

    init(files: [SourceFile]) {
        for file in files {
            var offset = 0
            for number in 1...max(1, file.lineCount) {
                let line = file.line(number)
                if let found = Self.read(line, number, of: file.path, at: offset) {
                    all.append(found)
                }
                offset += line.utf8.count + 1
            }
        }
    }

    private static let marker = "bgrun:ignore"

    private static func read(
        _ line: Substring, _ number: Int, of file: String, at offset: Int
    ) -> Suppression? {
        guard let comment = line.range(of: "//"),
            let found = line[comment.upperBound...].range(of: marker),
            line[comment.upperBound..<found.lowerBound].allSatisfy(\.isWhitespace)
        else { return nil }
        let words = line[found.upperBound...].split(separator: " ")
        // A comment alone on its line applies to the next line, one after code to its own.
        let isAlone = line[..<comment.lowerBound].allSatisfy(\.isWhitespace)
        let start = line[..<comment.lowerBound]
        return Suppression(
            file: file,
            place: Place(
                offset: offset + start.utf8.count, line: number, column: start.count + 1),
            ruleID: words.first.map(String.init) ?? "", hasReason: words.count > 1,
            lines: isAlone ? number...(number + 1) : number...number)
    }

    /// The findings that are not suppressed, and one for each unused suppression.
    mutating func apply(to findings: [Finding]) -> [Finding] {
        var shown: [Finding] = []
        for finding in findings {
            let index = all.firstIndex { suppression in
                suppression.ruleID == finding.rule.id && suppression.hasReason
                    && suppression.file == finding.file
                    && suppression.lines.contains(finding.place.line)
            }
            if let index { all[index].isUsed = true } else { shown.append(finding) }
        }
        return shown + all.compactMap(Self.complaint)
    }

    private static func complaint(about suppression: Suppression) -> Finding? {
        guard !suppression.isUsed else { return nil }
        let message: String
        if suppression.ruleID.isEmpty {
            message = "this suppression names no rule"
        } else if !allRules.contains(where: { $0.id == suppression.ruleID }) {
            message = "unknown rule \(suppression.ruleID)"
        } else if !suppression.hasReason {
            message = "this suppression gives no reason, and is passed over"
        } else {
            message = "nothing here is a finding of \(suppression.ruleID)"
        }
        return Finding(
            rule: UnusedSuppression.self, file: suppression.file, place: suppression.place,
            message: message, notes: [], fix: nil)
    }
}

extension Substring {
    /// The first occurrence of a text.
    fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}
