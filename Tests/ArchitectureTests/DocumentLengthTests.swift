// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `Scripts/check-doc-commands` checks the content of the documents; this suite checks their length.
@Suite("Length of the documents", .timeLimit(.minutes(10)))
struct DocumentLengthTests {
    static let mostWords = 50_000

    @Test("all documents together have at most 50,000 words")
    func words() throws {
        let documents = Self.documents()
        try #require(documents.contains("README.md") && documents.contains("Docs/policy.md"))
        var counts: [(words: Int, path: String)] = []
        for path in documents {
            let text = try String(
                contentsOf: SourceFile.root.appending(path: path), encoding: .utf8)
            counts.append((text.split(whereSeparator: \.isWhitespace).count, path))
        }
        let total = counts.reduce(0) { $0 + $1.words }
        let longest = counts.sorted { $0.words > $1.words }.prefix(5)
            .map { "\($0.path): \($0.words)" }.joined(separator: ", ")
        #expect(
            total <= Self.mostWords,
            "\(total) words: link instead of repeating; the longest are \(longest)")
    }

    /// The Markdown files outside build folders.
    private static func documents() -> [String] {
        guard let files = FileManager.default.enumerator(atPath: SourceFile.root.path) else {
            return []
        }
        var documents: [String] = []
        while let path = files.nextObject() as? String {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            if name.hasPrefix(".") || path == "dist" {
                files.skipDescendants()
            } else if name.hasSuffix(".md") {
                documents.append(path)
            }
        }
        return documents
    }
}
