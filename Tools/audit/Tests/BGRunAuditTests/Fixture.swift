// SPDX-License-Identifier: Apache-2.0

import BGRunAudit
import Foundation
import Testing

/// A source of Tests/Fixtures with its expected findings.
struct Fixture: Sendable, CustomTestStringConvertible {
    let path: String
    let text: String
    /// From the comments `// lists: a, b` and `// modes: x` at its top.
    let declared: Declared?
    /// "line rule-id", sorted.
    let expected: [String]

    var testDescription: String { path }

    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures")
    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../..").standardizedFileURL

    static func all(_ folder: String) -> [Fixture] {
        let url = directory.appending(path: folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
            Fixture(folder + "/" + name)
        }
    }

    init?(_ path: String) {
        let url = Self.directory.appending(path: path)
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
        self.init(path: path, text: text)
    }

    init(path: String, text: String) {
        self.path = path
        self.text = text
        let lines = text.components(separatedBy: "\n")
        let lists = Self.words(after: "// lists:", in: lines)
        let modes = Self.words(after: "// modes:", in: lines)
        declared = lists.map {
            Declared(source: "Info.plist", identifiers: $0, modes: Set(modes ?? []))
        }
        expected = lines.enumerated().flatMap { index, line -> [String] in
            let here = Self.words(after: "// expect:", in: [line]) ?? []
            let next = Self.words(after: "// expect-next:", in: [line]) ?? []
            return here.map { "\(index + 1) \($0)" } + next.map { "\(index + 2) \($0)" }
        }.sorted()
    }

    var file: SourceFile { SourceFile(path: path, text: text) }
    var findings: [Finding] { Audit.findings(in: [file], declared: declared) }

    private static func words(after marker: String, in lines: [String]) -> [String]? {
        for line in lines {
            guard let found = line.range(of: marker) else { continue }
            return line[found.upperBound...].split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }.filter { !$0.isEmpty }
        }
        return nil
    }
}

extension [Finding] {
    /// "line rule-id", sorted.
    var marks: [String] { map { "\($0.place.line) \($0.rule.id)" }.sorted() }
}
