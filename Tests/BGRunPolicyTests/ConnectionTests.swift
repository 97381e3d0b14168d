// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A connection that submits its task", .timeLimit(.minutes(5)))
struct ConnectionTests {
    private func takes(_ world: World) -> Bool {
        world.engine.takesConnection("a", at: world.now.wall)
    }

    @Test("submits it when nothing is pending and it does not run")
    func running() {
        var world = World([.task("a")])
        #expect(takes(world))
        world.submit("a")
        #expect(world.engine.runningAttempt("a") != nil)
        #expect(!takes(world))
        world.end("a", .completed)
        #expect(takes(world))
    }

    @Test("does not submit it during the delay of a retry")
    func retry() {
        var world = World([.task("a", retry: RetryRule(from: .seconds(10)))])
        world.submit("a")
        world.end("a", .failed)
        #expect(!takes(world))
    }

    @Test("submits it before the date of its schedule")
    func date() {
        var world = World([.task("a", every: .hours(1))])
        world.submit("a")
        world.end("a", .completed)
        #expect(world.engine.pendingRequest("a") != nil)
        #expect(takes(world))
    }
}
