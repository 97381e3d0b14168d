// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The header of an answer", .timeLimit(.minutes(10)))
struct ResponseHeadTests {
    /// The header with these lines.
    private static func read(_ lines: [String]) -> ResponseHead? {
        var reader = ResponseHeadReader()
        var head: ResponseHead?
        for line in lines {
            let bytes = Array(line.utf8)
            bytes.withUnsafeBytes { head = reader.take($0) ?? head }
        }
        return head
    }

    @Test("only the first of very many header fields are read")
    func manyFields() throws {
        let most = ResponseHeadReader.mostFields
        let fields = (0..<most + 50).map { "X-\($0): \($0)\r\n" }
        let head = try #require(Self.read(["HTTP/1.1 200 OK\r\n"] + fields + ["\r\n"]))
        #expect(head.fields.map(\.value) == (0..<most).map(String.init))
    }
}
