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
        let driver = SARIF.Driver(
            name: "bgrun-audit", version: version, rules: allRules.map(SARIF.Rule.init))
        let run = SARIF.Run(
            tool: SARIF.Tool(driver: driver), columnKind: "unicodeCodePoints",
            results: findings.map(result))
        return try JSONReport.encoded(SARIF(run))
    }

    private func result(_ finding: Finding) -> SARIF.Result {
        SARIF.Result(
            ruleId: finding.rule.id,
            ruleIndex: allRules.firstIndex { $0.id == finding.rule.id },
            level: finding.rule.severity.rawValue,
            message: SARIF.Text(text: "\(finding.message); \(finding.rule.remedy)"),
            locations: [location(finding.file, finding.place, nil)],
            relatedLocations: finding.notes.map { location($0.file, $0.place, $0.message) },
            fixes: finding.fix.map { [fix($0, in: finding.file)] })
    }

    private func location(_ file: String, _ place: Place, _ message: String?) -> SARIF.Location {
        let column = codePointColumn(file, place)
        return SARIF.Location(
            physicalLocation: SARIF.PhysicalLocation(
                artifactLocation: SARIF.Artifact(path: file),
                region: SARIF.Region(startLine: place.line, startColumn: column)),
            message: message.map(SARIF.Text.init))
    }

    private func codePointColumn(_ file: String, _ place: Place) -> Int {
        let line = files[file]?.line(place.line) ?? ""
        return Substring(line.prefix(place.column - 1)).unicodeScalars.count + 1
    }

    private func fix(_ fix: Fix, in file: String) -> SARIF.Fix {
        SARIF.Fix(
            description: SARIF.Text(text: fix.message),
            artifactChanges: [
                SARIF.Change(
                    artifactLocation: SARIF.Artifact(path: file),
                    replacements: fix.edits.map { edit in
                        SARIF.Replacement(
                            deletedRegion: SARIF.ByteRegion(
                                byteOffset: edit.range.lowerBound, byteLength: edit.range.count),
                            insertedContent: SARIF.Text(text: edit.text))
                    })
            ])
    }
}

extension SARIF.Rule {
    fileprivate init(_ rule: any Rule.Type) {
        self.init(
            id: rule.id, shortDescription: SARIF.Text(text: rule.sentence),
            fullDescription: SARIF.Text(text: rule.why), help: SARIF.Text(text: rule.remedy),
            defaultConfiguration: SARIF.Configuration(level: rule.severity.rawValue))
    }
}
