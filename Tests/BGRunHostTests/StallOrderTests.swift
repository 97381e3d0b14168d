// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import CBGRunPlugin
import Glibc
import Testing

@testable import BGRunHost

@Suite("Events while the store is busy", .timeLimit(.minutes(5)))
struct StallOrderTests {
    private static let policy = "policy: {profile: server, store_wait: 2m}"

    /// A host in which attempt 1 of org.test.a runs.
    private func running(_ settings: String = "submit: manual") throws -> HostBench {
        let bench = try HostBench(
            HostBench.task("org.test.a", settings) + HostBench.task("org.test.b")
                + HostBench.task("org.test.c"), rest: Self.policy
        ).started()
        bench.launch("org.test.a")
        try #require(bench.supervisor.launched == [1])
        return bench
    }

    private func isExpired(_ attempt: Int64, _ bench: HostBench) -> Bool {
        bench.supervisor.calls.contains {
            if case .expire(attempt, _, _, _) = $0 { true } else { false }
        }
    }

    @Test(
        "keep the order of checkpoints: the last one is stored, although the store is free earlier")
    func checkpointOrder() throws {
        let bench = try running()
        let writer = try StoreWriter(bench)
        var answered: [UInt8] = []
        func put(_ number: UInt8) {
            bench.call(.putCheckpoint(version: 1, data: [number]), from: 1) {
                if $0.status == BGRUN_OK { answered.append(number) }
            }
        }
        put(1)
        // The store is released before the host retries.
        try writer.letGo()
        put(2)
        bench.clock.advance(by: .seconds(1))
        #expect(answered == [1, 2])
        #expect(try bench.stored().checkpoint("org.test.a")?.data == [2])
    }

    @Test("include a limited number of checkpoints; the next one is refused at once")
    func checkpointLimit() throws {
        let bench = try running()
        let writer = try StoreWriter(bench)
        var statuses: [Int32] = []
        func put() {
            bench.call(.putCheckpoint(version: 1, data: [7]), from: 1) {
                statuses.append($0.status)
            }
        }
        for _ in 0..<64 { put() }
        #expect(statuses == [])
        put()
        #expect(statuses == [BGRUN_E_IO])
        try writer.release()
        #expect(statuses == [BGRUN_E_IO] + Array(repeating: BGRUN_OK, count: 64))
    }

    @Test("do not expire an attempt that ended before the machine slept")
    func sleepAfterEnd() throws {
        let bench = try running("submit: manual\n  expiration: {after: 1m}")
        let writer = try StoreWriter(bench)
        bench.submit("org.test.b")
        bench.supervisor.shortage = .processes
        // Its launch is deferred; the engine handles this before the end of attempt 1.
        bench.submit("org.test.c")
        bench.supervisor.end(1)
        bench.clock.sleep(.hours(1))
        try writer.release()
        #expect(bench.log.has("too few processes"))
        #expect(!isExpired(1, bench))
        #expect(try bench.stored().ended(1)?.outcome == .completed)
    }

    @Test("do not end an attempt before it began: a worker that died meanwhile ran no time")
    func endBeforeLaunch() throws {
        let bench = try running()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.b")
        bench.clock.advance(by: .seconds(2))
        bench.supervisor.end(2, .crashed(signal: 9))
        bench.clock.advance(by: .seconds(3))
        try writer.release()
        let row = try #require(try bench.stored().ended(2))
        #expect(row.outcome == .crashed(signal: 9))
        #expect(row.ended == row.launched && row.duration == .zero)
    }

    @Test("do not count as the time until a handler begins")
    func entered() throws {
        let bench = try running()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.b")
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        try writer.release()
        try #require(bench.supervisor.launched == [1, 2])
        // A handler cannot begin before its launch.
        bench.supervisor.end(2, entered: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        #expect(try bench.stored().ended(2)?.entered == .zero)
    }

    @Test("that end the host: the log lists the ends that are not stored")
    func unstoredEnd() throws {
        let bench = try running()
        let writer = try StoreWriter(bench)
        bench.supervisor.end(1)
        bench.clock.advance(by: .minutes(3))
        #expect(bench.host.breakdown == .busy(path: bench.path))
        #expect(bench.log.has("The end of attempt 1 of org.test.a is not stored"))
        try writer.letGo()
    }

    @Test("leave no line of a launch that the end of the host has withdrawn")
    func withdrawn() throws {
        let bench = try running()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.b")
        bench.host.end()
        try writer.release()
        bench.settle()
        try #require(bench.supervisor.calls.contains(.withdraw(2)))
        let lines = try bench.stored().events(limit: 99).map(\.line)
        #expect(lines.filter { $0.kind == "starting" }.map(\.identifier) == ["org.test.a"])
        #expect(lines.allSatisfy { $0.attempt != 2 })
    }
}
