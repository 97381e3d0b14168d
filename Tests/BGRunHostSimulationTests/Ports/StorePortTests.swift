// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunHostSimulation
import BGRunPolicy
import BGRunSimulation
import BGRunStorage
import Testing

@Suite("The store port", .timeLimit(.minutes(5)))
struct StorePortTests {
    @Test(
        "a request is pending, runs and is recorded, and survives the process",
        arguments: StoreArm.allCases)
    func life(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        let request = TaskRequest.sample(3)
        let attempt = Attempt.sample(5, of: request)
        try bench.open().apply(.putRequest(request))
        var reading = try Reading(bench.open())
        #expect(reading.requests == [request] && reading.nextRequest == 4)
        try bench.open().apply(.beginAttempt(attempt, worker: .sample))
        reading = try Reading(bench.open())
        #expect(reading.requests.isEmpty && reading.nextAttempt == 6)
        #expect(reading.running.map(\.attempt) == [attempt])
        #expect(reading.running.map(\.worker) == [.sample])
        #expect(reading.interrupted == [InterruptedAttempt(id: 5, request: request)])
        #expect(reading.lastLaunches == ["org.test.a": attempt.launched.wall])
        try bench.open().apply(.end(5, .failed, tick: 9), .putRequest(request))
        reading = try Reading(bench.open())
        #expect(reading.requests == [request] && reading.running.isEmpty)
        #expect(reading.history.map(\.outcome) == [.failed])
        #expect(reading.history.first?.duration == .milliseconds(4))
        #expect(reading.history.first?.worker == 7 && reading.history.first?.request == 3)
    }

    @Test(
        "a cancelled interrupted attempt is listed apart until its end is stored",
        arguments: StoreArm.allCases)
    func cancelled(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        defer { withExtendedLifetime(bench) {} }
        let store = try bench.open()
        for id: Int64 in 1...2 {
            let request = TaskRequest.sample(id, "org.test.\(id)")
            try store.apply(.beginAttempt(.sample(id, of: request), worker: nil))
        }
        try store.apply(.cancelAttempt(2))
        var reading = try Reading(store)
        #expect(reading.interrupted.map(\.id) == [1] && reading.cancelled.map(\.id) == [2])
        #expect(reading.running.map(\.attempt.id) == [1, 2])
        try store.apply(.end(2, .interrupted, tick: 9))
        reading = try Reading(store)
        #expect(reading.interrupted.map(\.id) == [1] && reading.cancelled.isEmpty)
    }

    @Test(
        "a newer request replaces the pending one of its identifier", arguments: StoreArm.allCases)
    func replacement(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        defer { withExtendedLifetime(bench) {} }
        let store = try bench.open()
        try store.apply(.putRequest(.sample(1)), .putRequest(.sample(2)))
        #expect(try Reading(store).requests == [.sample(2)])
        try store.apply(.removeRequest(identifier: "org.test.a"))
        try store.apply(.removeRequest(identifier: "org.test.a"))
        #expect(try Reading(store).requests.isEmpty)
        #expect(try Reading(store).nextRequest == 3)
    }

