// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Foundation
import Glibc
import Testing

@Suite("A secret of a task", .timeLimit(.minutes(5)))
struct SecretTests {
    let scratch: Scratch
    let path: String

    init() throws {
        scratch = try Scratch()
        path = scratch.path + "/secret"
        try write("four")
    }

    private func write(_ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func copied(_ source: Secret.Source? = nil) throws -> Int32 {
        let secret = Secret(name: "token", source: source ?? .file(path))
        return try secret.copy { $0 == "CREDENTIALS_DIRECTORY" ? scratch.path : nil }
    }

    private func reason(_ source: Secret.Source? = nil) throws -> String {
        try #require(throws: PrivateFile.Refusal.self) { close(try copied(source)) }.reason
    }

    private func text(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        return String(decoding: bytes[..<max(0, read(descriptor, &bytes, 100))], as: UTF8.self)
    }

    @Test("is a copy that is read from its start, never changes, and that others cannot open")
    func copy() throws {
        let copy = try copied()
        defer { close(copy) }
        try write("later")
        var status = stat()
        try #require(fstat(copy, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o400)
        #expect(Glibc.write(copy, "x", 1) == -1 && ftruncate(copy, 0) == -1)
        #expect(fcntl(copy, F_GETFD) & FD_CLOEXEC != 0)
        #expect(text(copy) == "four" && text(copy).isEmpty)
        let again = open("/proc/self/fd/\(copy)", O_RDONLY | O_CLOEXEC)
        defer { close(again) }
        #expect(text(again) == "four")
    }

    @Test("has at most 64 KiB")
    func size() throws {
        try write(String(repeating: "a", count: 65_536))
        close(try copied())
        try write(String(repeating: "a", count: 65_537))
        #expect(try reason() == "secrets.token: \(path) is larger than 64 KiB")
    }

    @Test("that others may read, or that is missing, is refused with the remedy")
    func refused() throws {
        try write("four", mode: 0o644)
        #expect(
            try reason()
                == "secrets.token: others may use \(path) (mode 644); run `chmod 600 \(path)`")
        #expect(
            try reason(.file(path + ".no"))
                == "secrets.token: \(path).no: No such file or directory; write the file with mode "
                + "600, or correct its path")
    }

    @Test("of the host's service may have an access list")
    func credential() throws {
        try write("four", mode: 0o440)
        let copy = try copied(.credential("secret"))
        defer { close(copy) }
        #expect(text(copy) == "four")
        #expect(
            try reason(.credential("no"))
                == "secrets.token: \(scratch.path)/no: No such file or directory; add "
                + "`LoadCredential=no:PATH` to the host's unit")
        let secret = Secret(name: "token", source: .credential("secret"))
        let refusal = try #require(throws: PrivateFile.Refusal.self) {
            close(try secret.copy { _ in nil })
        }
        #expect(
            refusal.reason
                == "secrets.token: the host has no $CREDENTIALS_DIRECTORY; add "
                + "`LoadCredential=secret:PATH` to its unit")
    }

    @Test("of a link of another user is refused", .enabled(if: geteuid() == 0))
    func link() throws {
        let link = scratch.path + "/link"
        try #require(symlink(path, link) == 0)
        close(try copied(.file(link)))
        try #require(lchown(link, 1234, 1234) == 0)
        #expect(
            try reason(.file(link))
                == "secrets.token: \(link) is a link of user 1234; it must be yours or root's")
    }

    @Test(
        "has the name of a variable",
        arguments: [
            ("token", true), ("_1", true), ("", false), ("1a", false), ("a-b", false), ("ä", false),
            (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
        ] as [(String, Bool)])
    func name(_ text: String, _ isName: Bool) {
        #expect(Secret.isName(text) == isName)
    }
}
