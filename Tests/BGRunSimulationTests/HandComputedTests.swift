// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSimulation
import Testing

@Suite("Small scenarios, computed by hand", .timeLimit(.minutes(10)))
struct HandComputedTests {
    @Test("a task waits for power, is expired with power-lost, and resumes from its checkpoint")
    func demoStory() throws {
        let result = try Sample.run(
            Sample.task("clean", "kind: processing, requires: {power: external}"),
            """
            duration: 1h
            device: {power: [{at: 10m, for: 5m}, {at: 30m, for: 20m}]}
            handlers: {com.app.clean: {takes: 8m, stops_in: 2s, checkpoint: when-told}}
            """)
        // 5 of 8 minutes are done when the cable is removed; 3 remain.
        #expect(
            try result.attempts("clean") == ["600-902 power-lost", "1800-1980 completed"])
        let tally = try result.tally("clean")
        #expect(tally.requeues == 1)
        #expect(tally.failed == 0)
        #expect(tally.ranFor == 482_000_000_000)
        #expect(tally.blocked == ["power: external": 1_498_000_000_000])
        #expect(result.faults == [])
    }

    @Test("the wait for a launch starts when the request is due, its delay when it is submitted")
    func dueLater() throws {
        let result = try Sample.run(
            Sample.task("late", "kind: processing, earliest: 20m, requires: {power: external}"),
            "duration: 1h\ndevice: {power: [{at: 30m, for: 20m}]}")
        let tally = try result.tally("late")
        #expect(tally.waits == [600_000_000_000])
        #expect(tally.delays == [1_800_000_000_000])
    }

    @Test("a missed date is followed by the next one, which replaces nothing")
    func missedDates() throws {
        let result = try Sample.run(
            Sample.task(
                "hourly",
                "kind: processing, requires: {power: external}, "
                    + "cron: '0 * * * *', start_deadline: 10m"),
            "duration: 5h\ndevice: {power: [{at: 4h30m, for: 30m}]}")
        let tally = try result.tally("hourly")
        #expect(tally.missed >= 3 && tally.replaced == 0)
        #expect(result.faults == [])
    }

    @Test(
        "the kept work of an attempt that ends early depends on its checkpoint",
        arguments: [
            ("never", "1800-2280 completed"), ("when-told", "1800-1980 completed"),
            ("{every: 2m}", "1800-2040 completed"),
        ])
    func checkpoints(checkpoint: String, second: String) throws {
        let result = try Sample.run(
            Sample.task("clean", "kind: processing, requires: {power: external}"),
            """
            duration: 1h
            device: {power: [{at: 10m, for: 5m}, {at: 30m, for: 20m}]}
            handlers: {com.app.clean: {takes: 8m, checkpoint: \(checkpoint)}}
            """)
        #expect(try result.attempts("clean").last == second)
    }

    @Test("a handler that ignores its expiration is killed after its grace, without a checkpoint")
    func stubborn() throws {
        let result = try Sample.run(
            Sample.task(
                "stubborn", "kind: processing, expiration: {after: 60s, grace: 5s}"),
            """
            duration: 1h
            handlers: {com.app.stubborn: {takes: 10m, stops_in: never, checkpoint: when-told}}
            """)
        #expect(try result.attempts("stubborn") == ["0-65 time"])
    }

    @Test("a handler that finishes while it is being stopped reports its result")
    func doneInGrace() throws {
        let result = try Sample.run(
            Sample.task("late", "kind: processing, expiration: {after: 60s, grace: 5s}"),
            "duration: 1h\nhandlers: {com.app.late: {takes: 62s, stops_in: 4s}}")
        let spans = try result.tally("late").spans
        #expect(spans.map(\.to) == [62_000_000_000])
        #expect(spans.map(\.state) == [.ran(attempt: 1, .expired(.time, reported: true))])
    }

    @Test("work stops while the device is suspended, but the clock of the attempt does not")
    func suspension() throws {
        let tasks =
            Sample.task("short", "kind: processing, expiration: {after: 20m}")
            + Sample.task("long", "kind: processing, expiration: {after: 2m}")
        let result = try Sample.run(
            tasks, policy: "{concurrent_processing: 2}",
            """
            duration: 1h
            suspend: [{at: 1m, for: 10m}]
            handlers: {"*": {takes: 90s}}
            """)
        #expect(try result.attempts("short") == ["0-690 completed"])
        // The task's two minutes ended while the device slept, which must not count as a failure.
        #expect(try result.attempts("long").first == "0-661 suspend")
    }

    @Test("events while the device is suspended are delivered when it wakes up")
    func deliveredLate() throws {
        let result = try Sample.run(
            Sample.task("message", "kind: push"),
            """
            duration: 1h
            suspend: [{at: 10m, for: 20m}]
            events: [{at: 15m, push: com.app.message}, {at: 50m, push: com.app.message}]
            """)
        #expect(try result.tally("message").launched == [1_800_000_000_000, 3_000_000_000_000])
    }

    @Test("a task that was swiped away is not launched until the app is opened again")
    func forceQuit() throws {
        let result = try Sample.run(
            Sample.task("sync", "kind: processing, every: 20m"),
            """
            duration: 150m
            events: [{at: 25m, app: force-quit}, {at: 95m, app: open}]
            """)
        #expect(
            try result.tally("sync").launched.map { $0 / 60_000_000_000 } == [
                0, 20, 95, 115, 135,
            ])
    }

    @Test("a failed attempt is retried with the backoff of the manifest")
    func retries() throws {
        let result = try Sample.run(
            Sample.task(
                "flaky",
                "kind: processing, retry: {backoff: exponential, from: 1m, to: 1h, attempts: 4}"),
            "duration: 1d\nhandlers: {com.app.flaky: {takes: 10s, fails: 100%}}")
        #expect(
            try result.attempts("flaky") == [
                "0-10 failed", "70-80 failed", "200-210 failed", "450-460 failed",
            ])
        #expect(try result.tally("flaky").gaveUp == 1)
    }

    @Test("a clock set forward brings dates closer, one set back delays none further")
    func clockChanges() throws {
        let result = try Sample.run(
            Sample.task("hourly", "kind: app-refresh, every: 1h"),
            """
            duration: 6h
            events: [{at: 90m, clock: {forward: 20m}}, {at: 150m, clock: {back: 40m}}]
            handlers: {"*": {takes: 1s}}
            """)
        let minutes = try result.tally("hourly").launched.map { $0 / 60_000_000_000 }
        #expect(minutes == [0, 60, 100, 200, 260, 320])
    }

    @Test("the number of attempts is limited, and the report lists the waiting requests")
    func concurrency() throws {
        let tasks = (1...3).map { Sample.task("t\($0)", "kind: processing") }.joined()
        let result = try Sample.run(
            tasks, policy: "{concurrent_attempts: 1}",
            "duration: 1h\nhandlers: {\"*\": {takes: 5m}}")
        #expect(try result.attempts("t1") == ["0-300 completed"])
        #expect(try result.attempts("t2") == ["300-600 completed"])
        #expect(try result.attempts("t3") == ["600-900 completed"])
        #expect(try result.tally("t3").waits == [600_000_000_000])
        #expect(
            try result.tally("t3").blocked == [
                "too many processing attempts are running": 600_000_000_000
            ])
    }

    @Test("a flapping cable neither starts nor ends work, as on a real device")
    func settled() throws {
        let flapping =
            "[" + (0..<60).map { "{at: \($0 * 4 + 2)s, for: 2s}" }.joined(separator: ", ")
        let result = try Sample.run(
            Sample.task("clean", "kind: processing, requires: {power: external}"), policy: "{}",
            "duration: 1h\ndevice: {power: \(flapping), {at: 10m, for: 10m}]}")
        #expect(try result.attempts("clean") == ["610-620 completed"])
    }

    @Test(
        "continued work that reports progress continues, other work stalls",
        arguments: [("5s", "0-120 completed"), ("none", "0-31 stalled")])
    func progress(_ progress: String, _ attempt: String) throws {
        let result = try Sample.run(
            Sample.task("export", "kind: continued"),
            """
            duration: 1h
            events: [{at: 0s, submit: com.app.export}]
            handlers: {"*": {takes: 2m, progress: \(progress)}}
            """)
        #expect(try result.attempts("export").first == attempt)
    }
}
