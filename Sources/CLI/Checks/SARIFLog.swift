// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import FoundationEssentials

/// What `plugin check` found as SARIF 2.1.0, which code scanners and editors read.
struct SARIFLog: Encodable {
    var schema = "https://json.schemastore.org/sarif-2.1.0.json"
    var version = "2.1.0"
    var runs: [Run]

    struct Run: Encodable {
        var tool: Tool
        var results: [Result]
    }

    struct Tool: Encodable {
        var driver: Driver
    }

    struct Driver: Encodable {
        var name = "bgrun"
        var version = Version.text
        var rules: [Rule]
    }

    struct Rule: Encodable {
        var id: String
        var shortDescription: Message
        var help: Message
    }

    struct Message: Encodable {
        var text: String
    }

    struct Result: Encodable {
        var ruleId: String
        var ruleIndex: Int
        var level: String
        var message: Message
        var locations: [Location]
    }

    struct Location: Encodable {
        var physicalLocation: PhysicalLocation
        var logicalLocations: [LogicalLocation]?
    }

    struct PhysicalLocation: Encodable {
        var artifactLocation: ArtifactLocation
    }

    struct ArtifactLocation: Encodable {
        var uri: String
    }

    struct LogicalLocation: Encodable {
        var name: String
        var kind = "function"
    }

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    /// Cases that failed are errors, those with a warning are warnings; the others are not told.
    init(_ report: CheckReport) {
        let rules = CheckCase.all
        let uri = Self.uri(of: report.file)
        let results = report.results.compactMap { result -> Result? in
            guard result.verdict == .failed || result.verdict == .warned else { return nil }
            let subject = result.handler.map { "handler \"\($0)\"" } ?? "the plugin"
            let text = LogText.visible(result.message ?? result.sentence)
            return Result(
                ruleId: result.id, ruleIndex: rules.firstIndex { $0.id == result.id } ?? -1,
                level: result.verdict == .failed ? "error" : "warning",
                message: Message(text: "\(subject): \(text); \(result.remedy)"),
                locations: [
                    Location(
                        physicalLocation: PhysicalLocation(
                            artifactLocation: ArtifactLocation(uri: uri)),
                        logicalLocations: result.handler.map { [LogicalLocation(name: $0)] })
                ])
        }
        let driver = Driver(
            rules: rules.map {
                Rule(
                    id: $0.id, shortDescription: Message(text: "A good plugin \($0.sentence)."),
                    help: Message(text: $0.remedy))
            })
        runs = [Run(tool: Tool(driver: driver), results: results)]
    }

    /// Of a path (RFC 3986: pchar and "/").
    private static let allowed = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/")

    /// A relative path stays one; an absolute one becomes a file URI.
    private static func uri(of path: String) -> String {
        guard !path.hasPrefix("/") else { return URL(fileURLWithPath: path).absoluteString }
        return path.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            guard !allowed.contains(character) else { return String(character) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
