// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Foundation
import Testing

@Suite("A file with a secret", .timeLimit(.minutes(1)))
struct PrivateFileTests {
    let scratch: Scratch
    let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.path + "/secret"
        try Data("four".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func refusal(of path: String, limit: Int = 4) throws -> PrivateFile.Refusal {
        try #require(throws: PrivateFile.Refusal.self) {
            try PrivateFile.bytes(of: path, named: "token_file", limit: limit)
        }
    }

    @Test("is read up to its limit")
    func contents() throws {
        #expect(try PrivateFile.bytes(of: path, limit: 4) == [UInt8]("four".utf8))
        #expect(try refusal(of: path, limit: 3).reason == "token_file is longer than 3 bytes")
    }

    @Test("is refused if others may use it, with the remedy")
    func mode() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let reason = try refusal(of: path).reason
        #expect(reason == "others may use token_file (mode 640); run `chmod 600 \(path)`")
    }

    // The memory of a process is a regular file whose first page is not mapped.
    @Test("that cannot be read is refused with the system's reason")
    func readError() throws {
        let failure = try refusal(of: "/proc/self/mem")
        #expect(failure.code == EIO)
        #expect(failure.reason == "/proc/self/mem: Input/output error")
    }
}
