// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import Testing

@Suite("Events that waited for a busy store", .timeLimit(.minutes(1)))
struct LateEventTests {
    /// Handles `event` a minute after it came.
    private func take(_ world: inout World, _ event: Event) {
        let arrived = world.now
        world.handle(.late(event, arrived: arrived), after: .minutes(1))
    }

    private func submission(_ identifier: String, isOnlyImmediate: Bool = false) -> Event {
        .submit(
            Submission(identifier: identifier, isOnlyImmediate: isOnlyImmediate), ticket: 7)
    }

    @Test("are launched one by one: the second is judged by what the first has started")
    func immediate() {
        var world = World(
            [.task("a", kind: .continued), .task("b", kind: .continued)], policy: .atOnce(1))
        take(&world, submission("a", isOnlyImmediate: true))
        #expect(world.launched == ["a"])
        take(&world, submission("b", isOnlyImmediate: true))
        guard case .refused? = world.reply else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
    }

    @Test("count for no limit of pending requests once they are launched")
    func limit() {
        var policy = Policy.apple
        policy.pendingAppRefresh = 1
        var world = World(
            [.task("a", kind: .appRefresh), .task("b", kind: .appRefresh)], policy: policy)
        take(&world, submission("a"))
        take(&world, submission("b"))
        guard case .accepted? = world.reply else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
    }

    @Test("run twice where the same request came again after its launch")
    func again() {
        var world = World([.task("a")], policy: .atOnce(2))
        take(&world, submission("a"))
        take(&world, submission("a"))
        #expect(world.isRunning("a") && world.isPending("a"))
    }

    @Test("that report an end make room for what comes next")
    func room() throws {
        var world = World([.task("a"), .task("b")], policy: .atOnce(1))
        world.submit("a")
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        take(&world, .attemptEnded(attempt: attempt, .completed))
        #expect(world.launched == [])
        take(&world, .trigger(Submission(identifier: "c"), ticket: 7))
        #expect(world.launched == ["b"])
    }

    @Test("let no time run out, and an event that did not wait does")
    func time() {
        var world = World([.task("a", timeLimit: .seconds(10)), .task("b")], policy: .atOnce(2))
        world.submit("a")
        take(&world, submission("b"))
        #expect(world.expired == [])
        world.handle(.timer)
        #expect(world.expired == [.time])
    }

    @Test("of a sleep to come leave the time that is left until then")
    func suspending() throws {
        var world = World([.task("a", grace: .seconds(30))])
        world.submit("a")
        let arrived = world.now
        world.handle(
            .late(.suspending(within: .seconds(15)), arrived: arrived), after: .seconds(8))
        let end = world.actions.compactMap {
            if case .expire(_, .suspend, _, let deadline) = $0 { deadline } else { nil }
        }
        let wait = world.engine.configuration.policy.terminationWait.nanoseconds
        #expect(end == [arrived.elapsed + Interval.seconds(15).nanoseconds - wait])
    }

    @Test("are not charged twice when an end is reported after a later change")
    func budget() throws {
        var policy = Policy.apple
        policy.pushSpacing = .zero
        policy.concurrentAttempts = 2
        let battery = DeviceState(externalPower: .no, batteryPercent: 90)
        var world = World(
            [
                .task("a", kind: .push, timeLimit: .minutes(20)),
                .task("b", kind: .push, timeLimit: .minutes(20)),
            ], policy: policy, device: battery)
        world.submit("a")
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.pass(.seconds(10))
        let ended = world.now
        world.pass(.seconds(20))
        world.handle(
            .late(
                .deviceChanged(DeviceState(externalPower: .no, batteryPercent: 80)), arrived: ended)
        )
        world.handle(.late(.trigger(Submission(identifier: "b"), ticket: 7), arrived: ended))
        world.handle(.late(.attemptEnded(attempt: attempt, .completed), arrived: ended))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)), after: .seconds(5))
        // 10 s or, where it was charged before its end was known, 30 s of the first, and 35 s of the second.
        let spent = world.engine.appFacts.budget.spent
        #expect(spent > .seconds(40) && spent <= .seconds(65))
    }
}
