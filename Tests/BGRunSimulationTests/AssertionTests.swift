// SPDX-License-Identifier: Apache-2.0

import BGRunSimulation
import Testing

@Suite("Assertions of scenarios", .timeLimit(.minutes(10)))
struct AssertionTests {
    private static func result() throws -> SimulationResult {
        try Sample.run(
            Sample.task("sync", "kind: app-refresh, every: 6h")
                + Sample.task("a.clean", "kind: processing, requires: {power: external}")
                + Sample.task("b.clean", "kind: processing"),
            "duration: 2d\nhandlers: {\"*\": {takes: 10s}}")
    }

    @Test(
        "a true assertion has no message",
        arguments: [
            "sync.launches == 8", "com.app.sync.launches_per_day >= 4", "sync.wait_max < 1s",
            "sync.launches_per_day>=1", "*.failed == 0", "a.clean.blocked_power == 2d",
            "sync.delay_p50 > 5h59m", "sync.launches != 7", "b.clean.wait_max >= 0",
            "sync.ran <= 80s",
        ])
    func holds(_ text: String) throws {
        #expect(try Assertion(text).objection(in: Self.result()) == nil)
    }

    @Test(
        "a false assertion states the value",
        arguments: [
            ("sync.launches > 8", "com.app.sync.launches is 8"),
            ("*.launches >= 1", "com.app.a.clean.launches is 0"),
            ("a.clean.wait_max < 1h", "com.app.a.clean.wait_max is unknown"),
            ("a.clean.longest_wait <= 1d", "com.app.a.clean.longest_wait is 2d"),
        ])
    func fails(_ text: String, objection: String) throws {
        #expect(try Assertion(text).objection(in: Self.result()) == objection)
    }

    @Test(
        "an invalid assertion states how to correct it",
        arguments: [
            ("sync.launches", "compares nothing"), ("", "compares nothing"),
            ("launches >= 1", "is not a task and metric"),
            ("sync.lanches >= 1", "did you mean `launches`?"),
            ("sync.launches >= often", "neither a number nor a length of time"),
            ("sync.launches >=", "neither a number nor a length of time"),
            ("snyc.launches >= 1", "did you mean `sync`?"),
            ("clean.launches >= 1", "may be `com.app.a.clean` or `com.app.b.clean`"),
            ("sync.wait_max < 5", "write a unit"), ("sync.launches < 5s", "without a unit"),
        ])
    func problems(_ text: String, message: String) throws {
        let result = try Self.result()
        let problem = #expect(throws: Assertion.Problem.self) {
            try Assertion(text).objection(in: result)
        }
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
    }
}
