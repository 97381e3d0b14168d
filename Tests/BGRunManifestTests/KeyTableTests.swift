// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunManifest

/// The schema and the tables of the documents are generated from the keys. With BGRUN_RECORD=1 in the
/// environment they are written instead of compared.
@Suite(
    "Tables of keys in the JSON Schema and the documents",
    .timeLimit(.minutes(10)), .serialized)
struct KeyTableTests {
    private static let isRecording = ProcessInfo.processInfo.environment["BGRUN_RECORD"] == "1"

    @Test("the JSON Schema agrees with the keys")
    func schema() throws {
        try compare(try JSONSchema.text(), with: "manifests/bgrun-manifest-1.schema.json")
    }

    @Test("Docs/manifest.md has a table of each mapping, with these words")
    func manifestTables() throws {
        let sections = Section.all.filter { $0.id != Section.policy.id }
        var missing = Dictionary(uniqueKeysWithValues: sections.map { ($0.id, $0) })
        let text = try Self.rewritten("Docs/manifest.md") { heading, keys in
            let candidates = missing.values.sorted { $0.distance(to: keys) < $1.distance(to: keys) }
            guard let section = candidates.first,
                section.distance(to: keys) <= (Self.isRecording ? 3 : 0)
            else { return nil }
            missing[section.id] = nil
            return section.keys.map { $0.row(hasMeaningColumn: heading.hasSuffix(" Meaning |")) }
        }
        #expect(missing.isEmpty, "without a table: \(missing.keys.sorted())")
        try compare(text, with: "Docs/manifest.md")
    }

    @Test(
        "Docs/policy.md has a row of each number, with its unit, defaults, range, meaning and origin"
    )
    func policyTable() throws {
        var hasTable = false
        let text = try Self.rewritten("Docs/policy.md") { _, keys in
            hasTable = true
            var last = ""
            return PolicySetting.all.reduce(into: [Self.profileRow]) { rows, setting in
                // An empty cell continues the row above.
                rows.append(setting.row(meaning: setting.meaning == last ? "" : setting.meaning))
                last = setting.meaning
            }
        }
        #expect(hasTable)
        try compare(text, with: "Docs/policy.md")
    }

    private static let profileRow =
        "| `profile` | `apple`, `server` | `apple` | `server` | | \(Section.policy["profile"]?.meaning ?? "") | ours |"

    private func compare(_ text: String, with name: String) throws {
        let file = DocumentationTests.root.appending(path: name)
        if Self.isRecording {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(
                try String(contentsOf: file, encoding: .utf8) == text,
                "run the tests with BGRUN_RECORD=1 to write \(name)")
        }
    }

    /// Replaces the rows in a document's tables of keys. `rows` receives the heading and the keys of each
    /// table, and returns nil to keep the table.
    private static func rewritten(
        _ name: String, rows: (_ heading: String, _ keys: [String]) -> [String]?
    ) throws -> String {
        let text = try String(
            contentsOf: DocumentationTests.root.appending(path: name), encoding: .utf8)
        var lines = text.components(separatedBy: "\n")
        var index = 0
        while let start = lines[index...].firstIndex(where: { $0.hasPrefix("| Key |") }) {
            let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
            let keys = lines[(start + 2)..<end].compactMap {
                $0.split(separator: "`").dropFirst().first
            }
            index = end
            guard let rows = rows(lines[start], keys.map(String.init)) else { continue }
            lines.replaceSubrange((start + 2)..<end, with: rows)
            index = start + 2 + rows.count
        }
        return lines.joined(separator: "\n")
    }
}

extension Section {
    /// The number of keys that only one of the two has.
    fileprivate func distance(to keys: [String]) -> Int {
        Set(names).symmetricDifference(keys).count
    }
}

extension Key {
    fileprivate func row(hasMeaningColumn: Bool) -> String {
        if hasMeaningColumn { return "| `\(name)` | \(valueText) | \(meaning) |" }
        return "| `\(name)` | \(meaning.isEmpty ? valueText : "\(valueText): \(meaning)") |"
    }
}

extension PolicySetting {
    fileprivate func row(meaning: String) -> String {
        let cells = [
            "`\(name)`", unitWord, "`\(text(in: .apple))`", "`\(text(in: .server))`", rangeText,
            meaning, origin,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private var unitWord: String {
        switch field {
        case .count: "count"
        case .duration: "duration"
        case .size, .sizeOrNone: "size"
        case .percentage: "percentage"
        case .flag: "truth value"
        }
    }

    private var rangeText: String {
        if name == "grace" { return "0s to `grace_maximum`" }
        return switch field {
        case .count(_, let range): "\(range.lowerBound) to \(range.upperBound)"
        case .duration(_, let range):
            "\(Quantity.text(range.lowerBound)) to \(Quantity.text(range.upperBound))"
        case .size(_, let range):
            "\(Quantity.text(bytes: range.lowerBound)) to \(Quantity.text(bytes: range.upperBound))"
        case .sizeOrNone(_, let range):
            "\(Quantity.text(bytes: range.lowerBound)) to \(Quantity.text(bytes: range.upperBound)), or 0B"
        case .percentage: "0% to 100%"
        case .flag: "true or false"
        }
    }
}
