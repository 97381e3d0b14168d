// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import Testing

@Suite("The device takes time away")
struct RevocationTests {
    static let changes: [(DeviceState, StopReason, Set<TaskKind>)] = [
        (DeviceState(thermal: .critical), .thermal, Set(TaskKind.allCases)),
        (DeviceState(thermal: .serious), .thermal, []),
        (
            DeviceState(pressure: .yes), .pressure,
            [.appRefresh, .processing, .push, .transfer]
        ),
        (DeviceState(lowPowerMode: .yes), .lowPowerMode, [.appRefresh, .push]),
        (
            DeviceState(externalPower: .no, batteryPercent: 5), .lowBattery, [.appRefresh, .push]
        ),
        (DeviceState(externalPower: .yes, batteryPercent: 5), .lowBattery, []),
    ]

    @Test("attempts of the kinds a change concerns are revoked with its reason", arguments: changes)
    func revoked(device: DeviceState, reason: StopReason, kinds: Set<TaskKind>) {
        for kind in TaskKind.allCases {
            var world = World([.task("a", kind: kind)])
            world.submit("a")
            world.handle(.deviceChanged(device))
            #expect(world.expired == (kinds.contains(kind) ? [reason] : []), "\(kind)")
            guard kinds.contains(kind) else { continue }
            world.end("a", .expired(reason, reported: nil))
            #expect(world.isPending("a"), "\(kind)")
            world.handle(.deviceChanged(DeviceState(thermal: .nominal, pressure: .no)))
            #expect(world.launched == ["a"], "\(kind)")
        }
    }

    @Test("a lost condition is the reason before anything else")
    func conditionFirst() {
        var world = World(
            [.task("a", requires: .externalPower)], device: DeviceState(externalPower: .yes))
        world.submit("a")
        world.handle(.deviceChanged(DeviceState(externalPower: .no, thermal: .critical)))
        #expect(world.expired == [.powerLost])
    }

    @Test("under pressure continued work with the least progress goes first, one at a time")
    func victims() throws {
        var policy = Policy.apple
        policy.concurrentContinued = 3
        let identifiers = ["a", "b", "c"]
        var world = World(
            identifiers.map { .task($0, kind: .continued) } + [.task("p")], policy: policy)
        for identifier in identifiers + ["p"] { world.submit(identifier) }
        for (identifier, completed) in zip(identifiers, [Int64(50), 10, 90]) {
            let attempt = try #require(world.engine.runningAttempt(identifier)).id
            world.handle(.progress(attempt: attempt, completed: completed, total: 100))
        }
        let ids = try identifiers.map { try #require(world.engine.runningAttempt($0)).id }
        func victim() -> Int64? {
            for case .expire(let attempt, _, _, _) in world.actions { return attempt }
            return nil
        }
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(victim() == world.engine.runningAttempt("p")?.id)
        #expect(world.expired == [.pressure])
        world.end("p", .expired(.pressure, reported: nil))
        #expect(victim() == ids[1])
        world.handle(.deviceChanged(DeviceState(externalPower: .yes, pressure: .yes)))
        #expect(victim() == nil)
        world.end("b", .expired(.pressure, reported: nil))
        #expect(victim() == ids[0])
        world.end("a", .expired(.pressure, reported: nil))
        #expect(victim() == nil)
        #expect(world.isRunning("c"))
    }
}
