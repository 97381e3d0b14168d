// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunStorage

@Suite("Store transactions", .timeLimit(.minutes(10)))
struct StoreTransactionTests {
    let scratch: Scratch
    let store: Store

    init() throws {
        scratch = try Scratch()
        store = try scratch.open()
    }

    @Test("a change that fails undoes all, and the next ones work")
    func allOrNothing() throws {
        #expect(throws: StoreError.notRunning(attempt: 9)) {
            try store.apply(
                .putRequest(.sample(1)), .putCheckpoint(identifier: "a", version: 1, data: [1]),
                .event(1), .end(9, tick: 1))
        }
        #expect(try store.pendingCount() == 0)
        #expect(try store.checkpoint("a") == nil)
        #expect(try store.events(limit: 1).isEmpty)
        #expect(try store.restoration().0.nextRequestID == 1)
        try store.apply(.putRequest(.sample(1)), .event(2))
        #expect(try store.pendingCount() == 1)
    }

    @Test("an attempt cannot begin twice nor end twice")
    func twice() throws {
        let begin = StoreChange.beginAttempt(.sample(1, of: .sample(1)), worker: nil)
        try store.apply(begin)
        let error = #expect(throws: StoreError.self) { try store.apply(begin) }
        guard case .rejected = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try store.apply(.end(1, tick: 5))
        #expect(throws: StoreError.notRunning(attempt: 1)) { try store.apply(.end(1, tick: 6)) }
        #expect(try store.history(limit: 9).map(\.ended) == [WallTime(milliseconds: 5)])
    }

    @Test("a change for an ended attempt has no effect")
    func late() throws {
        try store.apply(.beginAttempt(.sample(1, of: .sample(1)), worker: nil), .end(1, tick: 5))
        let before = try store.history(limit: 9)
        try store.apply(.expiring(attempt: 1, .time, at: .sample(6)))
        #expect(try store.history(limit: 9) == before)
        #expect(try store.running().isEmpty)
    }

    @Test("`full` syncs the commit, `normal` does not, in any order")
    func durability() throws {
        func level() throws -> Int? {
            try store.access { try $0.value("PRAGMA synchronous") }
        }
        #expect(try level() == 1)
        for durability in [Durability.full, .full, .normal, .full, .normal] {
            try store.apply([.event(1)], durability: durability)
            #expect(try level() == (durability == .full ? 2 : 1))
        }
    }

    @Test("a full disk is reported and loses nothing that was stored")
    func fullDisk() throws {
        try store.apply(.putRequest(.sample(1)))
        try store.access { try $0.execute("PRAGMA max_page_count = 1") }
        let large = [UInt8](repeating: 7, count: 100_000)
        #expect(throws: StoreError.full(path: scratch.database)) {
            try store.apply(
                .putRequest(.sample(2)), .putCheckpoint(identifier: "a", version: 1, data: large))
        }
        #expect(try store.pending(limit: 9).map(\.id) == [1])
        try store.access { try $0.execute("PRAGMA max_page_count = 100000") }
        try store.apply(.putCheckpoint(identifier: "a", version: 1, data: large))
        #expect(try store.checkpoint("a")?.data == large)
        #expect(try scratch.integrity() == "ok")
    }

    @Test("a write that the kernel refuses loses nothing that was acknowledged")
    func failingDisk() throws {
        let probe = try Probe("small-disk", scratch.path + "/small.sqlite", "100000")
        var acknowledged: [Int64] = []
        var failures = 0
        while let line = probe.readLine() {
            if let id = Int64(line) { acknowledged.append(id) } else { failures += 1 }
        }
        probe.process.waitUntilExit()
        #expect(probe.process.terminationStatus == 0)
        #expect(failures == 1)
        let reopened = try Store.open(scratch.path + "/small.sqlite")
        #expect(try reopened.pending(limit: .max).map(\.id).sorted() == acknowledged)
    }

    @Test("a reader reads committed changes of a writer, and cannot write")
    func reader() throws {
        let reader = try Store.open(scratch.database, readOnly: true)
        #expect(!reader.isWritable && store.isWritable)
        try store.apply(.putRequest(.sample(1)))
        #expect(try reader.pendingCount() == 1)
        #expect(throws: StoreError.self) { try reader.apply(.putRequest(.sample(2))) }
        #expect(try reader.pendingCount() == 1)
    }

    @Test("a snapshot excludes later writes")
    func snapshot() throws {
        let reader = try Store.open(scratch.database, readOnly: true)
        let counts = try reader.snapshot {
            let before = try reader.pendingCount()
            try store.apply(.putRequest(.sample(1)))
            return [before, try reader.pendingCount()]
        }
        #expect(counts == [0, 0])
        #expect(throws: StoreError.notRunning(attempt: 1)) {
            try reader.snapshot { throw StoreError.notRunning(attempt: 1) }
        }
        #expect(try reader.pendingCount() == 1)
    }
}
