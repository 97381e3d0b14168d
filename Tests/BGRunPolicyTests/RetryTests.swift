// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A request after its attempt", .timeLimit(.minutes(5)))
struct RetryTests {
    static let failures: [Outcome] = [
        .failed, .crashed(signal: 11), .exited(code: 3), .refused, .expired(.time, reported: nil),
        .expired(.stalled, reported: true), .limited(.memory), .limited(.processorTime),
    ]

    @Test("without a retry rule a failure ends the request", arguments: failures)
    func gaveUp(outcome: Outcome) throws {
        var world = World([.task("a")])
        world.submit("a")
        let request = try #require(world.engine.runningAttempt("a")).request
        world.end("a", outcome)
        #expect(world.records.last == .gaveUp(request, outcome))
        #expect(world.engine.isIdle)
    }

    @Test("every kind of failure is retried", arguments: failures)
    func retried(outcome: Outcome) {
        var world = World([.task("a", retry: RetryRule(from: .seconds(10)))])
        world.submit("a")
        world.end("a", outcome)
        #expect(world.delay(of: "a") == .seconds(10))
        #expect(world.engine.pendingRequest("a")?.failures == 1)
        #expect(world.stored == world.engine.pendingRequests)
    }

    @Test(
        "the delays follow the rule, the last attempt included",
        arguments: [
            (RetryRule.Backoff.linear, [10, 20, 25]), (.exponential, [10, 20, 25]),
            (.linear, [10]), (.exponential, []),
        ] as [(RetryRule.Backoff, [Int64])])
    func delays(backoff: RetryRule.Backoff, seconds: [Int64]) {
        let rule = RetryRule(
            backoff: backoff, from: .seconds(10), to: .seconds(25), attempts: seconds.count + 1)
        var world = World([.task("a", retry: rule)])
        world.submit("a")
        for delay in seconds {
            world.end("a", .failed)
            #expect(world.delay(of: "a") == .seconds(delay))
            world.passUntilTimer()
            #expect(world.launched == ["a"])
        }
        world.end("a", .failed)
        #expect(world.engine.isIdle)
    }

    @Test("a success resets the number of failures")
    func forgiven() {
        var world = World([.task("a", retry: RetryRule())])
        world.submit("a")
        world.end("a", .failed)
        world.passUntilTimer()
        world.end("a")
        world.submit("a")
        #expect(world.engine.runningAttempt("a")?.request.failures == 0)
    }

    @Test(
        "a revocation by the system requeues without counting a failure",
        arguments: StopReason.allCases.filter { ![.time, .stalled, .cancelled].contains($0) })
    func requeued(reason: StopReason) throws {
        var world = World(
            [.task("a", retry: RetryRule(attempts: 1)), .task("b")], policy: .atOnce(1))
        world.submit("a")
        world.submit("b")
        let request = try #require(world.engine.runningAttempt("a")).request
        world.end("a", .expired(reason, reported: nil))
        #expect(world.records.contains(.requeued(request, .expired(reason, reported: nil))))
        #expect(world.stored == [request])
        #expect(world.isRunning("a") || world.isPending("a"))
    }

    @Test(
        "a handler is told a reason of the ABI",
        arguments: [
            (StopReason.shareReclaimed, StopReason.quota), (.processShortage, .time),
            (.stalled, .stalled),
        ])
    func told(_ reason: StopReason, _ expected: StopReason) {
        #expect(reason.told == expected.rawValue)
    }

    @Test("a task with a retry rule is not delayed further by a missed completion")
    func retriedInTime() {
        var world = World([.task("a", retry: RetryRule(from: .seconds(10)))])
        world.submit("a")
        world.end("a", .expired(.time, reported: nil))
        let due = world.wall.advanced(by: .seconds(10))
        world.passUntilTimer()
        #expect(world.launched == ["a"] && world.wall == due)
    }

    @Test("a revocation by a user ends the request, with or without a retry rule")
    func cancelled() {
        var world = World([.task("a", retry: RetryRule())])
        world.submit("a")
        world.handle(.expire(identifier: "a", .cancelled, ticket: 7))
        #expect(world.expired == [.cancelled])
        world.end("a", .expired(.cancelled, reported: nil))
        #expect(world.engine.isIdle)
    }

    @Test("the end of an attempt that is not running changes nothing")
    func unknownAttempt() {
        var world = World([.task("a")])
        world.submit("a")
        #expect(world.handle(.attemptEnded(attempt: 999, .completed)) == [])
        #expect(world.isRunning("a"))
    }

    @Test("exactly one end is recorded for an attempt")
    func endsOnce() throws {
        var world = World([.task("a")])
        world.submit("a")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.handle(.attemptEnded(attempt: attempt, .completed))
        #expect(world.records == [.ended(identifier: "a", attempt: attempt, .completed)])
        #expect(world.handle(.attemptEnded(attempt: attempt, .failed)) == [])
    }

    @Test("a retry starts its wait at zero, regardless of the wait of the replaced request")
    func waitsAnew() {
        let rule = RetryRule(from: .minutes(1), to: .hours(1))
        var world = World(
            [.task("a", requires: .network, retry: rule)], device: DeviceState(network: .no))
        world.submit("a")
        world.submit("a", after: .hours(5))
        #expect(world.engine.pendingRequest("a")?.waitingSince != nil)
        world.handle(.deviceChanged(DeviceState(network: .yes)))
        world.end("a", .failed)
        let retry = world.engine.pendingRequest("a")
        #expect(retry?.waitingSince == nil)
        #expect(retry?.since == world.wall.advanced(by: .minutes(1)))
    }
}
