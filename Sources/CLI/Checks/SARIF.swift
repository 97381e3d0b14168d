// SPDX-License-Identifier: Apache-2.0

/// The parts of SARIF 2.1.0 that bgrun writes, for code scanners and editors. bgrun-audit compiles this file as well.
struct SARIF: Encodable {
    private let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private let version = "2.1.0"
    private let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    init(_ run: Run) {
        runs = [run]
    }

    struct Run: Encodable {
        var tool: Tool
        var columnKind: String?
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
        var shortDescription: Text
        var fullDescription: Text?
        var help: Text
        var defaultConfiguration: Configuration?
    }

    struct Configuration: Encodable { var level: String }
    struct Text: Encodable { var text: String }

    struct Result: Encodable {
        var ruleId: String
        var ruleIndex: Int?
        /// "error", "warning" or "note".
        var level: String
        var message: Text
        var locations: [Location]
        var relatedLocations: [Location]?
        var fixes: [Fix]?
    }

    struct Location: Encodable {
        var physicalLocation: PhysicalLocation
        var logicalLocations: [LogicalLocation]?
        var message: Text?
    }

    struct PhysicalLocation: Encodable {
        var artifactLocation: Artifact
        var region: Region?
    }

    struct LogicalLocation: Encodable {
        var name: String
        var kind: String
    }

    struct Artifact: Encodable {
        private let uri: String

        /// A relative path stays relative, an absolute one becomes a file URL.
        init(path: String) {
            let plain = Set("-._~/0123456789!$&'()*+,;=@".utf8)
            let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
            let encoded = path.utf8.map { byte in
                if letters.contains(byte | 0x20) || plain.contains(byte) {
                    return String(Unicode.Scalar(byte))
                }
                let digits = String(byte, radix: 16, uppercase: true)
                return digits.utf8.count < 2 ? "%0\(digits)" : "%\(digits)"
            }.joined()
            uri = path.hasPrefix("/") ? "file://" + encoded : encoded
        }
    }

    /// Lines and columns from 1.
    struct Region: Encodable {
        var startLine: Int
        var startColumn: Int
    }

    struct Fix: Encodable {
        var description: Text
        var artifactChanges: [Change]
    }

    struct Change: Encodable {
        var artifactLocation: Artifact
        var replacements: [Replacement]
    }

    struct Replacement: Encodable {
        var deletedRegion: ByteRegion
        var insertedContent: Text
    }

    struct ByteRegion: Encodable {
        var byteOffset: Int
        var byteLength: Int
    }
}
