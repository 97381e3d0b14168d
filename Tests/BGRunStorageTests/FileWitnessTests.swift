// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunStorage

@Suite("The files of an open store", .timeLimit(.minutes(5)))
struct FileWitnessTests {
    let scratch: Scratch
    let error: StoreError

    init() throws {
        scratch = try Scratch()
        error = .replaced(path: scratch.database)
    }

    private var log: String { scratch.database + "-wal" }

    private func size(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.size] as? Int)
    }

    /// The bytes of another, closed store.
    private func otherStore() throws -> Data {
        let other = try Scratch()
        do {
            let store = try other.open()
            try store.apply([.putRequest(.sample(7, "z"))], durability: .full)
        }
        return try Data(contentsOf: URL(fileURLWithPath: other.database))
    }

    /// Overwrites a file in place.
    private func overwrite(_ path: String, _ bytes: Data) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// A change that adds 100 KB to the log.
    private func large(_ number: Int) -> StoreChange {
        .putCheckpoint(
            identifier: "\(number)", version: 1, data: [UInt8](repeating: 7, count: 100_000))
    }

    /// The number of checkpoints in the file, without those in the log.
    private func folded() throws -> Int {
        let file = try Database(scratch.database, .readFileAlone, timeout: 0)
        return try file.value("SELECT count(*) FROM checkpoint") ?? -1
    }

    @Test("a renamed parent directory is noticed by the first change of the next second")
    func renamedParent() throws {
        let store = try scratch.open()
        var second: time_t = 1
        store.file.second = { second }
        try store.checkFiles()
        let moved = scratch.path + "-moved"
        try FileManager.default.moveItem(atPath: scratch.path, toPath: moved)
        defer { try? FileManager.default.removeItem(atPath: moved) }
        func change(_ number: Int64) throws {
            try store.apply([.putRequest(.sample(number, "a"))], durability: .normal)
        }
        for number: Int64 in 1...3 { try change(number) }
        second = 2
        #expect(throws: error) { try change(4) }
    }

    @Test(
        "another store that overwrites it in place is noticed and not written",
        arguments: [true, false])
    func otherInPlace(isLogEmpty: Bool) throws {
        let bytes = try otherStore()
        do {
            let store = try scratch.open()
            try store.apply([.putRequest(.sample(1, "a"))], durability: .full)
            if isLogEmpty { try scratch.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
            try store.checkFiles()
            try overwrite(scratch.database, bytes)
            #expect(throws: error) { try store.checkFiles() }
            #expect(throws: error) {
                try store.apply([.putRequest(.sample(2, "b"))], durability: .full)
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == bytes)
    }

    @Test(
        "an earlier copy that overwrites it in place is noticed, also beside a newer log",
        arguments: [true, false])
    func earlierCopy(isLogEmpty: Bool) throws {
        let store = try scratch.open()
        func change(_ number: Int64) throws {
            try store.apply([.putRequest(.sample(number, "a"))], durability: .full)
        }
        func copyLog() throws { try scratch.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        try change(1)
        try copyLog()
        let copy = try Data(contentsOf: URL(fileURLWithPath: scratch.database))
        try change(2)
        try copyLog()
        if !isLogEmpty { try change(3) }
        try overwrite(scratch.database, copy)
        #expect(throws: error) { try change(4) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == copy)
    }

    @Test("an invalid number of synced commits begins again")
    func invalidCommits() throws {
        let store = try scratch.open()
        try store.apply([.putRequest(.sample(1, "a"))], durability: .full)
        for value in [Int64.max, -1, 0] {
            try scratch.execute("UPDATE fact SET value = \(value) WHERE name = 'commits'")
            for count: Int64 in 1...2 {
                try store.apply([.putRequest(.sample(count, "a"))], durability: .full)
                #expect(try store.access { try StoreIdentity.commits($0) } == count)
            }
        }
    }

    @Test("another store that overwrites it is not written when the store is closed")
    func closed() throws {
        let bytes = try otherStore()
        do {
            let store = try scratch.open()
            try store.apply([.putRequest(.sample(1, "a"))], durability: .normal)
            try overwrite(scratch.database, bytes)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == bytes)
    }

    @Test("the log of a store is not applied to another store in its place")
    func foreignLog() throws {
        let bytes = try otherStore()
        do {
            let store = try scratch.open()
            // Reads the page with the store's number, and thereby writes it to the log.
            try store.apply([.putRequest(.sample(1, "a"))], durability: .full)
            try overwrite(scratch.database, bytes)
        }
        #expect(throws: StoreError.foreignLog(path: scratch.database)) { try scratch.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == bytes)
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: scratch.database + suffix)
        }
        #expect(try scratch.open().request("a") == nil)
    }

    @Test("a store keeps its number, which differs from the number of any other store")
    func number() throws {
        func number() throws -> Int64 {
            _ = try scratch.open()
            return try #require(StoreIdentity.inFile(scratch.database))
        }
        let first = try number()
        #expect(try first > 0 && number() == first)
        let reader = try Store.open(scratch.database, readOnly: true)
        #expect(try reader.access { try StoreIdentity.read($0) } == first)
        let other = try Scratch()
        _ = try other.open()
        #expect(StoreIdentity.inFile(other.database) != first)
    }

    @Test(
        "a store with a missing or invalid number gets one when it is opened for writing",
        arguments: ["DELETE FROM fact", "UPDATE fact SET value = -1", "UPDATE fact SET value = 0"])
    func invalidNumber(_ change: String) throws {
        _ = try scratch.open()
        try scratch.execute(change + " WHERE name = 'store'")
        _ = try Store.open(scratch.database, readOnly: true)
        #expect(StoreIdentity.inFile(scratch.database) == nil)
        let store = try scratch.open()
        // The number is in the file at once, not only in the log.
        let found = try #require(StoreIdentity.inFile(scratch.database))
        #expect(found > 0)
        #expect(try store.access { try StoreIdentity.read($0) } == found)
    }

    @Test("a long log is copied into the file and restarted")
    func fold() throws {
        let store = try scratch.open()
        var longest = 0
        for number in 1...90 {
            try store.apply([large(number)], durability: .normal)
            longest = max(longest, try size(log))
        }
        #expect(try folded() >= 35)
        #expect(longest < 4_500 * 1_048)
        #expect(throws: Never.self) { try store.checkFiles() }
        #expect(try store.checkpointed().count == 90)
    }

    @Test("a reader that needs the log keeps it without blocking others")
    func reader() throws {
        let store = try scratch.open()
        let reader = try scratch.connect()
        try reader.execute("BEGIN; SELECT * FROM fact")
        for number in 1...50 { try store.apply([large(number)], durability: .normal) }
        #expect(try folded() == 0)
        try reader.execute("COMMIT")
        try store.apply([large(51)], durability: .full)
        #expect(try folded() == 51)
    }

    @Test("a long log is not copied into a file with which another program replaced the store")
    func noFold() throws {
        let bytes = try otherStore()
        let store = try scratch.open()
        // Disables the check of each second, which would notice the file first.
        let second = store.file.second()
        store.file.second = { second }
        try FileManager.default.removeItem(atPath: scratch.database)
        try bytes.write(to: URL(fileURLWithPath: scratch.database))
        #expect(throws: error) {
            for number in 1...60 { try store.apply([large(number)], durability: .normal) }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == bytes)
    }

    @Test("a write of another program during a checkpoint is found")
    func afterFold() throws {
        let store = try scratch.open()
        for number in 1...45 { try store.apply([large(number)], durability: .normal) }
        #expect(try folded() > 0)
        try overwrite(scratch.database, Data(count: 1 << 20))
        #expect(throws: error) { try store.checkFiles() }
    }

    @Test("are not checked again in the second in which the store was opened")
    func opened() throws {
        let second = try scratch.open().file.second
        // Repeated if the second changes while the store is opened.
        var isDue = true
        var before: time_t
        repeat {
            before = second()
            isDue = try scratch.open().file.isDue
        } while second() != before && !Task.isCancelled
        #expect(!isDue)
    }

    @Test("an answer without changes checks the files, too")
    func emptyAnswer() throws {
        let store = try scratch.open()
        try FileManager.default.removeItem(atPath: scratch.database)
        #expect(throws: Never.self) { try store.apply([], durability: .normal) }
        #expect(throws: error) { try store.apply([], durability: .full) }
    }

    @Test("a log that was truncated after its last synced byte is noticed")
    func cut() throws {
        let store = try scratch.open()
        try store.apply([large(1)], durability: .full)
        let kept = try size(log)
        for number in 2...5 { try store.apply([large(number)], durability: .normal) }
        #expect(truncate(log, kept) == 0)
        #expect(throws: error) { try store.apply([large(6)], durability: .full) }
    }

    @Test("a shortage of descriptors is not taken for another file")
    func shortage() throws {
        let probe = try Probe("shortage", scratch.database)
        #expect(probe.readLine() == "open")
        try scratch.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try probe.writeLine()
        #expect(probe.readLine() == "checked")
        probe.process.waitUntilExit()
    }

    @Test("opening, using and closing stores starts no thread")
    func threads() throws {
        let probe = try Probe("threads", scratch.database)
        #expect(probe.readLine() == "1 before, 1 after")
        probe.process.waitUntilExit()
    }
}
