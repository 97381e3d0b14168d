// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The reason why a request is pending", .timeLimit(.minutes(5)))
struct ExplanationTests {
    private func reason(_ world: World, _ identifier: String) -> PendingReason? {
        world.engine.pendingReason(identifier, at: world.wall)
    }

    @Test("is its date before its conditions, and these before running attempts")
    func order() throws {
        var world = World(
            [.task("a", requires: [.idle, .externalPower]), .task("b")], policy: .atOnce(1),
            device: DeviceState(externalPower: .yes))
        world.submit("b")
        world.submit("a", delay: .hours(1))
        #expect(reason(world, "a") == .notBefore(world.wall.advanced(by: .hours(1))))
        world.handle(.timer, after: .hours(1))
        #expect(reason(world, "a") == .conditions(.idle))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes, userIdle: .yes)))
        #expect(reason(world, "a") == .concurrency(limit: 1))
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("b")).id
        #expect(reason(world, "b") == .overlap(attempt: attempt))
    }

    @Test("is missing for a request that is not pending")
    func none() {
        var world = World([.task("a")])
        #expect(reason(world, "a") == nil)
        world.submit("a")
        #expect(reason(world, "a") == nil)
    }

    @Test(
        "states a duration in its largest unit, and the next one if not zero",
        arguments: [(172_800 + 300, "2d"), (172_800 + 3_600 + 60, "2d1h"), (59, "59s")])
    func brief(_ seconds: Int64, _ text: String) {
        #expect(Interval.seconds(seconds).brief == text)
    }

    @Test("is `eligible` before the host has handled its first event")
    func eligible() {
        let request = TaskRequest(
            id: 1, identifier: "a", kind: .processing, submitted: World([]).wall)
        let world = World([.task("a")], restoring: Engine.Restoration(requests: [request]))
        #expect(reason(world, "a") == .eligible)
    }

    @Test("states that a host that is ending launches nothing more")
    func ending() {
        var world = World([.task("a", earliest: .hours(1))])
        world.submit("a")
        world.handle(.shutdown)
        #expect(reason(world, "a") == .notAdmitted)
    }

    @Test("has the same sentence for idleness, whether the task or the policy requires it")
    func idleness() {
        // Without the hint: it is about the present, and the history of waits has this text, too.
        for reason in [PendingReason.conditions(.idle), .factor(.userActivity, until: nil)] {
            #expect(reason.text == "waits for the device to be idle")
        }
        var world = World([.task("a", requires: .idle)], device: DeviceState(userIdle: .no))
        world.submit("a")
        #expect(
            world.engine.pendingSentence("a", at: world.wall)
                == "waits for the device to be idle; `bgrun device` says why it is not")
        world.handle(.deviceChanged(DeviceState()))
        #expect(
            world.engine.pendingSentence("a", at: world.wall)
                == "waits for the device to be idle; unknown here: idle: true; `bgrun device` says why, "
                + "and what to do")
    }

    @Test("has a sentence with details for each reason")
    func texts() {
        #expect(
            PendingReason.conditions([.externalPower, .idle]).text
                == "waits for power: external, the device to be idle")
        #expect(PendingReason.overlap(attempt: 9).text.contains("9"))
        #expect(PendingReason.concurrency(limit: 4).text.contains("4"))
    }
}
