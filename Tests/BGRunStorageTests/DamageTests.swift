// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Foundation
import Glibc
import Testing

@testable import BGRunStorage

@Suite("Damaged rows and files of the store", .timeLimit(.minutes(5)))
struct DamageTests {
    /// Statements that damage one row of a store, and the table of the row.
    static let damages: [(sql: String, table: String)] = [
        ("UPDATE request SET failures = 9223372036854775807 WHERE identifier = 'a'", "request"),
        ("UPDATE request SET interruptions = -1 WHERE identifier = 'a'", "request"),
        ("UPDATE request SET identifier = 'a.' || char(233) WHERE identifier = 'a'", "request"),
        ("UPDATE request SET identifier = CAST(x'61FF' AS TEXT) WHERE identifier = 'a'", "request"),
        ("UPDATE history SET code = 1000000000000000 WHERE attempt = 1", "history"),
        ("UPDATE history SET duration = -5 WHERE attempt = 1", "history"),
        ("UPDATE history SET worker = 9223372036854775807 WHERE attempt = 1", "history"),
        ("UPDATE running SET worker = 4294967296 WHERE attempt = 3", "running"),
        ("UPDATE running SET identifier = '' WHERE attempt = 3", "running"),
    ]

    private func store() throws -> Scratch {
        let scratch = try Scratch()
        let store = try scratch.open()
        let at = Instant(elapsed: 5, wall: WallTime(milliseconds: 10))
        func attempt(_ id: Int64, _ identifier: String) -> Attempt {
            Attempt(
                id: id, request: TaskRequest.sample(id, identifier), declaration: identifier,
                deadlineElapsed: 9, launched: at)
        }
        for id: Int64 in [1, 2] {
            try store.apply(
                [
                    .beginAttempt(attempt(id, "h"), worker: nil),
                    .endAttempt(
                        attempt: id, .exited(code: 3), message: nil, at: at, entered: nil,
                        outputDropped: 0),
                ], durability: .normal)
        }
        let lease = ProcessIdentity(pid: 7, startTicks: 8, bootID: "b")
        for id: Int64 in [3, 4] {
            try store.apply(
                [.beginAttempt(attempt(id, "r\(id)"), worker: lease)], durability: .normal)
        }
        try store.apply(
            [.putRequest(.sample(8, "a")), .putRequest(.sample(9, "b"))], durability: .normal)
        return scratch
    }

    @Test(
        "a damaged row is ignored and named, the others count, and nothing crashes",
        arguments: damages)
    func leftAside(_ damage: (sql: String, table: String)) throws {
        let scratch = try store()
        try scratch.execute("PRAGMA ignore_check_constraints = ON; " + damage.sql)
        let store = try scratch.open()
        let (restoration, interrupted) = try store.restoration()
        let history = try store.history(limit: 9)
        _ = try store.running()
        let isRequest = damage.table == "request"
        #expect(restoration.requests.map(\.identifier) == (isRequest ? ["b"] : ["a", "b"]))
        #expect(interrupted.map(\.id) == (damage.table == "running" ? [4] : [3, 4]))
        #expect(history.map(\.attempt) == (damage.table == "history" ? [2] : [2, 1]))
        #expect(restoration.nextAttemptID == 5)
        let found = try #require(store.damaged.first)
        #expect(store.damaged.count == 1 && found.table == damage.table)
        #expect(found.message.contains(scratch.database) && found.message.contains("sqlite3"))
    }

