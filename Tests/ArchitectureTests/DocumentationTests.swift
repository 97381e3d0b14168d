// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Docs/architecture.md and the table of modules agree")
struct DocumentationTests {
    @Test("the document has a row for every module there is, with what it may import, in order")
    func modules() throws {
        let sources = Set(
            SourceFile.all(in: "Sources", ["swift", "h"]).compactMap(\.module))
        let present = architecture.filter { sources.contains($0.name) }
        try #require(!present.isEmpty)
        let rows = try Self.rows()
        #expect(rows.map(\.name) == present.map(\.name))
        for (row, module) in zip(rows, present) {
            #expect(row.imports == module.ours.intersection(sources), "\(module.name)")
        }
    }

    private static func rows() throws -> [(name: String, imports: Set<String>)] {
        let document = try #require(
            SourceFile.all(in: "Docs", ["md"]).first { $0.path == "Docs/architecture.md" })
        let start = try #require(document.lines.firstIndex { $0.hasPrefix("| Module |") })
        return document.lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            return (words(cells[1]).first ?? "", Set(words(cells[3])))
        }
    }

    /// What stands between backticks.
    private static func words(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
