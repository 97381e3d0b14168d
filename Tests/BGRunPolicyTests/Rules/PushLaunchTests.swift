// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Launches of pushes", .timeLimit(.minutes(5)))
struct PushLaunchTests {
    private func reason(_ world: World, _ identifier: String) -> PendingReason? {
        world.engine.pendingReason(identifier, at: world.wall)
    }

    @Test("14 pushes, 7 minutes apart, are 7 launches under apple and 14 under server")
    func fourteen() {
        for (policy, expected) in [(Policy.apple, 7), (.server, 14)] {
            var world = World([.task("a", kind: .push)], policy: policy)
            for _ in 0..<14 {
                world.submit("a")
                world.end("a")
                let next = world.elapsed + Interval.minutes(7).nanoseconds
                while let wake = world.wake, wake < next {
                    world.passUntilTimer()
                    world.end("a")
                }
                world.pass(Interval(nanoseconds: next - world.elapsed))
            }
            while world.isPending("a") {
                world.passUntilTimer()
                world.end("a")
            }
            #expect(world.launchCount == expected)
        }
    }

    @Test("a force quit cancels waiting pushes, and later ones wait for the app")
    func forceQuit() {
        var world = World([.task("a", kind: .push), .task("b", kind: .appRefresh)])
        world.submit("a")
        world.end("a")
        world.submit("a")
        world.handle(.appForceQuit(ticket: nil))
        #expect(world.engine.pendingRequest("a") == nil)
        world.pass(.hours(1))
        world.submit("a")
        #expect(!world.isRunning("a"))
        #expect(reason(world, "a") == .factor(.appSwitcher, until: nil))
        world.handle(.appOpened(ticket: nil))
        #expect(world.isRunning("a"))
    }

    @Test("opening the app delivers held pushes at once, without spacing")
    func opened() {
        opened(slots: nil)
        // A host of the daemon has no slot before a grant.
        opened(slots: 0)
    }

    private func opened(slots: Int?) {
        var world = World([.task("a", kind: .push)])
        if let slots { world.handle(.granted(slots)) }
        world.submit("a")
        if slots != nil { world.handle(.granted(1)) }
        world.end("a")
        world.submit("a")
        #expect(!world.isRunning("a"))
        world.handle(.appOpened(ticket: nil))
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(world.engine.appFacts.pushLaunches.count == 1)
    }

    @Test("opening the app does not deliver pushes from after admission was closed")
    func openedWhenClosed() {
        var world = World(
            [.task("a", kind: .push), .task("b", kind: .push)], policy: .atOnce(2))
        world.submit("a")
        world.end("a")
        world.submit("a")
        world.handle(.closeAdmission)
        world.submit("b")
        world.handle(.appOpened(ticket: nil))
        #expect(world.launched == ["a"])
        #expect(world.reason("b") == .notAdmitted)
    }

    @Test("a push with a later date, or without its condition, waits nevertheless")
    func notAtOnce() {
        var world = World([
            .task("a", kind: .push), .task("b", kind: .push, requires: .network),
        ])
        world.submit("a", delay: .hours(1))
        world.submit("b")
        world.handle(.appOpened(ticket: nil))
        #expect(!world.isRunning("a"))
        #expect(!world.isRunning("b"))
    }

    @Test(
        "the reason of a delay is the spacing or the pushes of the hour"
    )
    func sentences() {
        var policy = Policy.apple
        policy.pushSpacing = .minutes(10)
        policy.pushHourly = 2
        var world = World([.task("a", kind: .push)], policy: policy)
        world.submit("a")
        world.end("a")
        world.submit("a")
        #expect(
            world.engine.pendingSentence("a", at: world.wall)
                == "rate limited: its last launch was too recent")
        world.passUntilTimer()
        world.end("a")
        world.submit("a")
        #expect(
            world.engine.pendingSentence("a", at: world.wall)
                == "rate limited: 2 pushes were launched within the hour, which is the limit")
        #expect(
            reason(world, "a")
                == .factor(.rateLimit, until: world.wall.advanced(by: .minutes(50))))
    }
}
