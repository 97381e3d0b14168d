// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSupervisor
import Testing

@testable import BGRunHost

@Suite("A continued attempt whose worker runs another attempt", .timeLimit(.minutes(5)))
struct WaitingAttemptTests {
    /// A host in which attempt 1 waits for its worker.
    private func waiting() throws -> HostBench {
        let bench = try HostBench(
            "org.test.a: {kind: continued, call: {library: libc.so.6, function: sync}}\n",
            rest: "policy: {profile: server, stall_warning: 5s, stall_limit: 10s}"
        ).started()
        bench.submit("org.test.a")
        #expect(bench.supervisor.launched == [1])
        bench.supervisor.onNotice(.waits(attempt: 1))
        return bench
    }

    private func expirations(_ bench: HostBench) -> [StopReason] {
        bench.supervisor.calls.compactMap {
            if case .expire(1, let reason, _, _) = $0 { reason } else { nil }
        }
    }

    @Test("is not expired while it waits, and stalls only after it has begun")
    func stall() throws {
        let bench = try waiting()
        for _ in 0..<60 { bench.clock.advance(by: .seconds(1)) }
        #expect(expirations(bench) == [] && !bench.log.has("reports no progress"))
        bench.supervisor.onNotice(.began(attempt: 1))
        for _ in 0..<9 { bench.clock.advance(by: .seconds(1)) }
        #expect(expirations(bench) == [] && bench.log.has("reports no progress"))
        bench.clock.advance(by: .seconds(1))
        #expect(expirations(bench) == [.stalled])
    }

    @Test("can be cancelled while it waits")
    func cancel() throws {
        let bench = try waiting()
        bench.host.send(.expire(identifier: "org.test.a", .cancelled, ticket: nil))
        #expect(expirations(bench) == [.cancelled])
        bench.supervisor.end(1, .expired(.cancelled, reported: false))
        #expect(bench.host.running.isEmpty)
    }
}
