// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Conditions of requests and attempts", .timeLimit(.minutes(5)))
struct ConditionsTests {
    /// A device on which all conditions hold.
    static let ideal = DeviceState(
        externalPower: .yes, batteryPercent: 80, network: .yes, networkMetered: .no,
        userIdle: .yes, storageLow: .no, gpu: .yes, memoryLow: .no)

    /// A condition, a device that does not meet it, and the reason of a revocation.
    static let losses: [(Conditions, DeviceState, StopReason)] = [
        (.externalPower, without { $0.externalPower = .no }, .powerLost),
        (.network, without { $0.network = .no }, .networkLost),
        ([.network, .unmeteredNetwork], without { $0.networkMetered = .yes }, .becameMetered),
        ([.network, .unmeteredNetwork], without { $0.network = .no }, .networkLost),
        (.idle, without { $0.userIdle = .no }, .userActive),
        (.batteryNotLow, without { $0.batteryPercent = 19 }, .lowBattery),
        (.storageNotLow, without { $0.storageLow = .yes }, .pressure),
        (.memoryNotLow, without { $0.memoryLow = .yes }, .pressure),
        (.memoryNotLow, without { $0.memoryLow = .unknown }, .pressure),
        (.gpu, without { $0.gpu = .no }, .pressure),
        (.externalPower, without { $0.externalPower = .unknown }, .powerLost),
    ]

    private static func without(_ lose: (inout DeviceState) -> Void) -> DeviceState {
        var device = ideal
        lose(&device)
        return device
    }