    @Test(
        "a batch with an invalid change is refused as a whole",
        arguments: StoreArm.allCases)
    func refusals(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        defer { withExtendedLifetime(bench) {} }
        let store = try bench.open()
        let attempt = Attempt.sample(1, of: .sample(1))
        try store.apply(.beginAttempt(attempt, worker: nil))
        let before = try Reading(store)
        #expect(throws: StoreError.notRunning(attempt: 2)) {
            try store.apply(.putRequest(.sample(8)), .end(2, tick: 3))
        }
        #expect(try Reading(store) == before)
        #expect(throws: StoreError.self) {
            try store.apply(.putRequest(.sample(8)), .beginAttempt(attempt, worker: nil))
        }
        #expect(try Reading(store) == before)
        // The store can still be used.
        try store.apply(.end(1, tick: 3))
        #expect(throws: StoreError.notRunning(attempt: 1)) { try store.apply(.end(1, tick: 4)) }
        #expect(try Reading(store).history.count == 1)
    }

    @Test(
        "all implementations give the same answers to the same changes",
        arguments: 1...12 as ClosedRange<UInt64>)
    func same(seed: UInt64) throws {
        let benches = try StoreArm.allCases.map { try StoreBench($0) }
        defer { withExtendedLifetime(benches) {} }
        let stores = try benches.map { try $0.open() }
        var random = SeededGenerator(seed: seed, stream: "store")
        for round in 0..<60 {
            let changes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Self.change(Int64(round), &random)
            }
            let durability: Durability = Bool.random(using: &random) ? .full : .normal
            var errors: [String] = []
            for store in stores {
                do throws(StoreError) {
                    try store.apply(changes, durability: durability, timeout: nil)
                    errors.append("none")
                } catch {
                    if case .rejected = error {
                        errors.append("rejected")
                    } else {
                        errors.append("\(error)")
                    }
                }
            }
            #expect(Set(errors).count == 1, "seed \(seed), round \(round): \(changes)")
            try Self.expectSame(stores, "seed \(seed), round \(round): \(changes)")
        }
        let date = WallTime(milliseconds: 40)
        for store in stores {
            while try store.prune(keepAttempts: 1, olderThan: date, rows: 500, timeout: nil) {}
        }
        try Self.expectSame(stores, "seed \(seed), pruned")
    }

    private static func expectSame(_ stores: [any HostStore], _ when: String) throws {
        let readings = try stores.map { try Reading($0) }
        for reading in readings.dropFirst() { #expect(reading == readings[0], "\(when)") }
    }

    private static func change(_ tick: Int64, _ random: inout SeededGenerator) -> StoreChange {
        let id = Int64.random(in: 1...12, using: &random)
        let identifier =
            ["org.test.a", "org.test.b", "org.test.c"].randomElement(using: &random) ?? ""
        let request = TaskRequest.sample(id, identifier)
        switch Int.random(in: 0..<25, using: &random) {
        case 0..<4: return .putRequest(request)
        case 4: return .removeRequest(identifier: identifier)
        case 5..<8:
            return .beginAttempt(
                Attempt.sample(id, of: request), worker: Bool.random(using: &random) ? .sample : nil
            )
        case 8: return .withdrawAttempt(id)
        case 9, 10: return .expiring(attempt: id, .time, at: .sample(tick))
        case 11..<14:
            let outcome: Outcome =
                [.completed, .failed, .interrupted, .expired(.time, reported: true)]
                .randomElement(using: &random) ?? .failed
            return .end(id, outcome, tick: 20 + tick)
        case 14: return .putCheckpoint(identifier: identifier, version: 1, data: [UInt8(id)])
        case 15: return .removeCheckpoint(identifier: identifier)
        case 16: return .remember([Fact("force-quit", Bool.random(using: &random) ? 1 : nil)])
        case 17, 22:
            return .output(
                attempt: id, .log, text: "line \(tick)", at: WallTime(milliseconds: tick))
        case 23, 24:
            let first = Int64.random(in: 1...4, using: &random)
            let number = Int64.random(in: 1...9, using: &random)
            return .lastOutput(
                attempt: id, replacing: first...(first + number % 3),
                [number, number + 1].map { .sample($0, text: "last \(tick)") })
        case 18:
            return .holdPush(
                PushMessage(
                    id: id, identifier: identifier, payload: "{}", collapseID: nil, priority: 5,
                    received: WallTime(milliseconds: tick), expires: nil, request: id))
        case 19: return .dropPush(id: id)
        case 20: return .fetched(attempt: id, .newData)
        default:
            return [
                .putFiring(StoredFiring(id: id, hook: "h", event: "{}")), .removeFiring(id: id),
                .rememberOfHooks(name: "n", value: id),
                .rememberVisit(plugin: "p", at: WallTime(milliseconds: id)),
                .processorTime(attempt: id, milliseconds: 5), .nextPush(id: id),
            ].randomElement(using: &random) ?? .nextPush(id: id)
        }
    }

    @Test(
        "a commit survives the end of its process, whatever its durability",
        arguments: StoreArm.allCases)
    func process(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        try bench.open().apply(.putRequest(.sample(1)), durability: .normal)
        try bench.open().apply(.putRequest(.sample(2, "org.test.b")), durability: .full)
        #expect(try Reading(bench.open()).requests.map(\.id) == [1, 2])
    }

    @Test(
        "while another program writes it can be read and checked, and changes are refused whole",
        arguments: StoreArm.allCases)
    func busy(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        defer { withExtendedLifetime(bench) {} }
        let store = try bench.open()
        let before = try Reading(store)
        try bench.whileBusy {
            #expect(throws: StoreError.busy(path: bench.path)) {
                try store.apply([.putRequest(.sample(2))], durability: .full, timeout: .zero)
            }
            #expect(throws: StoreError.busy(path: bench.path)) { try Self.prune(store) }
            try store.checkFiles()
            #expect(try Reading(store) == before)
        }
        try store.apply([.putRequest(.sample(2))], durability: .full, timeout: .zero)
        #expect(try Reading(store).requests == [.sample(2)])
    }

    @Test(
        "on a full disk it can be read and checked, and changes are refused whole",
        arguments: StoreArm.allCases)
    func full(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        defer { withExtendedLifetime(bench) {} }
        let store = try bench.open()
        try store.apply(.putRequest(.sample(1)))
        let data = [UInt8](repeating: 7, count: 100_000)
        let changes: [StoreChange] = [
            .putRequest(.sample(2)), .putCheckpoint(identifier: "c", version: 1, data: data),
        ]
        let before = try Reading(store)
        try bench.whileFull(store) {
            #expect(throws: StoreError.full(path: bench.path)) {
                try store.apply(changes, durability: .full, timeout: nil)
            }
            try store.checkFiles()
            #expect(try Reading(store) == before)
        }
        try store.apply(changes, durability: .full, timeout: nil)
        #expect(try Reading(store).requests == [.sample(2)])
        #expect(try store.checkpoint("c")?.data == data)
    }

    @Test("files put in place of the opened ones are noticed", arguments: StoreArm.allCases)
    func replaced(arm: StoreArm) throws {
        let bench = try StoreBench(arm)
        defer { withExtendedLifetime(bench) {} }
        let store = try bench.open()
        try store.apply(.putRequest(.sample(1)), durability: .full)
        try store.checkFiles()
        try bench.replace()
        let error = StoreError.replaced(path: bench.path)
        #expect(throws: error) { try store.checkFiles() }
        #expect(throws: error) { try store.apply(.putRequest(.sample(2)), durability: .full) }
        #expect(throws: error) { try Self.prune(store) }
        let new = try bench.open()
        try new.checkFiles()
        #expect(try Reading(new).requests.isEmpty)
    }

    private static func prune(_ store: any HostStore) throws {
        _ = try store.prune(
            keepAttempts: 1, olderThan: WallTime(milliseconds: 9), rows: 500, timeout: .zero)
    }
}

