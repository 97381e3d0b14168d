// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The expiration ladder", .timeLimit(.minutes(5)))
struct ExpirationLadderTests {
    /// A task of 30 s with 5 s of grace, then 2 s from SIGTERM to SIGKILL.
    private func running() -> World {
        var world = World([.task("a", timeLimit: .seconds(30), grace: .seconds(5))])
        world.submit("a")
        return world
    }

    @Test("expiration, SIGTERM and SIGKILL happen at their instants, not a nanosecond before")
    func instants() {
        var world = running()
        let start = world.elapsed
        let rungs: [(at: Interval, action: Action)] = [
            (
                .seconds(30),
                .expire(
                    attempt: 1, .time, grace: .seconds(5),
                    deadlineElapsed: start + Interval.seconds(35).nanoseconds)
            ),
            (.seconds(35), .terminate(attempt: 1)), (.seconds(37), .kill(attempt: 1)),
        ]
        for (at, action) in rungs {
            #expect(world.wake == start + at.nanoseconds)
            let before = at.nanoseconds - 1 - (world.elapsed - start)
            #expect(world.handle(.timer, after: Interval(nanoseconds: before)) == [])
            #expect(world.handle(.timer, after: Interval(nanoseconds: 1)).contains(action))
        }
        #expect(world.wake == nil)
        #expect(world.isRunning("a"))
        #expect(world.handle(.timer, after: .days(1)) == [])
    }

    @Test("each rung is recorded")
    func records() {
        var world = running()
        var records: [Record] = []
        while world.passUntilTimer() { records += world.records }
        #expect(
            records == [
                .expiring(identifier: "a", attempt: 1, .time),
                .terminating(identifier: "a", attempt: 1), .killing(identifier: "a", attempt: 1),
            ])
    }

    @Test("a late timer gives the grace in full")
    func late() {
        var world = running()
        world.handle(.timer, after: .hours(9))
        #expect(world.expired == [.time])
        #expect(world.wake == world.elapsed + Interval.seconds(5).nanoseconds)
    }

    @Test("an attempt that ends during the ladder needs no further rung")
    func ends() {
        var world = running()
        world.handle(.expire(identifier: "a", .thermal, ticket: nil))
        world.end("a", .expired(.cancelled, reported: true), after: .seconds(1))
        #expect(world.wake == nil)
        #expect(world.engine.isIdle)
    }

    @Test("without grace and wait all rungs are taken at once")
    func withoutGrace() {
        var policy = Policy.apple
        policy.terminationWait = .zero
        var world = World(
            [.task("a", timeLimit: .seconds(1), grace: .zero)], policy: policy)
        world.submit("a")
        world.passUntilTimer()
        let steps = world.actions.filter {
            switch $0 {
            case .expire, .terminate, .kill: true
            default: false
            }
        }
        #expect(steps.count == 3)
        #expect(world.wake == nil)
    }

    @Test("without grace the timer is set for SIGKILL")
    func zeroGrace() {
        var world = World([.task("a", timeLimit: .seconds(1), grace: .zero)])
        world.submit("a")
        world.passUntilTimer()
        #expect(world.actions.contains(.terminate(attempt: 1)))
        #expect(world.wake == world.elapsed + Interval.seconds(2).nanoseconds)
    }

    @Test("a manifest's grace is at most what policy allows")
    func graceMaximum() {
        var world = World([.task("a", grace: .hours(1))])
        world.submit("a")
        world.handle(.expire(identifier: "a", .cancelled, ticket: nil))
        #expect(world.wake == world.elapsed + Interval.seconds(10).nanoseconds)
    }

    @Test(
        "an attempt that has reported may stay for its grace, gets no expiration, and is then ended"
    )
    func lingers() {
        var world = running()
        #expect(
            world.handle(.attemptReported(attempt: 1)) == [
                .wake(elapsed: world.elapsed + Interval.seconds(5).nanoseconds)
            ])
        world.handle(.expire(identifier: "a", .cancelled, ticket: nil))
        #expect(world.expired == [])
        world.passUntilTimer()
        #expect(world.actions.contains(.terminate(attempt: 1)))
        world.passUntilTimer()
        #expect(world.actions.contains(.kill(attempt: 1)))
    }

    @Test("a report after the expiration does not lengthen the grace")
    func reportedTooLate() {
        var world = running()
        world.handle(.expire(identifier: "a", .cancelled, ticket: nil))
        let deadline = world.wake
        #expect(world.handle(.attemptReported(attempt: 1), after: .seconds(4)) == [])
        #expect(world.wake == deadline)
    }

    @Test("an expiration by a user has its reason and the whole grace, and is answered")
    func expire() {
        var world = running()
        world.handle(.expire(identifier: "a", .thermal, ticket: 7), after: .seconds(29))
        #expect(world.reply == .expiring(attempt: 1))
        #expect(world.expired == [.thermal])
        #expect(world.wake == world.elapsed + Interval.seconds(5).nanoseconds)
        world.handle(.expire(identifier: "b", .thermal, ticket: 7))
        #expect(world.reply == .notRunning)
    }

    @Test("several attempts have separate ladders")
    func apart() {
        var world = World(
            [
                .task("a", timeLimit: .seconds(10)), .task("b", timeLimit: .seconds(13)),
            ], policy: .atOnce(2))
        world.submit("a")
        world.submit("b")
        var steps: [String] = []
        while world.passUntilTimer() {
            for action in world.actions {
                switch action {
                case .expire(let attempt, _, _, _): steps.append("told \(attempt)")
                case .terminate(let attempt): steps.append("terminated \(attempt)")
                case .kill(let attempt): steps.append("killed \(attempt)")
                default: break
                }
            }
        }
        #expect(
            steps == [
                "told 1", "told 2", "terminated 1", "killed 1", "terminated 2", "killed 2",
            ])
    }

    @Test("two attempts whose time limits end within a millisecond both expire in time")
    func close() {
        var world = World(
            ["a", "b"].map { .task($0, timeLimit: .seconds(10)) }, policy: .atOnce(2))
        world.submit("a")
        world.submit("b", after: Interval(nanoseconds: 400_000))
        for identifier in ["a", "b"] {
            world.passUntilTimer()
            #expect(world.expiredIdentifiers == [identifier])
        }
    }
}
