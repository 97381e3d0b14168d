// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Testing

@Suite("Transfers of a manifest", .timeLimit(.minutes(10)))
struct TransferDeclarationTests {
    private static func read(_ transfers: String) throws -> [TransferDefinition] {
        try Sample.read(rest: "transfers:\n\(transfers)\n").transfers
    }

    @Test("are retried at equal intervals if `from` is as long as `to`")
    func equalDelays() throws {
        let transfers = try Self.read(
            """
              com.example.app.file:
                download: https://example.com/file
                to: ./file
                retry: {from: 10s, to: 10s}
            """)
        #expect(transfers.first?.retry.from == .seconds(10))
        #expect(transfers.first?.retry.to == .seconds(10))
    }

    @Test("may send one file to two places")
    func sentTwice() throws {
        let transfers = try Self.read(
            """
              com.example.app.first: {upload: ./log, to: https://a.example.com/log}
              com.example.app.second: {upload: ./log, to: https://b.example.com/log}
            """)
        #expect(transfers.map(\.file).count == 2)
        #expect(Set(transfers.map(\.file)).count == 1)
    }
}
