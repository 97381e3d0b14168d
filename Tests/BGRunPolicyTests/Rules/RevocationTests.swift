// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Revocations by the device", .timeLimit(.minutes(5)))
struct RevocationTests {
    static let changes: [(DeviceState, StopReason, Set<TaskKind>)] = [
        (DeviceState(thermal: .critical), .thermal, Set(TaskKind.allCases)),
        (DeviceState(thermal: .serious), .thermal, []),
        (DeviceState(lowPowerMode: .yes), .lowPowerMode, [.appRefresh, .push]),
        (
            DeviceState(externalPower: .no, batteryPercent: 5), .lowBattery,
            [.appRefresh, .processing, .push]
        ),
        (DeviceState(externalPower: .yes, batteryPercent: 5), .lowBattery, []),
    ]

    @Test("a change revokes attempts of the affected kinds with its reason", arguments: changes)
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

    @Test("a lost condition is the first reason")
    func conditionFirst() {
        var world = World(
            [.task("a", requires: .externalPower)], device: DeviceState(externalPower: .yes))
        world.submit("a")
        world.handle(.deviceChanged(DeviceState(externalPower: .no, thermal: .critical)))
        #expect(world.expired == [.powerLost])
    }

    @Test("under pressure continued work with the least progress is revoked first, one at a time")
    func victims() throws {
        var policy = Policy.apple
        policy.concurrencyLimits.continued = 3
        let identifiers = ["a", "b", "c"]
        var world = World(
            identifiers.map { .task($0, kind: .continued) } + [.task("p")], policy: policy,
            device: DeviceState(pressure: .no))
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

    /// A world in which "a" and "b" run again after contention has ended an attempt of each.
    private func yielded() -> World {
        var world = World(
            [.task("a"), .task("b")], policy: .atOnce(2), device: DeviceState(pressure: .no))
        world.submit("a")
        world.submit("b")
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(world.expiredIdentifiers == ["b"])
        world.end("b", .expired(.pressure, reported: nil))
        #expect(world.expiredIdentifiers == ["a"])
        world.end("a", .expired(.pressure, reported: nil))
        #expect(world.launched == [])
        #expect(
            world.reason("a") == .factor(.pressure, until: world.wall.advanced(by: .minutes(10))))
        world.handle(.deviceChanged(DeviceState(pressure: .no)))
        #expect(world.launched == ["a", "b"])
        return world
    }

    @Test("contention shortens a task once, and delays it until the timeout ends")
    func contention() {
        var world = yielded()
        // They may be the cause of the contention: with further revocations they never complete.
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(world.expired == [])
        world.end("a", .completed)
        #expect(world.expired == [])
    }

    @Test("contention shortens a task once, also under a changed manifest")
    func contentionAfterReload() {
        var world = yielded()
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a"), .task("b")])
        world.handle(.manifestLoaded(added: []))
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(world.expired == [])
    }

    @Test("lasting contention is normal for the machine, and delays nothing any more")
    func lastingContention() {
        var busy = World([.task("a")], device: DeviceState(pressure: .yes))
        busy.submit("a")
        #expect(busy.isRunning("a"))
        var world = World([.task("a")], device: DeviceState(pressure: .no))
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        let start = world.wall
        world.submit("a")
        #expect(world.launched == [])
        world.passUntilTimer()
        #expect(world.launched == ["a"])
        #expect(start.advanced(by: Policy.apple.pressureWait) <= world.wall)
        world.handle(.deviceChanged(DeviceState(externalPower: .yes, pressure: .yes)))
        #expect(world.expired == [])
    }

    @Test("contention on a server delays nothing")
    func serverContention() {
        var world = World(
            [.task("a"), .task("b")], policy: .server, device: DeviceState(pressure: .no))
        world.submit("a")
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(world.expired == [])
        world.submit("b")
        #expect(world.launched == ["b"])
    }

    @Test("contention shortens no other attempt while one is about to end")
    func contentionWhileEnding() {
        var world = World(
            [.task("a", timeLimit: .seconds(10)), .task("b")], policy: .atOnce(2),
            device: DeviceState(pressure: .no))
        world.submit("a")
        world.submit("b")
        world.handle(.timer, after: .seconds(10))
        #expect(world.expired == [.time])
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(world.expired == [])
        world.end("a", .expired(.time, reported: nil))
        #expect(world.expiredIdentifiers == ["b"])
    }
}
