// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunSupervisor
import BGRunWire
import Testing

@testable import BGRunHost
@testable import BGRunStore

/// The end of an attempt and the launch of the next one of its task are one round.
@Suite("An attempt that begins as the one before it ends", .timeLimit(.minutes(1)))
struct SuccessorTests {
    private func push(_ collapseID: String, to bench: HostBench) {
        bench.host.push(
            PushOffer(
                identifier: "org.test.p", payload: PushOffer.empty,
                payloadBytes: PushOffer.empty.utf8.count,
                aps: PushOffer.APS(isContentAvailable: true), collapseID: collapseID),
            from: "a test"
        ) { _ in }
        bench.settle()
    }

    private func given(to attempt: Int64, _ bench: HostBench) -> [String?]? {
        bench.call(.pushes(.messages), from: attempt)?.pushes.map(\.collapseID)
    }

    @Test("is not given the messages that the other one has completed")
    func completed() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.p"))
        try bench.host.start()
        push("a", to: bench)
        push("b", to: bench)
        #expect(given(to: 1, bench) == ["a"])
        bench.call(.pushes(.result(1)), from: 1)
        bench.supervisor.end(1)
        #expect(bench.supervisor.launched == [1, 2])
        #expect(given(to: 2, bench) == ["b"])
        let stored = try bench.stored()
        #expect(try stored.heldPushes(of: nil).map(\.collapseID) == ["b"])
        #expect(try stored.history(limit: 1).first?.result == FetchResult(rawValue: 1))
        bench.supervisor.end(2)
        #expect(try bench.stored().heldPushes(of: nil).isEmpty)
    }

    @Test("and could not begin holds none of them: a cancellation drops them")
    func withdrawn() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.p"))
        try bench.host.start()
        bench.supervisor.shortage = .processes
        push("a", to: bench)
        #expect(bench.supervisor.launched == [])
        #expect(try bench.stored().heldPushes().count == 1)
        bench.host.ask({ .cancel(identifier: "org.test.p", ticket: $0) }, { _ in })
        #expect(try bench.stored().heldPushes().isEmpty)
    }

    @Test("is given the messages of one that has failed, and newer ones")
    func failed() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.p"))
        try bench.host.start()
        push("a", to: bench)
        push("b", to: bench)
        bench.supervisor.end(1, .failed)
        #expect(given(to: 2, bench) == ["a", "b"])
    }

    @Test("is given the checkpoint of one that has failed, and none of one that has completed")
    func checkpoint() throws {
        let bench = try HostBench(HostBench.task("org.test.a"))
        try bench.host.start()
        bench.submit("org.test.a")
        bench.call(.putCheckpoint(version: 1, data: [7]), from: 1)
        bench.submit("org.test.a")
        bench.supervisor.end(1, .failed)
        #expect(bench.supervisor.works[2]?.launch.checkpoint?.data == [7])
        bench.submit("org.test.a")
        bench.supervisor.end(2)
        #expect(bench.supervisor.launched == [1, 2, 3])
        #expect(bench.supervisor.works[3]?.launch.checkpoint == nil)
        #expect(try bench.stored().checkpoint("org.test.a") == nil)
    }
}
