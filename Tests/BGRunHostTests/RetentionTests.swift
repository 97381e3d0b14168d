// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Testing

@testable import BGRunHost

@Suite("Old attempts", .timeLimit(.minutes(5)))
struct RetentionTests {
    @Test("are removed from the history at one of many ends, not at each")
    func batches() throws {
        let bench = try beforeALook()
        #expect(try run(2, bench) == 10)
        #expect(try run(5, bench) == 15)
    }

    @Test("are removed at the first end of a host, which may run only a few attempts")
    func first() throws {
        let bench = try beforeALook()
        let next = try HostBench(
            HostBench.task("org.test.a"), rest: "policy: {profile: server, kept_attempts: 10}",
            at: bench.directory)
        next.clock.advance(by: .days(800))
        try next.host.start()
        #expect(try run(1, next) == 10)
    }

    @Test("stay while another program writes to the store, and are removed at the next end")
    func busy() throws {
        let bench = try beforeALook()
        var writer: StoreWriter?
        let kept = try run(2, bench) { writer = try StoreWriter(bench) }
        #expect(kept == 66)
        #expect(bench.host.breakdown == nil)
        try writer?.letGo()
        bench.clock.advance(by: .seconds(1))
        #expect(try run(1, bench) == 10)
    }

    /// A host with 64 stored attempts, just before it looks for old attempts again.
    private func beforeALook() throws -> HostBench {
        let bench = try HostBench(
            HostBench.task("org.test.a"), rest: "policy: {profile: server, kept_attempts: 10}")
        try bench.host.start()
        #expect(try run(BGRunHost.Host.endsBetweenLooks, bench) == 64)
        return bench
    }

    /// Runs attempts 400 days after the last ones. Returns the number of attempts in the history.
    private func run(
        _ count: Int, _ bench: HostBench, beforeTheLook: () throws -> Void = {}
    ) throws -> Int {
        bench.clock.advance(by: .days(400))
        for _ in 0..<count {
            bench.submit("org.test.a")
            let attempt = try #require(bench.supervisor.launched.last)
            bench.supervisor.end(attempt)
        }
        try beforeTheLook()
        bench.settle()
        return try bench.stored().history(limit: 1_000).count
    }
}