    @Test("each plain reading decides its condition, with the same name everywhere")
    func plain() {
        var device = Self.ideal
        for reading in PlainReading.all {
            for value in [Reading.yes, .no, .unknown] {
                device[keyPath: reading.path] = value
                let holds = device.satisfiedConditions(policy: .apple).contains(reading.condition)
                #expect(holds == (value == reading.good), "\(reading.name)")
                let isUnknown = device.unknownConditions.contains(reading.condition)
                #expect(isUnknown == (value == .unknown), "\(reading.name)")
            }
        }
        #expect(
            PlainReading.all.flatMap(\.condition.names)
                == ["storage: not-low", "gpu: true", "memory: not-low"])
        #expect(
            PlainReading.all.map { $0.requirement($0.good == .yes ? .no : .yes) }
                == ["low", "false", "low"])
        let bits = PlainReading.all.map(\.condition.rawValue)
        #expect(Set(bits).count == bits.count && Conditions.each.count == 8)
    }

    @Test("a request waits without a timer until its condition holds", arguments: losses)
    func waits(requires: Conditions, lacking: DeviceState, reason: StopReason) {
        var world = World([.task("a", requires: requires)], device: lacking)
        world.submit("a")
        #expect(world.launched == [])
        #expect(world.wake == nil)
        world.handle(.deviceChanged(Self.ideal))
        #expect(world.launched == ["a"])
    }

    @Test(
        "a condition is needed while a request that is due waits for it or an attempt depends on it"
    )
    func needed() {
        var world = World(
            [.task("a", requires: .idle), .task("b", requires: .externalPower)], policy: .used,
            device: Self.without { $0.userIdle = .no })
        #expect(world.engine.needs.conditions == [])
        world.submit("a")
        world.submit("b", delay: .hours(1))
        #expect(world.engine.needs.conditions == .idle)
        world.handle(.timer, after: .hours(1))
        #expect(world.launched == ["b"])
        #expect(world.engine.needs.conditions == [.idle, .externalPower])
        world.end("b")
        world.handle(.cancelAll(ticket: nil))
        #expect(world.engine.needs.conditions == [])
    }

    @Test("the factors of a kind are needed while a request of it is due or an attempt runs")
    func neededFactors() {
        var world = World([.task("a", kind: .continued), .task("b", kind: .appRefresh)])
        #expect(world.engine.needs == Needs())
        world.submit("b", delay: .hours(1))
        #expect(world.engine.needs == Needs())
        world.submit("a")
        #expect(world.engine.needs.factors == Factors(TaskKind.continued.factors))
        world.handle(.timer, after: .hours(1))
        #expect(world.engine.needs.factors.contains(.lowPowerMode))
        world.end("a")
        world.end("b")
        #expect(world.engine.needs == Needs())
    }

    @Test("a factor that the policy has disabled is not needed")
    func inertFactors() {
        var world = World([.task("a")], policy: .server)
        world.submit("a")
        #expect(!world.engine.needs.factors.contains(.pressure))
        #expect(!world.engine.needs.factors.contains(.powerPreference))
        #expect(world.engine.needs.factors.contains(.thermal))
    }

    @Test("a lost condition revokes the attempt with its reason", arguments: losses)
    func revokes(requires: Conditions, lacking: DeviceState, reason: StopReason) {
        var world = World([.task("a", requires: requires), .task("b")], device: Self.ideal)
        world.submit("a")
        world.submit("b")
        world.handle(.deviceChanged(lacking))
        #expect(world.expired == [reason])
    }

    @Test("the request of a revoked attempt waits unchanged for its condition")
    func requeues() throws {
        let lacking = Self.without { $0.externalPower = .no }
        var world = World([.task("a", requires: .externalPower)], device: Self.ideal)
        world.submit("a", parameters: "{\"n\":1}")
        let request = try #require(world.engine.runningAttempt("a")).request
        world.handle(.deviceChanged(lacking))
        world.end("a", .expired(.powerLost, reported: false))
        #expect(world.engine.pendingRequest("a") == request)
        world.handle(.deviceChanged(Self.ideal))
        #expect(world.launched == ["a"])
    }

    @Test("an attempt is revoked only once, even if further conditions are lost")
    func once() {
        var world = World([.task("a", requires: [.externalPower, .idle])], device: Self.ideal)
        world.submit("a")
        world.handle(.deviceChanged(Self.without { $0.userIdle = .no }))
        #expect(world.expired == [.userActive])
        world.handle(.deviceChanged(DeviceState()))
        #expect(world.expired == [])
    }

    @Test("the reason of several simultaneous losses is the first in the order of `each`")
    func firstReason() {
        var world = World(
            [.task("a", requires: [.idle, .network, .externalPower])], device: Self.ideal)
        world.submit("a")
        world.handle(.deviceChanged(DeviceState()))
        #expect(world.expired == [.powerLost])
    }

    @Test("a triggered attempt is not revoked because of a condition")
    func forced() {
        var world = World([.task("a", requires: .externalPower)], device: DeviceState())
        world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.expired == [])
        #expect(world.isRunning("a"))
    }

    @Test("a waiting request does not delay later ones")
    func overtaken() {
        var world = World(
            [.task("a", requires: .network), .task("b")], policy: .atOnce(1),
            device: Self.without { $0.network = .no })
        world.submit("a")
        world.submit("b")
        #expect(world.isRunning("b"))
    }

    @Test(
        "the battery is low below the gate; without a battery power counts; unknown means no",
        arguments: [
            (Int?(20), Reading.no, true), (19, .no, false), (19, .yes, false), (nil, .yes, true),
            (nil, .no, false), (nil, .unknown, false), (20, .unknown, true),
        ])
    func battery(percent: Int?, power: Reading, holds: Bool) {
        let device = DeviceState(externalPower: power, batteryPercent: percent)
        #expect(
            device.satisfiedConditions(policy: .apple).contains(.batteryNotLow) == holds)
        // The charge matters, but is unknown.
        #expect(
            device.unknownConditions.contains(.batteryNotLow) == (percent == nil && power != .yes))
    }

    @Test("the reason states that a condition is unknown")
    func unknown() {
        var world = World(
            [.task("a", requires: [.externalPower, .unmeteredNetwork])],
            device: DeviceState(externalPower: .no, network: .yes))
        world.submit("a")
        #expect(
            world.engine.pendingSentence("a", at: world.wall)
                == "waits for power: external, network: unmetered; unknown here: "
                + "network: unmetered; `bgrun device` says why, and what to do")
        world.handle(.deviceChanged(DeviceState(network: .yes, networkMetered: .no)))
        #expect(
            world.engine.pendingSentence("a", at: world.wall)?
                .contains("unknown here: power: external;") == true)
        world.handle(.deviceChanged(DeviceState(externalPower: .no, networkMetered: .no)))
        world = World(
            [.task("a", requires: .batteryNotLow)], device: DeviceState(externalPower: .no))
        world.submit("a")
        #expect(
            world.engine.pendingSentence("a", at: world.wall)
                == "waits for battery: not-low; unknown here: battery: not-low; `bgrun device` says "
                + "why, and what to do")
        #expect(
            DeviceState().unknownConditions == Conditions.each.reduce(into: []) { $0.insert($1) })
    }
}
