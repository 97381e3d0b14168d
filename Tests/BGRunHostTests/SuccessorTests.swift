// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import Testing

@testable import BGRunHost
@testable import BGRunStorage

/// The host handles the end of an attempt and the launch of its successor in one round.
@Suite("An attempt that begins when its predecessor ends", .timeLimit(.minutes(5)))
struct SuccessorTests {
    private func push(_ collapseID: String, to bench: HostBench) {
        bench.push("org.test.p", collapseID: collapseID)
        bench.settle()
    }

    /// A host with an attempt that received message a, while b waits.
    private func pushed() throws -> HostBench {
        let bench = try HostBench(HostBench.pushTask("org.test.p")).started()
        push("a", to: bench)
        push("b", to: bench)
        return bench
    }

    private func given(to attempt: Int64, _ bench: HostBench) -> [String?]? {
        bench.call(.pushes(.messages), from: attempt)?.pushes.map(\.collapseID)
    }

    @Test("receives the dates of its messages")
    func received() throws {
        let bench = try pushed()
        let message = try #require(bench.call(.pushes(.messages), from: 1)?.pushes.first)
        #expect(message.receivedUnixNanoseconds == bench.host.now.milliseconds * 1_000_000)
    }

    @Test("does not receive messages that its predecessor completed")
    func completed() throws {
        let bench = try pushed()
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

    @Test("holds no messages if it cannot begin: a cancellation drops them")
    func withdrawn() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.p")).started()
        bench.supervisor.shortage = .processes
        push("a", to: bench)
        #expect(bench.supervisor.launched == [])
        #expect(try bench.stored().heldPushes().count == 1)
        bench.host.ask({ .cancel(identifier: "org.test.p", ticket: $0) }, { _ in })
        #expect(try bench.stored().heldPushes().isEmpty)
    }

    @Test("receives the messages of a failed one, and newer ones")
    func failed() throws {
        let bench = try pushed()
        bench.supervisor.end(1, .failed)
        #expect(given(to: 2, bench) == ["a", "b"])
    }

    @Test("receives the checkpoint of a failed one, not of a completed one")
    func checkpoint() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
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
