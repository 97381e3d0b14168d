// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunPolicy
import Testing

@Suite("Queries while another program writes to the store", .timeLimit(.minutes(5)))
struct StallQueryTests {
    @Test("show a launch that waits for the store as pending: its handler has not begun")
    func pending() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.a")
        let explained = try #require(
            try serve(bench, .explain, "org.test.a").explanation)
        #expect(explained.state == "pending" && explained.attempt == nil && explained.phase == nil)
        #expect(explained.request == 1 && explained.reason == AppOverview.Pending.busyStore)
        #expect(try serve(bench, .explain, "org.test.b").explanation?.state == "idle")
        for start in [nil, 0] {
            let answer = try serve(bench, .pending, from: start)
            #expect(answer.count == 1 && answer.pending?.map(\.identifier) == ["org.test.a"])
            #expect(answer.pending?.first?.reason == AppOverview.Pending.busyStore)
        }
        let overview = bench.host.overview()
        #expect(overview.pending.map(\.identifier) == ["org.test.a"] && overview.pendingCount == 1)
        #expect(overview.running.isEmpty)

        try writer.release()
        #expect(try serve(bench, .explain, "org.test.a").explanation?.state == "running")
        #expect(try serve(bench, .pending).count == 0)
        #expect(bench.host.overview().pendingCount == 0)
    }

    @Test("give the writer as the reason of a request that became due meanwhile, as `explain` does")
    func due() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.submit("org.test.b", after: .seconds(5))
        let writer = try StoreWriter(bench)
        bench.submit("org.test.a")
        for start in [nil, 0] {
            let early = try serve(bench, .pending, from: start).pending
            #expect(early?.last?.reason == "its earliest date has not come")
        }
        bench.clock.advance(by: .seconds(6))
        #expect(
            try serve(bench, .explain, "org.test.b").explanation?.reason
                == AppOverview.Pending.busyStore)
        for start in [nil, 0] {
            let late = try serve(bench, .pending, from: start).pending
            #expect(late?.map(\.identifier) == ["org.test.a", "org.test.b"])
            #expect(late?.last?.reason == AppOverview.Pending.busyStore)
        }
        try writer.letGo()
    }

    @Test("show an attempt as running that began before its answer waits")
    func begun() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        var writer: StoreWriter?
        bench.supervisor.looking = { call in
            if case .launch = call, writer == nil { writer = try? StoreWriter(bench) }
        }
        bench.submit("org.test.a")
        #expect(bench.host.waitsForStoreSince != nil && bench.supervisor.launched == [1])
        #expect(try serve(bench, .explain, "org.test.a").explanation?.state == "running")
        #expect(try serve(bench, .pending).count == 0)
        #expect(bench.host.overview().running.map(\.attempt) == [1])
        try writer?.letGo()
    }

    private func serve(
        _ bench: HostBench, _ command: ControlRequest.Command, _ identifier: String? = nil,
        from start: Int? = nil
    ) throws -> ControlResponse {
        var response: ControlResponse?
        bench.host.serve(ControlRequest(command, identifier: identifier, limit: 10, from: start)) {
            response = $0
        }
        return try #require(response)
    }
}
