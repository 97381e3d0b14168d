// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Launches", .timeLimit(.minutes(5)))
struct LaunchTests {
    @Test("a request without a date is launched at once, under its kind's time limit")
    func immediate() throws {
        var world = World([
            .task("refresh", kind: .appRefresh), .task("own", timeLimit: .seconds(7)),
        ])
        world.submit("refresh")
        let attempt = try #require(world.engine.runningAttempt("refresh"))
        #expect(attempt.deadlineElapsed == world.elapsed + Interval.seconds(30).nanoseconds)
        world.submit("own")
        let own = try #require(world.engine.runningAttempt("own"))
        #expect(own.deadlineElapsed == world.elapsed + Interval.seconds(7).nanoseconds)
    }

    @Test("a request waits until its earliest date, for which the timer is set")
    func earliest() {
        var world = World([.task("a", earliest: .minutes(15))])
        world.submit("a")
        #expect(world.wake == world.elapsed + Interval.minutes(15).nanoseconds)
        world.handle(.timer, after: .milliseconds(15 * 60_000 - 1))
        #expect(world.launched == [])
        world.handle(.timer, after: .milliseconds(1))
        #expect(world.launched == ["a"])
    }

    @Test("processing that is requested an hour ahead is launched when the hour is over")
    func anHourAhead() {
        var world = World(
            [.task("a")], device: DeviceState(externalPower: .yes, userIdle: .yes))
        world.submit("a", delay: .hours(1))
        #expect(world.wake == world.elapsed + Interval.hours(1).nanoseconds)
        world.handle(.timer, after: .milliseconds(60 * 60_000 - 1))
        #expect(world.launched == [])
        world.handle(.timer, after: .milliseconds(1))
        #expect(world.launched == ["a"])
    }

    @Test("the submission's delay replaces the task's", arguments: [0, 60, 7200])
    func ownDelay(seconds: Int64) {
        var world = World([.task("a", earliest: .minutes(15))])
        world.submit("a", delay: .seconds(seconds))
        #expect(world.isRunning("a") == (seconds == 0))
        if seconds > 0 { #expect(world.delay(of: "a") == .seconds(seconds)) }
    }

    @Test("the timer is set for the earliest event, and cancelled without one")
    func timer() {
        var world = World([.task("a"), .task("b")])
        world.submit("a", delay: .hours(2))
        world.submit("b", delay: .hours(1))
        #expect(world.wake == world.elapsed + Interval.hours(1).nanoseconds)
        world.handle(.cancel(identifier: "b", ticket: nil))
        #expect(world.wake == world.elapsed + Interval.hours(2).nanoseconds)
        world.handle(.cancelAll(ticket: nil))
        #expect(world.wake == nil)
        #expect(world.actions.contains(.wake(elapsed: nil)))
    }

    @Test("an event that changes nothing sets no timer")
    func quiet() {
        var world = World([.task("a", earliest: .hours(1))])
        world.submit("a")
        #expect(world.handle(.timer, after: .minutes(1)) == [])
        #expect(world.handle(.deviceChanged(DeviceState(userIdle: .yes))) == [])
    }

    @Test("the number of attempts is limited; the earliest date is first, then the lowest id")
    func concurrency() {
        let identifiers = ["c", "a", "d", "b"]
        var world = World(identifiers.map { .task($0) }, policy: .atOnce(2))
        for (index, identifier) in identifiers.enumerated() {
            world.submit(identifier, delay: .seconds(index < 2 ? 20 : 10))
        }
        world.handle(.timer, after: .seconds(30))
        #expect(world.launched == ["d", "b"])
        world.end("b")
        #expect(world.launched == ["c"])
        world.end("d")
        #expect(world.launched == ["a"])
    }

    @Test("an attempt that has reported still counts until it has ended")
    func reportedTakesPlace() throws {
        var world = World([.task("a"), .task("b")], policy: .atOnce(1))
        world.submit("a")
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("a"))
        world.handle(.attemptReported(attempt: attempt.id))
        #expect(world.launched == [])
        world.end("a")
        #expect(world.launched == ["b"])
    }

