// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunProtocol
import FoundationEssentials

/// The result of `plugin check` as SARIF 2.1.0, for code scanners and editors.
enum SARIFLog {
    /// Failed cases are errors, cases with a warning are warnings; other cases are omitted.
    static func value(of report: CheckReport) -> JSONValue {
        let rules = CheckCase.all
        let uri = uri(of: report.file)
        let results = report.results.compactMap { result -> JSONValue? in
            guard result.verdict == .failed || result.verdict == .warned else { return nil }
            let subject = result.handler.map { "handler \"\($0)\"" } ?? "the plugin"
            let found = LogText.visible(result.message ?? result.sentence)
            let index = rules.firstIndex { $0.id == result.id } ?? -1
            var location = [
                "physicalLocation": JSONValue.object([
                    "artifactLocation": .object(["uri": .string(uri)])
                ])
            ]
            if let handler = result.handler {
                location["logicalLocations"] = .array([
                    .object(["name": .string(handler), "kind": .string("function")])
                ])
            }
            return .object([
                "ruleId": .string(result.id), "ruleIndex": .integer(Int64(index)),
                "level": .string(result.verdict == .failed ? "error" : "warning"),
                "message": text("\(subject): \(found); \(result.remedy)"),
                "locations": .array([.object(location)]),
            ])
        }
        let driver: [String: JSONValue] = [
            "name": .string("bgrun"), "version": .string(Version.text),
            "rules": .array(
                rules.map { rule in
                    .object([
                        "id": .string(rule.id),
                        "shortDescription": text("A good plugin \(rule.sentence)."),
                        "help": text(rule.remedy),
                    ])
                }),
        ]
        return .object([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
            "version": .string("2.1.0"),
            "runs": .array([
                .object([
                    "tool": .object(["driver": .object(driver)]), "results": .array(results),
                ])
            ]),
        ])
    }

    private static func text(_ text: String) -> JSONValue { .object(["text": .string(text)]) }

    /// The characters of a path (RFC 3986: pchar and "/").
    private static let allowed = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/")

    /// A relative path stays relative; an absolute one becomes a file URI.
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
