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
                    satisfied: false, since: lost))
        let networks = explanation.lines.filter { $0.name == "network" }
        #expect(networks.map(\.needed) == ["any", "unmetered"])
        #expect(networks.map(\.current) == ["any", "metered"])
        #expect(networks.map(\.satisfied) == [true, false])
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
                    satisfied: false, since: world.wall.advanced(by: .minutes(-1)), until: due))
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

    private func note(
        _ device: DeviceState, _ name: String, changed: DeviceState? = nil,
        after interval: Interval = .zero, policy: Policy = .apple
    ) throws -> (satisfied: Bool, note: Explanation.Note?) {
        var world = World([.task("a", requires: .gpu)], policy: policy, device: device)
        world.submit("a")
        if let changed { world.handle(.deviceChanged(changed)) }
        world.pass(interval)
        let line = try line(explain(world, "a"), name)
        return (line.satisfied, line.note)
    }

    @Test(
        "note an unknown reading, which a factor treats as met",
        arguments: [
            "critical-battery", "app-usage", "thermal", "pressure", "power-preference",
            "user-activity",
        ])
    func unknownReading(_ name: String) throws {
        #expect(try note(DeviceState(), name) == (true, .unknown))
        #expect(
            try name == "app-usage"
                || note(
                    DeviceState(
                        externalPower: .yes, userIdle: .yes, thermal: .fair, pressure: .no), name)
                    == (true, nil)
        )
    }

    @Test("note an unknown reading of a condition, which is not met")
    func unknownCondition() throws {
        for (power, note) in [(Reading.unknown, Explanation.Note?.some(.unknown)), (.no, nil)] {
            let world = World(
                [.task("a", requires: .externalPower)], device: DeviceState(externalPower: power))
            let line = try line(explain(world, "a"), "power")
            #expect(line.note == note && !line.satisfied)
        }
    }

    @Test("note the low power mode and the use of the app only where they are unknown")
    func unknownOfRefresh() throws {
        for (mode, note) in [(Reading.unknown, Explanation.Note?.some(.unknown)), (.no, nil)] {
            let world = World(
                [.task("a", kind: .appRefresh)], device: DeviceState(lowPowerMode: mode))
            #expect(try line(explain(world, "a"), "low-power-mode").note == note)
            #expect(try line(explain(world, "a"), "app-usage").note == nil)
        }
        var world = World([.task("a")])
        world.handle(.appOpened(ticket: nil))
        #expect(try line(explain(world, "a"), "app-usage").note == nil)
    }

    @Test("note contention that began before the host, or lasts too long, as a preference not met")
    func toleratedPressure() throws {
        let contended = DeviceState(pressure: .yes)
        #expect(try note(contended, "pressure") == (true, .tolerated))
        #expect(
            try note(DeviceState(pressure: .no), "pressure", changed: contended) == (false, nil))
        #expect(
            try note(
                DeviceState(pressure: .no), "pressure", changed: contended, after: .minutes(11))
                == (true, .tolerated))
        var policy = Policy.apple
        policy.pressureWait = .zero
        #expect(try note(contended, "pressure", policy: policy) == (true, nil))
        #expect(try note(DeviceState(), "pressure", policy: policy) == (true, nil))
    }

    @Test("note missing power whose time is over as a preference not met")
    func toleratedPower() throws {
        func note(_ percent: Int, _ power: Reading, after hours: Int64) throws
            -> (Bool, Explanation.Note?)
        {
            try self.note(
                DeviceState(externalPower: power, batteryPercent: percent), "power-preference",
                after: .hours(hours))
        }
        #expect(try note(10, .no, after: 1) == (false, nil))
        #expect(try note(10, .no, after: 71) == (true, .tolerated))
        #expect(try note(50, .no, after: 71) == (true, nil))
        #expect(try note(50, .unknown, after: 1) == (true, .unknown))
        #expect(try note(100, .unknown, after: 1) == (true, nil))
        #expect(try note(10, .yes, after: 1) == (true, nil))
    }

    @Test("include running attempts, also for an identifier that is not pending")
    func states() throws {
        var world = World([.task("a"), .task("b")], policy: .atOnce(1))
        #expect(try explain(world, "a").state == .idle)
        #expect(try explain(world, "a").lines.allSatisfy(\.satisfied))
        world.submit("a")
        guard case .running(let running) = try explain(world, "a").state else {
            Issue.record("it is not running")
            return
        }
        #expect(running.attempt.id == 1)
        #expect(running.rung.name == "granted" && running.rung.reason == .time)
        #expect(try #require(running.until) > world.wall)
        #expect(try !explain(world, "a").lines.contains { $0.name == "overlap" })
        #expect(try line(explain(world, "b"), "attempts").satisfied == false)
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
                    explanation?.lines.allSatisfy(\.satisfied) == (reason == .eligible),
                    "seed \(seed), step \(step)")
            }
        }
    }
}
