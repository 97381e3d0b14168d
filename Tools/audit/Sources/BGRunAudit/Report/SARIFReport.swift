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
        return try JSONReport.encoded(SARIF(runs: [run]))
    }

    private func result(_ finding: Finding) -> SARIF.Result {
        SARIF.Result(
            ruleId: finding.rule.id,
            ruleIndex: allRules.firstIndex { $0.id == finding.rule.id } ?? 0,
            level: finding.rule.severity.rawValue,
            message: SARIF.Message(text: "\(finding.message); \(finding.rule.remedy)"),
            locations: [location(finding.file, finding.place, nil)],
            relatedLocations: finding.notes.map { location($0.file, $0.place, $0.message) },
            fixes: finding.fix.map { [fix($0, in: finding.file)] })
    }

    private func location(_ file: String, _ place: Place, _ message: String?) -> SARIF.Location {
        let column = codePointColumn(file, place)
        return SARIF.Location(
            physicalLocation: SARIF.PhysicalLocation(
                artifactLocation: SARIF.Artifact(uri: Self.uri(file)),
                region: SARIF.Region(startLine: place.line, startColumn: column)),
            message: message.map(SARIF.Message.init))
    }

    private func codePointColumn(_ file: String, _ place: Place) -> Int {
        let line = files[file]?.line(place.line) ?? ""
        return Substring(line.prefix(place.column - 1)).unicodeScalars.count + 1
    }

    private func fix(_ fix: Fix, in file: String) -> SARIF.Fix {
        SARIF.Fix(
            description: SARIF.Message(text: fix.message),
            artifactChanges: [
                SARIF.Change(
                    artifactLocation: SARIF.Artifact(uri: Self.uri(file)),
                    replacements: fix.edits.map { edit in
                        SARIF.Replacement(
                            deletedRegion: SARIF.ByteRegion(
                                byteOffset: edit.range.lowerBound, byteLength: edit.range.count),
                            insertedContent: SARIF.Content(text: edit.text))
                    })
            ])
    }

    /// A relative path unchanged, an absolute one as a file URL; other bytes percent-encoded.
    private static func uri(_ path: String) -> String {
        let hex = Array("0123456789ABCDEF")
        let encoded = path.utf8.map { byte -> String in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic
                    || "/-_.~+0123456789"
                        .unicodeScalars.contains(scalar))
            return isPlain ? String(scalar) : "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
        }.joined()
        return path.hasPrefix("/") ? "file://" + encoded : encoded
    }
}

/// The parts of the format that the report uses.
private struct SARIF: Encodable {
    var schema = "https://json.schemastore.org/sarif-2.1.0.json"
    var version = "2.1.0"
    var runs: [Run]

    enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version
        case runs
    }

    struct Run: Encodable {
        var tool: Tool
        var columnKind: String
        var results: [Result]
    }

    struct Tool: Encodable { var driver: Driver }

    struct Driver: Encodable {
        var name: String
        var version: String
        var rules: [Rule]
    }

    struct Rule: Encodable {
        var id: String
        var shortDescription: Message
        var fullDescription: Message
        var help: Message
        var defaultConfiguration: Level

        init(_ rule: any BGRunAudit.Rule.Type) {
            id = rule.id
            shortDescription = Message(text: rule.sentence)
            fullDescription = Message(text: rule.why)
            help = Message(text: rule.remedy)
            defaultConfiguration = Level(level: rule.severity.rawValue)
        }
    }

    struct Level: Encodable { var level: String }
    struct Message: Encodable { var text: String }

    struct Result: Encodable {
        var ruleId: String
        var ruleIndex: Int
        var level: String
        var message: Message
        var locations: [Location]
        var relatedLocations: [Location]
        var fixes: [Fix]?
    }

    struct Location: Encodable {
        var physicalLocation: PhysicalLocation
        var message: Message?
    }

    struct PhysicalLocation: Encodable {
        var artifactLocation: Artifact
        var region: Region
    }

    struct Artifact: Encodable { var uri: String }

    struct Region: Encodable {
        var startLine: Int
        var startColumn: Int
    }

    struct Fix: Encodable {
        var description: Message
        var artifactChanges: [Change]
    }

    struct Change: Encodable {
        var artifactLocation: Artifact
        var replacements: [Replacement]
    }

    struct Replacement: Encodable {
        var deletedRegion: ByteRegion
        var insertedContent: Content
    }

    struct ByteRegion: Encodable {
        var byteOffset: Int
        var byteLength: Int
    }

    struct Content: Encodable { var text: String }
}
