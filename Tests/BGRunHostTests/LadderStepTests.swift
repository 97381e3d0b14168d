// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost

@Suite("Steps that end an attempt", .timeLimit(.minutes(5)))
struct LadderStepTests {
    @Test("come in the order of the ladder, each once")
    func order() {
        let all: [LadderStep?] = [nil, .told, .terminated, .killed]
        #expect(all.filter { LadderStep.told.follows($0) } == [nil])
        #expect(all.filter { LadderStep.terminated.follows($0) } == [nil, .told])
        #expect(all.filter { LadderStep.killed.follows($0) } == [.terminated])
    }

    @Test("are skipped for an attempt whose worker cannot be started now")
    func deferred() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.supervisor.shortage = .memory
        let now = bench.clock.now
        let attempt = Attempt(
            id: 7,
            request: TaskRequest(
                id: 3, identifier: "org.test.a", kind: .processing, submitted: now.wall),
            declaration: "org.test.a", deadlineElapsed: now.elapsed, launched: now)
        let spared = Action.wake(elapsed: nil)
        let (actions, leases) = try bench.host.prepareLaunches([
            .launch(attempt), .record(.starting(attempt)),
            .record(.expiring(identifier: "org.test.a", attempt: 7, .quota)),
            .expire(attempt: 7, .quota, grace: .seconds(2), deadlineElapsed: now.elapsed),
            .terminate(attempt: 7), spared,
        ])
        #expect(actions == [spared] && leases.isEmpty)
    }
}
