// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Sleep of the machine", .timeLimit(.minutes(5)))
struct SuspendTests {
    private func twoAtOnce() -> World {
        var world = World(["a", "b", "c"].map { .task($0) }, policy: .atOnce(2))
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        return world
    }

    @Test("attempts are expired, and their requests are pending again unchanged")
    func expired() throws {
        var world = twoAtOnce()
        let request = try #require(world.engine.runningAttempt("a")).request
        world.handle(.suspending(within: nil))
        #expect(world.expired == [.suspend, .suspend])
        world.end("a", .expired(.suspend, reported: false))
        #expect(world.engine.pendingRequest("a") == request)
        #expect(world.records.contains(.requeued(request, .expired(.suspend, reported: false))))
    }

    @Test("nothing is launched until the machine has resumed, then all due requests are")
    func launches() {
        var world = twoAtOnce()
        world.handle(.suspending(within: nil))
        world.end("a", .expired(.suspend, reported: nil))
        world.end("b", .expired(.suspend, reported: nil))
        world.submit("a", delay: .seconds(1))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)), after: .hours(8))
        #expect(world.launchCount == 2)
        #expect(world.wake == nil)
        world.handle(.resumed)
        #expect(world.launched.count == 2)
        #expect(!world.engine.isSuspending)
    }

    @Test(
        "the grace is shortened so that attempts are killed before the machine sleeps",
        arguments: [
            (Interval?.none, Interval.seconds(5)), (.seconds(5), .seconds(3)),
            (.seconds(60), .seconds(5)), (.seconds(1), .zero),
        ])
    func grace(within: Interval?, grace: Interval) {
        var world = World([.task("a")])
        world.submit("a")
        world.handle(.suspending(within: within))
        #expect(
            world.actions.contains(
                .expire(
                    attempt: 1, .suspend, grace: grace,
                    deadlineElapsed: world.elapsed + grace.nanoseconds)))
        world.passUntilTimer()
        if grace > .zero { #expect(world.actions.contains(.terminate(attempt: 1))) }
    }

    @Test("a triggered attempt is expired, too, and triggers are refused meanwhile")
    func triggered() {
        var world = World([.task("a", requires: .idle), .task("b")])
        world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        world.handle(.suspending(within: nil))
        #expect(world.expired == [.suspend])
        world.handle(.trigger(Submission(identifier: "b"), ticket: 7))
        guard case .refused(.notImmediately(_, let reason)) = world.reply else {
            Issue.record("\(world.actions)")
            return
        }
        #expect(reason == "the device is about to sleep")
        #expect(!world.isPending("b"))
    }

    @Test("a request waits because the device is about to sleep, and explains it")
    func explained() {
        var world = World([.task("a")])
        world.handle(.suspending(within: nil))
        let since = world.wall
        world.submit("a")
        #expect(world.engine.pendingReason("a", at: world.wall) == .suspending)
        world.handle(.suspending(within: nil), after: .seconds(2))
        let explanation = world.engine.explain("a", at: world.wall)
        #expect(explanation?.reason == .suspending)
        let line = explanation?.lines.first { $0.name == "sleep" }
        #expect(line?.satisfied == false && line?.since == since)
        world.handle(.resumed)
        #expect(
            world.engine.explain("a", at: world.wall)?.lines.contains { $0.name == "sleep" }
                == false)
    }

    @Test("a machine that resumes without having been about to sleep changes nothing")
    func onlyResumed() {
        var world = twoAtOnce()
        #expect(world.handle(.resumed) == [])
    }

    @Test("attempts that were expired before or have reported end in time as well")
    func hastened() throws {
        for hasReported in [false, true] {
            var world = World(
                [.task("a", requires: .externalPower, grace: .minutes(5))], policy: .server,
                device: DeviceState(externalPower: .yes))
            world.submit("a")
            let attempt = try #require(world.engine.runningAttempt("a")).id
            if hasReported {
                world.handle(.attemptReported(attempt: attempt))
            } else {
                world.handle(.deviceChanged(DeviceState(externalPower: .no)))
            }
            world.handle(.suspending(within: .seconds(5)), after: .seconds(1))
            let sleeps = world.elapsed + Interval.seconds(5).nanoseconds
            var isKilled = false
            while !isKilled, world.passUntilTimer() {
                isKilled = world.actions.contains(.kill(attempt: attempt))
            }
            #expect(isKilled)
            #expect(world.elapsed <= sleeps, "\(hasReported)")
        }
    }

    @Test("a time limit during sleep is not a failure, and an attempt with time left continues")
    func overslept() {
        var world = World(
            [
                .task("a", timeLimit: .minutes(10)), .task("b", timeLimit: .hours(10)),
                .task("c", kind: .continued),
            ], policy: .atOnce(2))
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        world.handle(.slept, after: .seconds(20))
        #expect(world.expired == [], "a warning is due, and nothing is over")
        world.handle(.slept, after: .hours(1))
        #expect(world.expiredIdentifiers == ["a", "c"])
        #expect(world.expired == [.suspend, .suspend])
        // The grace begins now: after sleep the handler can still store a checkpoint.
        #expect(!world.actions.contains { if case .terminate = $0 { true } else { false } })
        world.end("a", .expired(.suspend, reported: false))
        #expect(world.engine.runningAttempt("a")?.request.failures == 0)
        world.handle(.slept)
        #expect(world.expired == [])
    }

    @Test("a changed manifest shortens the grace of an attempt that was terminated")
    func terminated() throws {
        var policy = Policy.server
        policy.terminationWait = .minutes(1)
        var world = World([.task("a")], policy: policy)
        world.submit("a")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.handle(.expire(identifier: "a", .cancelled, ticket: nil))
        world.passUntilTimer()
        #expect(world.actions.contains(.terminate(attempt: attempt)))
        policy.terminationWait = .seconds(2)
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a")], policy: policy)
        world.handle(.manifestLoaded(added: []))
        world.handle(.suspending(within: .seconds(5)))
        let sleeps = world.elapsed + Interval.seconds(5).nanoseconds
        world.passUntilTimer()
        #expect(world.actions.contains(.kill(attempt: attempt)))
        #expect(world.elapsed <= sleeps)
    }
}
