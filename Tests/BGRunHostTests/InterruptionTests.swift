// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Testing

@testable import BGRunHost

@Suite("An attempt whose host died", .timeLimit(.minutes(5)))
struct InterruptionTests {
    private static func request(_ id: Int64, _ identifier: String = "org.test.a") -> TaskRequest {
        TaskRequest(
            id: id, identifier: identifier, kind: .processing,
            submitted: WallTime(milliseconds: id))
    }

    /// The store of a host that died while it ran attempt 1, after `changes`.
    private func bench(_ changes: StoreChange...) throws -> HostBench {
        let attempt = Attempt(
            id: 1, request: Self.request(1), declaration: "org.test.a", deadlineElapsed: 1,
            launched: Instant(elapsed: 1, wall: WallTime(milliseconds: 1)))
        return try HostBench(HostBench.task("org.test.a")) {
            try $0.apply(
                [.putRequest(Self.request(1)), .beginAttempt(attempt, worker: nil)] + changes,
                durability: .normal)
        }
    }

    @Test("runs again")
    func again() throws {
        let bench = try bench().started()
        #expect(bench.supervisor.launched == [2])
    }

    @Test("does not run again after its request was cancelled, and is in the history")
    func cancelled() throws {
        let bench = try bench(.cancelAttempt(1)).started()
        bench.settle()
        #expect(bench.supervisor.launched == [])
        let store = try bench.stored()
        #expect(try store.history(limit: 9).map(\.outcome) == [.interrupted])
        #expect(try store.pendingCount() == 0 && store.cancelledAttempts().isEmpty)
        #expect(bench.log.has("Cancelled "))
        #expect(bench.submit("org.test.a") != nil && bench.supervisor.launched == [2])
    }

    @Test("is not launched by the end of another, and its undeclared request is not stored again")
    func several() throws {
        let tasks = ["a", "b", "c"].map { HostBench.task("org.test.\($0)") }.joined()
        let bench = try HostBench(tasks) { store in
            for (index, name) in ["a", "b", "gone", "c"].enumerated() {
                let id = Int64(index + 1)
                let request = Self.request(id, "org.test.\(name)")
                try store.apply([.putRequest(request)], durability: .normal)
                guard name != "c" else { continue }
                let attempt = Attempt(
                    id: id, request: request, declaration: request.identifier, deadlineElapsed: 1,
                    launched: Instant(elapsed: 1, wall: WallTime(milliseconds: 1)))
                try store.apply(
                    [.beginAttempt(attempt, worker: nil), .cancelAttempt(id)], durability: .normal)
            }
        }
        try bench.host.start()
        bench.settle()
        let store = try bench.stored()
        #expect(try store.running().map(\.attempt.request.identifier) == ["org.test.c"])
        #expect(try store.pendingCount() == 0 && store.cancelledAttempts().isEmpty)
        #expect(try store.history(limit: 9).map(\.attempt) == [3, 2, 1])
    }

    @Test("is ended although another program writes to the store at the start")
    func busy() throws {
        let bench = try bench(.cancelAttempt(1))
        let writer = try StoreWriter(bench)
        try bench.host.start()
        #expect(bench.host.breakdown == nil)
        try writer.release()
        #expect(bench.submit("org.test.a") != nil && bench.supervisor.launched == [2])
        #expect(try bench.stored().history(limit: 9).map(\.outcome) == [.interrupted])
    }

    @Test("does not take away a request that was submitted after the cancellation")
    func submittedSince() throws {
        let bench = try bench(.cancelAttempt(1), .putRequest(Self.request(2))).started()
        bench.settle()
        #expect(bench.supervisor.launched == [2])
        #expect(try bench.stored().running().map(\.attempt.request.id) == [2])
        #expect(bench.log.has("Replaced request 1 by request 2") && !bench.log.has("Cancelled"))
    }
}
