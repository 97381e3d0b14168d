// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunStorage

@Suite("The files of an app's open transfers", .timeLimit(.minutes(5)))
struct TransferWitnessTests {
    let scratch: Scratch
    let path: String
    let error: StoreError

    init() throws {
        scratch = try Scratch()
        path = scratch.path + "/transfers.sqlite"
        error = .replaced(path: path)
    }

    private func remove(_ ends: String...) throws {
        for end in ends { try FileManager.default.removeItem(atPath: path + end) }
    }

    /// The bytes of the transfers of another app, which are closed.
    private func others() throws -> Data {
        let other = scratch.path + "/others.sqlite"
        _ = try TransferStore.open(other).add(.sample, at: .sample(7))
        return try Data(contentsOf: URL(filePath: other))
    }

    /// Overwrites the database in place.
    private func overwrite(_ bytes: Data) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test(
        "that were removed or replaced are neither read nor written",
        arguments: ["", "-wal", "-shm"], [false, true])
    func replaced(_ end: String, isReplaced: Bool) throws {
        let store = try TransferStore.open(path)
        let id = try store.add(.sample, at: .sample(1))
        #expect(try store.want(.paused, of: id))
        try remove(end)
        if isReplaced { try Data("other".utf8).write(to: URL(filePath: path + end)) }
        #expect(throws: error) { try store.add(.sample, at: .sample(2)) }
        #expect(throws: error) { try store.want(.run, of: id) }
        #expect(throws: error) { try store.noteDelivered([id]) }
        for durability in [Durability.full, .normal] {
            #expect(throws: error) { try store.save([(id, .full)], durability) }
        }
        #expect(throws: error) { try store.transfers(.all) }
        #expect(throws: error) { try store.checkFiles() }
    }

    @Test("that another app's overwrite in place are not written")
    func overwritten() throws {
        let store = try TransferStore.open(path)
        _ = try store.add(.sample, at: .sample(1))
        let bytes = try others()
        try overwrite(bytes)
        #expect(throws: error) { try store.add(.sample, at: .sample(2)) }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test("that an earlier copy overwrites in place are not written")
    func earlierCopy() throws {
        let store = try TransferStore.open(path)
        let other = try Database(path, .write, timeout: 5)
        _ = try store.add(.sample, at: .sample(1))
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let copy = try Data(contentsOf: URL(filePath: path))
        _ = try store.add(.sample, at: .sample(2))
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try overwrite(copy)
        #expect(throws: error) { try store.add(.sample, at: .sample(3)) }
        #expect(try Data(contentsOf: URL(filePath: path)) == copy)
    }

    @Test("with a log that a connection copies into the database are still the opened ones")
    func checkpoint() throws {
        let (first, second) = (try TransferStore.open(path), try TransferStore.open(path))
        var expected: [Int64] = []
        for number: Int64 in 1...4 {
            expected.append(try first.add(.sample, at: .sample(number)))
            let before = try FileManager.default.attributesOfItem(atPath: path)
            let other = try Database(path, .write, timeout: 5)
            try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            let after = try FileManager.default.attributesOfItem(atPath: path)
            #expect(before[.modificationDate] as? Date != after[.modificationDate] as? Date)
            expected.append(try second.add(.sample, at: .sample(number)))
        }
        #expect(try first.transfers(.all).map(\.id) == expected)
        #expect(try second.transfers(.all).map(\.id) == expected)
    }

    @Test("do not miss a log that the last writer removes, to a reader")
    func reader() throws {
        let store = try TransferStore.open(path)
        let id = try store.add(.sample, at: .sample(1))
        let reader = try TransferStore.open(path, readOnly: true)
        try remove("-wal")
        #expect(try reader.transfers(.all).map(\.id) == [id])
        withExtendedLifetime(store) {}
    }

    @Test("that were replaced leave the log of the new ones when closed", arguments: [true, false])
    func closed(isNoticed: Bool) throws {
        var old: TransferStore? = try TransferStore.open(path)
        _ = try old?.add(.sample, at: .sample(1))
        try remove("", "-wal", "-shm")
        do {
            let new = try TransferStore.open(path)
            let ids = [try new.add(.sample, at: .sample(2)), try new.add(.sample, at: .sample(3))]
            if isNoticed { #expect(throws: error) { try old?.checkFiles() } }
            old = nil
            #expect(access(path + "-wal", F_OK) == 0)
            #expect(try TransferStore.open(path).transfers(.all).map(\.id) == ids)
            withExtendedLifetime(new) {}
        }
    }

    @Test("with the log of other transfers are not opened for writing")
    func foreignLog() throws {
        let bytes = try others()
        do {
            let store = try TransferStore.open(path)
            try store.state(.unknown, TransferPolicy())
            _ = try store.add(.sample, at: .sample(1))
            try overwrite(bytes)
        }
        #expect(throws: StoreError.foreignLog(path: path)) { try TransferStore.open(path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        try remove("-wal", "-shm")
        #expect(try TransferStore.open(path).transfers(.all).map(\.submitted) == [.sample(7)])
    }

    @Test("have a number from the beginning, and transfers of an older bgrun get one")
    func number() throws {
        try StoreFile.create(path, .transfers(timeout: 1))
        let number = try #require(StoreIdentity.inFile(path))
        let other = try Database(path, .write, timeout: 5)
        try other.execute("DELETE FROM fact WHERE name = 'store'; PRAGMA wal_checkpoint(TRUNCATE)")
        _ = try TransferStore.open(path)
        let found = try StoreIdentity.read(other)
        #expect(found != nil && found != number)
    }

    @Test("whose database is missing beside its log are not taken for an app without transfers")
    func orphaned() throws {
        let store = try TransferStore.open(path)
        _ = try store.add(.sample, at: .sample(1))
        try remove("")
        for readOnly in [true, false] {
            #expect(throws: StoreError.orphaned(path: path)) {
                try TransferStore.open(path, readOnly: readOnly)
            }
        }
        try remove("-wal", "-shm")
        #expect(throws: StoreError.missing(path: path)) {
            try TransferStore.open(path, readOnly: true)
        }
    }
}
