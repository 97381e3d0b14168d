// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CSQLite
import Foundation
import Glibc
import Testing

@testable import BGRunStorage

@Suite("Limits of a store", .timeLimit(.minutes(5)))
struct StoreLimitTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("a change that may not wait does not change the wait of others")
    func timeout() throws {
        let store = try scratch.open()
        func timeout() throws -> Int64? {
            try store.access { try $0.value("PRAGMA busy_timeout") }
        }
        let usual = try timeout()
        try store.apply([.putRequest(.sample(1))], durability: .normal, timeout: .zero)
        #expect(try timeout() == usual && usual ?? 0 > 0)
        let other = try scratch.connect()
        try other.execute("BEGIN IMMEDIATE")
        #expect(throws: StoreError.self) {
            try store.apply([.putRequest(.sample(2))], durability: .normal, timeout: .zero)
        }
        #expect(try timeout() == usual)
    }

    @Test("a value of more than 64 MiB is not read")
    func longValue() throws {
        let store = try scratch.open()
        func length(_ bytes: Int64) throws -> Int64? {
            try store.access { try $0.value("SELECT length(zeroblob(?))", [.int(bytes)]) }
        }
        #expect(try length(64 << 20) == 64 << 20)
        #expect(throws: StoreError.self) { _ = try length(64 << 20 + 1) }
    }

    @Test("the log of a store that cannot be identified is not applied to another one")
    func unknownLog() throws {
        let other = try Scratch()
        _ = try other.open()
        let writer = try other.connect()
        try writer.execute("DROP TABLE fact")
        _ = try scratch.open()
        try FileManager.default.copyItem(
            atPath: other.database + "-wal", toPath: scratch.database + "-wal")
        let before = try scratch.contents()
        try #require(before["bgrun.sqlite-wal"]?.isEmpty == false)
        #expect(throws: StoreError.self) { _ = try scratch.open() }
        #expect(try scratch.contents().filter { before[$0.key] != nil } == before)
        withExtendedLifetime(writer) {}
    }

    /// Lets this thread access files as user `nobody` while `body` runs.
    private func asNobody<Value>(_ body: () -> Value) throws -> Value {
        // Declared in <sys/fsuid.h>, which Swift does not import.
        typealias SetUser = @convention(c) (uid_t) -> CInt
        let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        return body()
    }

    /// Whether another user can access temporary files of this process.
    private static let isVisible: Bool = {
        var status = stat()
        return geteuid() == 0 && stat(NSTemporaryDirectory(), &status) == 0
            && status.st_mode & S_IXOTH != 0
    }()

    @Test(
        "a file that may be read but not written is named",
        .enabled(if: isVisible, "needs root, and temporary files that others reach"),
        arguments: ["", "-wal", "-shm"])
    func readable(_ suffix: String) throws {
        for file in ["", "-wal", "-shm"] {
            let path = scratch.database + file
            try Data([1]).write(to: URL(fileURLWithPath: path))
            chmod(path, file == suffix ? 0o444 : 0o666)
        }
        let found = try asNobody { StoreFile.inaccessible(scratch.database) }
        #expect(found == scratch.database + suffix)
    }
}
