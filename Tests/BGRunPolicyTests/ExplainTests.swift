// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

@Suite("The lines of an explanation", .timeLimit(.minutes(5)))
struct ExplainTests {
    private func explain(_ world: World, _ identifier: String) throws -> Explanation {
        try #require(world.engine.explain(identifier, at: world.wall))
    }

    private func line(_ explanation: Explanation, _ name: String) throws -> Explanation.Line {
        try #require(explanation.lines.first { $0.name == name })
    }

    @Test("include every condition with its value, requirement and date")
    func conditions() throws {
        var world = World(
            [.task("a", requires: [.externalPower, .network, .unmeteredNetwork])],
            device: DeviceState(externalPower: .yes, network: .yes, networkMetered: .yes))
        world.submit("a")
        world.pass(.minutes(5))
        let lost = world.wall
        world.handle(
            .deviceChanged(DeviceState(externalPower: .no, network: .yes, networkMetered: .yes)))
        world.pass(.minutes(1))
        let explanation = try explain(world, "a")
        #expect(
            try line(explanation, "power")
                == Explanation.Line(
                    subject: .condition, name: "power", current: "battery", needed: "external",
                    isSatisfied: false, since: lost))
        let networks = explanation.lines.filter { $0.name == "network" }
        #expect(networks.map(\.needed) == ["any", "unmetered"])
        #expect(networks.map(\.current) == ["any", "metered"])
        #expect(networks.map(\.isSatisfied) == [true, false])
        #expect(explanation.reason == .conditions([.externalPower, .unmeteredNetwork]))
        #expect(explanation.next == nil)
    }

    @Test("include every factor of the kind, with the next date at which one changes by itself")
    func factors() throws {
        var world = World(
            [.task("a", kind: .appRefresh)],
            device: DeviceState(externalPower: .no, batteryPercent: 50))
        world.submit("a")
        world.end("a", after: .minutes(1))
        world.submit("a")
        let explanation = try explain(world, "a")
        #expect(
            explanation.lines.filter { $0.subject == .factor }.map(\.name)
                == TaskKind.appRefresh.factors.map(\.name))
        let due = world.wall.advanced(by: .minutes(14))
        #expect(
            try line(explanation, "rate-limit")
                == Explanation.Line(
                    subject: .factor, name: "rate-limit", current: "launched 1m ago",
                    needed: "15m apart",
                    isSatisfied: false, since: world.wall.advanced(by: .minutes(-1)), until: due))
        #expect(try line(explanation, "budget").current == "1m of 10m spent")
        #expect(explanation.next == due)
        #expect(explanation.reason == .factor(.rateLimit, until: due))
    }

    @Test("include the charge that would suffice now")
    func power() throws {
        var world = World(
            [.task("a")], device: DeviceState(externalPower: .no, batteryPercent: 50))
        world.submit("a")
        world.pass(.hours(12))
        let line = try line(explain(world, "a"), "power-preference")
        #expect(line.current == "battery, 50%" && line.needed == "power, or 80% by now")
        #expect(line.until == world.wall.advanced(by: .hours(18)))
    }

    @Test("include running attempts, also for an identifier that is not pending")
    func states() throws {
        var world = World([.task("a"), .task("b")], policy: .atOnce(1))
        #expect(try explain(world, "a").state == .idle)
        #expect(try explain(world, "a").lines.allSatisfy(\.isSatisfied))
        world.submit("a")
        guard case .running(let running) = try explain(world, "a").state else {
            Issue.record("it is not running")
            return
        }
        #expect(running.attempt == 1 && running.phase == .granted(.time))
        #expect(try #require(running.until) > world.wall)
        #expect(try !explain(world, "a").lines.contains { $0.name == "overlap" })
        #expect(try line(explain(world, "b"), "attempts").isSatisfied == false)
        #expect(try explain(world, "b").reason == nil)
        #expect(world.engine.explain("unheard-of", at: world.wall) == nil)
    }

    @Test("are all satisfied exactly if the request is eligible", arguments: UInt64(1)...10)
    func agrees(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        for step in 0..<300 {
            _ = simulation.step()
            let engine = simulation.world.engine
            for request in engine.pendingRequests {
                let explanation = engine.explain(request.identifier, at: simulation.world.wall)
                guard let reason = explanation?.reason, reason != .notAdmitted else { continue }
                #expect(
                    explanation?.lines.allSatisfy(\.isSatisfied) == (reason == .eligible),
                    "seed \(seed), step \(step)")
            }
        }
    }
}
