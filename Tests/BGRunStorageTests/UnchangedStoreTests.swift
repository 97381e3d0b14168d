// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunStorage

@Suite("A store that its first change opens for writing", .timeLimit(.minutes(10)))
struct UnchangedStoreTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func write(_ number: Int64) throws {
        try Store.open(scratch.database, app: "org.test.app").apply(
            .putRequest(.sample(number, "test.\(number)")))
    }

    private func open(app: String = "org.test.app") throws -> Store {
        try Store.open(scratch.database, app: app, whenChanged: true)
    }

    @Test("is read without changes to its files, then written")
    func change() throws {
        try write(1)
        let before = try scratch.contents()
        let store = try open()
        #expect(try store.pendingCount() == 1)
        #expect(try scratch.contents() == before)
        for number in [2, 3] as [Int64] {
            try store.apply(.putRequest(.sample(number, "test.\(number)")))
        }
        #expect(try store.pendingCount() == 3)
        #expect(try Store.open(scratch.database, readOnly: true).pendingCount() == 3)
    }

    @Test("is opened at once if it has a log, or if it has to be created")
    func log() throws {
        #expect(try open().pendingCount() == 0)
        let other = try scratch.open()
        try other.apply(.putRequest(.sample(1)))
        #expect(try open().pendingCount() == 1)
        withExtendedLifetime(other) {}
    }

    @Test("gets an owner, and refuses another app")
    func owner() throws {
        try scratch.open().apply(.putRequest(.sample(1)))
        _ = try open()
        let refusal = StoreError.ofAnotherApp(
            path: scratch.database, owner: "org.test.app", app: "org.test.other")
        #expect(throws: refusal) { try open(app: "org.test.other") }
    }

    @Test("is not changed if it was replaced meanwhile")
    func replaced() throws {
        try write(1)
        let store = try open()
        let copy = scratch.database + ".copy"
        try FileManager.default.copyItem(atPath: scratch.database, toPath: copy)
        try FileManager.default.removeItem(atPath: scratch.database)
        try FileManager.default.moveItem(atPath: copy, toPath: scratch.database)
        #expect(throws: StoreError.replaced(path: scratch.database)) {
            try store.apply(.putRequest(.sample(2, "test.2")))
        }
        #expect(try Store.open(scratch.database, readOnly: true).pendingCount() == 1)
    }

    @Test(
        "is opened at once if it has a file of another process",
        arguments: ["journal", "wal", "shm"])
    func beside(_ suffix: String) throws {
        try write(1)
        #expect(try open().isUnchanged)
        try Data().write(to: URL(fileURLWithPath: scratch.database + "-" + suffix))
        let store = try open()
        #expect(!store.isUnchanged)
        #expect(try store.pendingCount() == 1)
    }

    @Test(
        "is opened at once if it is not in WAL mode, has an older schema or a count that is out of range"
    )
    func mustChange() throws {
        try write(1)
        try scratch.execute("UPDATE fact SET value = -1 WHERE name LIKE 'pending:%'")
        do {
            let counted = try open()
            #expect(try !counted.isUnchanged && counted.pendingCount() == 1)
        }
        try scratch.execute("PRAGMA journal_mode = DELETE")
        #expect(try !open().isUnchanged)
        let older = try Scratch()
        try older.execute(Fixture(version: 1).sql)
        let migrated = try Store.open(older.database, whenChanged: true)
        #expect(!migrated.isUnchanged)
    }

    @Test("is busy at its first change while another program reads it in another mode")
    func busy() throws {
        try write(1)
        let store = try open()
        let other = try scratch.connect()
        try other.execute("PRAGMA journal_mode = DELETE; BEGIN; SELECT * FROM fact")
        #expect(throws: StoreError.busy(path: scratch.database)) {
            try store.apply([.putRequest(.sample(2))], durability: .normal, timeout: .zero)
        }
        #expect(store.isUnchanged)
        try other.execute("COMMIT")
        try store.apply(.putRequest(.sample(2)))
        #expect(try store.pendingCount() == 2)
    }
}
