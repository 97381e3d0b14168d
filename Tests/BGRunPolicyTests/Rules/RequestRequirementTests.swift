// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A request that requires more than its task does", .timeLimit(.minutes(5)))
struct RequestRequirementTests {
    private func submission(_ requires: Conditions) -> Submission {
        Submission(identifier: "a", requires: requires)
    }

    @Test("waits for both, and explain shows both")
    func waits() throws {
        var world = World([.task("a", requires: .network)])
        world.handle(.submit(submission(.externalPower), ticket: 7))
        #expect(world.reason("a") == .conditions([.network, .externalPower]))
        let names = try #require(world.engine.explain("a", at: world.wall)).lines.map(\.name)
        #expect(names.contains("power") && names.contains("network"))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)))
        #expect(world.reason("a") == .conditions(.network))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes, network: .yes)))
        #expect(world.launched == ["a"])
    }

    @Test("loses its attempt with its own requirement, and waits for it again")
    func revoked() {
        var world = World([.task("a")], device: DeviceState(externalPower: .yes))
        world.handle(.submit(submission(.externalPower), ticket: 7))
        world.handle(.deviceChanged(DeviceState(externalPower: .no)))
        #expect(world.expired == [.powerLost])
        world.end("a", .expired(.powerLost, reported: true))
        #expect(world.reason("a") == .conditions(.externalPower))
    }

    @Test("does not add its requirement to the next request of its task")
    func next() {
        var world = World([.task("a")])
        world.handle(.submit(submission(.externalPower), ticket: 7))
        #expect(world.isPending("a"))
        world.submit("a")
        #expect(world.isRunning("a"))
    }

    @Test("keeps its requirement across a restart, a changed manifest and a snapshot")
    func kept() throws {
        var world = World([.task("a")])
        world.handle(.submit(submission(.externalPower), ticket: 7))
        let request = try #require(world.stored.first)
        #expect(request.requires == .externalPower)
        var restored = World(
            [.task("a")], restoring: Engine.Restoration(requests: [request], nextRequestID: 2))
        restored.handle(.start)
        #expect(restored.reason("a") == .conditions(.externalPower))
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a", requires: .idle)])
        world.handle(.manifestLoaded(added: []))
        #expect(world.reason("a") == .conditions([.externalPower, .idle]))
        let twin = Engine(world.engine.configuration, world.engine.snapshot)
        #expect(
            twin?.pendingReason("a", at: world.wall) == .conditions([.externalPower, .idle]))
    }

    @Test("passes its requirement to the next period, and keeps it when triggered")
    func handedOn() {
        var world = World(
            [.task("a", every: .hours(1))], device: DeviceState(externalPower: .yes))
        world.handle(.submit(submission(.externalPower), ticket: 7))
        world.end("a")
        #expect(world.engine.pendingRequest("a")?.requires == .externalPower)
        world.handle(.trigger(Submission(identifier: "a", parameters: "{}"), ticket: 7))
        #expect(world.engine.runningAttempt("a")?.request.requires == .externalPower)
    }
}
