// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Findings as SARIF 2.1.0, which code-scanning services and editors read.
public struct SARIFReport {
    private let files: [String: SourceFile]
    private let version: String

    public init(files: [SourceFile], version: String) {
        self.files = Dictionary(
            files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        self.version = version
    }

    public func text(of findings: [Finding]) throws -> String {
        let driver = SARIF.driver(
            name: "bgrun-audit", version: version, rules: allRules.map(SARIF.rule))
        let run = SARIF.run(
            driver: driver, columnKind: "unicodeCodePoints", results: findings.map(result))
        return try JSONReport.encoded(SARIF.log(run))
    }

    private func result(_ finding: Finding) -> SARIF {
        .result(
            ruleId: finding.rule.id,
            ruleIndex: allRules.firstIndex { $0.id == finding.rule.id },
            level: finding.rule.severity.rawValue,
            message: "\(finding.message); \(finding.rule.remedy)",
            locations: [location(finding.file, finding.place, nil)],
            relatedLocations: finding.notes.map { location($0.file, $0.place, $0.message) },
            fixes: finding.fix.map { [fix($0, in: finding.file)] })
    }

    private func location(_ file: String, _ place: Place, _ message: String?) -> SARIF {
        let column = codePointColumn(file, place)
        return .location(
            path: file, region: .region(startLine: place.line, startColumn: column),
            message: message)
    }

    private func codePointColumn(_ file: String, _ place: Place) -> Int {
        let line = files[file]?.line(place.line) ?? ""
        return Substring(line.prefix(place.column - 1)).unicodeScalars.count + 1
    }

    private func fix(_ fix: Fix, in file: String) -> SARIF {
        .fix(
            description: fix.message, path: file,
            replacements: fix.edits.map { edit in
                .replacement(
                    byteOffset: edit.range.lowerBound, byteLength: edit.range.count,
                    text: edit.text)
            })
    }
}

extension SARIF {
    fileprivate static func rule(_ rule: any Rule.Type) -> SARIF {
        .rule(
            id: rule.id, shortDescription: rule.sentence, fullDescription: rule.why,
            help: rule.remedy, level: rule.severity.rawValue)
    }
}