@Suite("The simulated disk", .timeLimit(.minutes(10)))
struct SimulatedDiskTests {
    private func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = SimulatedStore(disk)
        try store.apply(.putRequest(.sample(1, "a")), durability: .full)
        try store.apply(.putRequest(.sample(2, "b")))
        try store.apply(.putRequest(.sample(3, "c")))
        return disk
    }

    @Test(
        "a power cut loses only the newest commits, and none before a synced one",
        arguments: 0...3)
    func powerCut(kept: Int) throws {
        let disk = try disk()
        #expect(disk.unsyncedCommits == 2)
        disk.cutPower(keeping: kept)
        #expect(disk.current.requests.keys.sorted() == Array(["a", "b", "c"].prefix(kept + 1)))
        #expect(disk.unsyncedCommits == 0)
    }

    @Test("a synced commit syncs all earlier commits")
    func sync() throws {
        let disk = try disk()
        try SimulatedStore(disk).apply(.putRequest(.sample(4, "d")), durability: .full)
        disk.cutPower(keeping: 0)
        #expect(disk.current.requests.count == 4)
    }

    @Test("a refused commit does not appear after a power cut")
    func refusals() throws {
        let disk = try disk()
        let store = SimulatedStore(disk)
        disk.isBusy = true
        #expect(throws: StoreError.self) { try store.apply(.putRequest(.sample(9))) }
        (disk.isBusy, disk.isFull) = (false, true)
        #expect(throws: StoreError.self) { try store.apply(.putRequest(.sample(9))) }
        disk.cutPower(keeping: .max)
        #expect(disk.current.requests.count == 3)
    }
}
