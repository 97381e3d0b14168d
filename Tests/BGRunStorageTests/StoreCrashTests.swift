// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunStorage

@Suite("The store after crashes", .timeLimit(.minutes(10)))
struct StoreCrashTests {
    /// BGRUN_SEED repeats the choices of a run, but not the exact moments of the kills.
    let seed =
        ProcessInfo.processInfo.environment["BGRUN_SEED"].flatMap(UInt64.init)
        ?? .random(in: 1...UInt64.max)

    /// Numbers below 2^31 from Knuth's generator.
    private func numbers() -> some Sequence<UInt64> {
        sequence(state: seed) { state in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }

    @Test("every acknowledged request survives repeated kill -9")
    func kill() throws {
        print("crash test: BGRUN_SEED=\(seed)")
        let scratch = try Scratch()
        var acknowledged: Set<Int64> = []
        for (round, number) in numbers().prefix(20).enumerated() {
            let probe = try Probe("submit", scratch.database, "\(number)")
            for _ in 0..<number % 60 {
                guard let id = probe.readLine().flatMap(Int64.init) else { break }
                acknowledged.insert(id)
            }
            probe.kill()
            while let id = probe.readLine().flatMap(Int64.init) { acknowledged.insert(id) }

            let found = try ids(in: scratch)
            #expect(acknowledged.subtracting(found) == [], "round \(round), BGRUN_SEED=\(seed)")
            #expect(try scratch.integrity() == "ok", "round \(round), BGRUN_SEED=\(seed)")
        }
        #expect(acknowledged.count > 100)
    }

    @Test("a message and its request are stored together or not at all")
    func killPushes() throws {
        print("crash test: BGRUN_SEED=\(seed)")
        let scratch = try Scratch()
        var acknowledged: Set<Int64> = []
        for (round, number) in numbers().prefix(10).enumerated() {
            let probe = try Probe("push", scratch.database)
            for _ in 0..<number % 60 {
                guard let id = probe.readLine().flatMap(Int64.init) else { break }
                acknowledged.insert(id)
            }
            probe.kill()
            while let id = probe.readLine().flatMap(Int64.init) { acknowledged.insert(id) }

            let store = try scratch.open()
            let held = try store.heldPushes()
            #expect(acknowledged.subtracting(held.map(\.id)) == [], "round \(round)")
            #expect(
                try held.map(\.request) == store.pending(limit: .max).map(\.id).sorted(),
                "round \(round), BGRUN_SEED=\(seed)")
            #expect(try store.nextPushID() > held.last?.id ?? 0)
            #expect(try scratch.integrity() == "ok", "round \(round), BGRUN_SEED=\(seed)")
        }
        #expect(acknowledged.count > 50)
    }

    @Test("a power cut that tears the log leaves complete changes only")
    func tornLog() throws {
        print("torn log test: BGRUN_SEED=\(seed)")
        let whole = try Scratch()
        let store = try whole.open()
        for id in Int64(1)...60 {
            try store.apply(.putRequest(.sample(id, "com.example.\(id)")), .event(id))
        }
        let files = try whole.contents()
        let log = try #require(files["bgrun.sqlite-wal"])
        var survivors: Set<Int> = []
        for number in numbers().prefix(40) {
            let kept = Int(number) % log.count
            // Bytes that were not synced are missing, or have the old content of the disk.
            let lost = Data(repeating: number.isMultiple(of: 2) ? 0 : 0xA5, count: log.count - kept)
            let torn = try Scratch()
            try files["bgrun.sqlite"]?.write(to: URL(fileURLWithPath: torn.database))
            try (log.prefix(kept) + (number.isMultiple(of: 3) ? Data() : lost))
                .write(to: URL(fileURLWithPath: torn.database + "-wal"))

            let found = try torn.open()
            let ids = try found.pending(limit: .max).map(\.id).sorted()
            #expect(ids == Array(1...60).prefix(ids.count).map(Int64.init), "BGRUN_SEED=\(seed)")
            #expect(try found.events(limit: 99).count == ids.count, "BGRUN_SEED=\(seed)")
            #expect(try found.pendingCount() == ids.count)
            survivors.insert(ids.count)
            #expect(try torn.integrity() == "ok", "kept \(kept), BGRUN_SEED=\(seed)")
        }
        #expect(survivors.count > 5)
    }

    /// The ids of all requests; each must be pending, running or recorded, and only once.
    private func ids(in scratch: Scratch) throws -> Set<Int64> {
        let store = try scratch.open()
        let all =
            try store.pending(limit: .max).map(\.id)
            + store.running().map(\.attempt.request.id)
            + store.history(limit: .max).map(\.request)
        let (restored, interrupted) = try store.restoration()
        #expect(Set(all).count == all.count)
        #expect(restored.nextRequestID > all.max() ?? 0)
        #expect(interrupted.count == (try store.running().count))
        #expect(try store.pendingCount() == restored.requests.count)
        return Set(all)
    }
}