    @Test(
        "an attempt number out of range is named, and the next attempt continues to count",
        arguments: [Int64.max, -7])
    func attemptNumber(_ number: Int64) throws {
        let scratch = try store()
        try scratch.execute("UPDATE history SET attempt = \(number) WHERE attempt = 2")
        let store = try scratch.open()
        var found: [DamagedRow] = []
        store.foundDamage = { found.append($0) }
        #expect(try store.newestAttempt() == 4)
        #expect(found.map(\.row) == ["attempt \(number)"])
        #expect(found.map(\.table) == ["history"])
        #expect(try store.history(limit: 9).map(\.attempt) == [1])
        try store.visitHistory(HistoryFilter()) { #expect($0.attempt == 1) }
        #expect(found.count == 1 && store.damaged.count == 1)
    }

    @Test(
        "counts of pending requests that are out of range are counted again",
        arguments: [Int64.max, .min, -1])
    func pendingCounts(_ number: Int64) throws {
        let scratch = try store()
        try scratch.execute("UPDATE fact SET value = \(number) WHERE name LIKE 'pending:%'")
        let store = try scratch.open()
        #expect(try store.pendingCount() == 2)
        try store.apply([.putRequest(.sample(10, "c"))], durability: .normal)
        #expect(try store.pendingCount() == 3)
    }

    @Test("counts of pending requests that are out of range are noted by a reader and count as 0")
    func pendingCountsOfReader() throws {
        let scratch = try store()
        let counts = TaskKind.allCases.map { "('pending:\($0.name)', \(Int64.max))" }
        try scratch.execute(
            "INSERT OR REPLACE INTO fact VALUES \(counts.joined(separator: ", "))")
        let reader = try Store.open(scratch.database, readOnly: true)
        #expect(try reader.pendingCount() == 0)
        #expect(reader.damaged.map(\.table) == ["fact"])
    }

    @Test("a counter that is out of range or missing starts at the first number")
    func facts() throws {
        let scratch = try store()
        try scratch.execute(
            "UPDATE fact SET value = 9223372036854775807 WHERE name = 'next-request'")
        let store = try scratch.open()
        #expect(try store.nextRequestID() == 1)
        #expect(store.damaged.count == 1)
        try scratch.execute("DELETE FROM fact WHERE name = 'next-request'")
        #expect(try store.nextRequestID() == 1)
    }

    @Test("a database that was replaced or removed is no longer written, and this is reported")
    func replaced() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.apply([.putRequest(.sample(1, "a"))], durability: .full)
        try FileManager.default.moveItem(atPath: scratch.database, toPath: scratch.path + "/old")
        let error = StoreError.replaced(path: scratch.database)
        #expect(throws: error) {
            try store.apply([.putRequest(.sample(2, "b"))], durability: .full)
        }
        #expect(FileManager.default.createFile(atPath: scratch.database, contents: nil))
        #expect(throws: error) { try store.checkFiles() }
        #expect(throws: error) {
            _ = try store.prune(keepAttempts: 1, olderThan: WallTime(milliseconds: 0))
        }
        #expect(error.message.contains("removed, replaced or overwritten"))
    }

    @Test("a full disk is reported, also to a reader", .enabled(if: geteuid() == 0))
    func disk() throws {
        let scratch = try Scratch()
        guard mount("tmpfs", scratch.path, "tmpfs", 0, "size=300k") == 0 else { return }
        defer { umount2(scratch.path, Int32(MNT_DETACH)) }
        try scratch.open().apply([.putRequest(.sample(1, "a"))], durability: .full)
        // A closed store has no log; a reader creates one.
        let filler = Glibc.open(scratch.path + "/filler", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        try #require(filler >= 0)
        let bytes = [UInt8](repeating: 0, count: 4_096)
        while write(filler, bytes, bytes.count) > 0 {}
        close(filler)
        #expect(throws: StoreError.full(path: scratch.database)) {
            _ = try Store.open(scratch.database, readOnly: true).request("a")
        }
    }

    @Test(
        "the store, its lock and its directory report a read-only file system",
        .enabled(if: Self.mayMount, "needs root with the right to mount"))
    func readOnlyDisk() throws {
        let scratch = try Scratch()
        try #require(mount("tmpfs", scratch.path, "tmpfs", 0, "size=1m") == 0)
        defer { umount2(scratch.path, Int32(MNT_DETACH)) }
        try scratch.open().apply([.putRequest(.sample(1, "a"))], durability: .full)
        // A process forked by another test keeps the store open until it executes its program.
        var tries = 1
        while mount("tmpfs", scratch.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) != 0 {
            try #require(errno == EBUSY && tries < 100_000)
            tries += 1
            sched_yield()
        }
        for readOnly in [true, false] {
            let error = #expect(throws: StoreError.self) {
                _ = try Store.open(scratch.database, readOnly: readOnly).request("a")
            }
            #expect(error == .readOnly(path: scratch.database))
        }
        let state = try StateDirectory(
            app: "app", override: scratch.path, environment: [:], userID: 1)
        let noDirectory = #expect(throws: StateDirectoryError.self) { try state.create() }
        let lock = scratch.path + "/host.lock"
        let noLock = #expect(throws: HostLockError.self) {
            _ = try HostLock.acquire(
                lock,
                as: HostLock.Holder(
                    pid: 1, started: WallTime(milliseconds: 1), manifest: "/a.yaml", version: "1"))
        }
        let messages: [(path: String, text: String?)] = [
            (scratch.database, StoreError.readOnly(path: scratch.database).message),
            (state.path, noDirectory?.message), (lock, noLock?.message),
        ]
        for message in messages {
            let start = "\(message.path) is on a read-only file system; remount it for writing"
            #expect(message.text?.hasPrefix(start) == true, "\(message.text ?? "")")
        }
    }

    /// Whether this process may mount: some containers do not permit it.
    static let mayMount: Bool = {
        guard let scratch = try? Scratch(),
            mount("tmpfs", scratch.path, "tmpfs", 0, "size=64k") == 0
        else { return false }
        umount2(scratch.path, Int32(MNT_DETACH))
        return true
    }()

    /// Contents that another program writes into the database in place.
    static let contents: [(name: String, bytes: Data)] = [
        ("noise", Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
        ("nothing", Data()),
        ("zeros", Data(count: 1 << 20)),
    ]

    @Test("a database that was overwritten in place is no longer written", arguments: contents)
    func overwritten(_ content: (name: String, bytes: Data)) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.apply([.putRequest(.sample(1, "a"))], durability: .full)
        let file = try #require(FileHandle(forWritingAtPath: scratch.database))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: content.bytes)
        try file.close()
        #expect(throws: StoreError.replaced(path: scratch.database)) {
            try store.apply([.putRequest(.sample(2, "b"))], durability: .full)
        }
    }

    @Test(
        "a store whose log was removed, replaced or truncated is no longer written",
        arguments: ["-wal", "-shm"], [true, false])
    func logGone(_ suffix: String, _ isRemoved: Bool) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.apply([.putRequest(.sample(1, "a"))], durability: .full)
        let name = scratch.database + suffix
        if isRemoved || suffix == "-shm" { try FileManager.default.removeItem(atPath: name) }
        if !isRemoved {
            // The log keeps its inode; the index gets another one.
            let file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            #expect(file >= 0 && close(file) == 0)
        }
        #expect(throws: StoreError.replaced(path: scratch.database)) {
            try store.apply([.putRequest(.sample(2, "b"))], durability: .full)
        }
    }

    @Test("a checkpoint of the log by another connection stops nothing")
    func checkpointed() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        for id: Int64 in 1...3 {
            try store.apply([.putRequest(.sample(id, "a\(id)"))], durability: .full)
            try scratch.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        #expect(try store.pendingCount() == 3)
    }

    @Test("a change waits for another writer as long as the caller permits, and is never partial")
    func busy() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let other = try scratch.connect()
        try other.execute("BEGIN IMMEDIATE")
        #expect(throws: StoreError.busy(path: scratch.database)) {
            try store.apply(
                [.putRequest(.sample(1, "a"))], durability: .full, timeout: .milliseconds(1))
        }
        #expect(throws: StoreError.busy(path: scratch.database)) {
            _ = try store.prune(
                keepAttempts: 1, olderThan: WallTime(milliseconds: 9), timeout: .zero)
        }
        try other.execute("COMMIT")
        try store.apply(
            [.putRequest(.sample(1, "a"))], durability: .full, timeout: .milliseconds(1))
        #expect(try store.pendingCount() == 1)
    }
}