    @Test("a cancelled request is never launched; a running attempt continues")
    func cancel() {
        var world = World([.task("a"), .task("b", earliest: .hours(1))])
        world.submit("a")
        world.submit("b")
        for identifier in ["a", "b"] {
            world.handle(.cancel(identifier: identifier, ticket: 7))
            #expect(world.reply == .cancelled(identifier == "b" ? 1 : 0))
        }
        #expect(world.isRunning("a"))
        world.handle(.timer, after: .hours(2))
        #expect(world.launched == [])
    }

    @Test("cancelling all cancels pending requests in launch order, but no attempt")
    func cancelAll() {
        var world = World(["a", "b", "c"].map { .task($0) }, policy: .atOnce(1))
        world.submit("a")
        world.submit("b", delay: .hours(2))
        world.submit("c", delay: .hours(1))
        world.handle(.cancelAll(ticket: 7))
        #expect(world.reply == .cancelled(2))
        let cancelled = world.records.compactMap {
            if case .cancelled(let request) = $0 { request.identifier } else { nil }
        }
        #expect(cancelled == ["c", "b"])
        #expect(world.isRunning("a"))
    }

    @Test("a trigger launches at once, whatever the request waits for, also above the limit")
    func trigger() throws {
        var world = World(
            [.task("a"), .task("b", requires: .externalPower, earliest: .hours(1))],
            policy: .atOnce(1))
        world.submit("a")
        world.submit("b", parameters: "{}")
        let request = try #require(world.engine.pendingRequest("b"))
        world.handle(.trigger(Submission(identifier: "b"), ticket: 7))
        let attempt = try #require(world.engine.runningAttempt("b"))
        #expect(world.reply == .launched(attempt: attempt.id))
        #expect(attempt.request == request)
        #expect(!world.isPending("b"))
    }

    @Test("a trigger creates a request if none is pending; its parameters replace pending ones")
    func triggerParameters() throws {
        var world = World([.task("a", earliest: .hours(1))])
        world.handle(.trigger(Submission(identifier: "a", parameters: "{\"n\":1}"), ticket: 7))
        #expect(world.engine.runningAttempt("a")?.request.parameters == "{\"n\":1}")
        world.end("a")
        world.submit("a", parameters: "{\"n\":2}")
        world.handle(.trigger(Submission(identifier: "a", parameters: "{\"n\":3}"), ticket: 7))
        #expect(world.engine.runningAttempt("a")?.request.parameters == "{\"n\":3}")
    }

    @Test("a trigger of a running or unknown identifier is refused")
    func triggerRefused() throws {
        var world = World([.task("a")])
        world.submit("a")
        let attempt = try #require(world.engine.runningAttempt("a"))
        world.handle(.trigger(Submission(identifier: "a"), ticket: 7))
        #expect(
            world.reply == .refused(.alreadyRunning(identifier: "a", attempt: attempt.id)))
        world.handle(.trigger(Submission(identifier: "x"), ticket: 7))
        #expect(world.reply == .refused(.notPermitted(identifier: "x", nearest: nil)))
    }

    @Test("a triggered request that fails waits for its retry, not for its old date")
    func triggeredRetry() {
        var world = World(
            [
                .task("a", earliest: .seconds(5), retry: RetryRule(from: .seconds(60))),
                .task("b", earliest: .seconds(3)),
            ], policy: .atOnce(2))
        world.submit("a")
        world.submit("b")
        world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        world.end("a", .failed)
        world.handle(.timer, after: .seconds(3))
        #expect(world.launched == ["b"])
        world.handle(.timer, after: .seconds(10))
        #expect(world.launched == [])
        #expect(world.delay(of: "a") == .seconds(47))
        world.handle(.timer, after: .seconds(47))
        #expect(world.launched == ["a"])
    }

    @Test("a requeued request does not keep its earlier position")
    func placeInLine() {
        var world = World(
            [
                .task("a", requires: .idle, retry: RetryRule(from: .seconds(60))),
                .task("b", requires: .idle),
            ], policy: .atOnce(1), device: DeviceState(userIdle: .yes))
        world.submit("a")
        world.submit("b", delay: .seconds(30))
        world.handle(.deviceChanged(DeviceState(userIdle: .no)))
        world.end("a", .crashed(signal: 11))
        world.handle(.timer, after: .seconds(60))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.launched == ["b"])
        world.end("b")
        #expect(world.launched == ["a"])
    }
}
