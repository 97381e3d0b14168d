// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Processing while the device is in use", .timeLimit(.minutes(5)))
struct UserActivityTests {
    @Test(
        "under apple processing waits while the device is in use",
        arguments: [
            (TaskKind.processing, Reading.no, true), (.processing, .yes, false),
            (.processing, .unknown, false), (.appRefresh, .no, false), (.push, .no, false),
            (.continued, .no, false), (.transfer, .no, false),
        ])
    func waits(kind: TaskKind, idle: Reading, isHeld: Bool) {
        var world = World([.task("a", kind: kind)], device: DeviceState(userIdle: idle))
        world.submit("a")
        #expect(world.isRunning("a") == !isHeld)
        #expect(world.reason("a") == (isHeld ? .factor(.userActivity, until: nil) : nil))
        guard isHeld else { return }
        #expect(
            world.engine.pendingSentence("a", at: world.wall)
                == "waits for the device to be idle; `bgrun device` says why it is not")
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.launched == ["a"])
    }

    @Test("use of the device ends processing, which is pending again unchanged")
    func revoked() {
        var world = World([.task("a")], device: DeviceState(userIdle: .yes))
        world.submit("a")
        world.handle(.deviceChanged(DeviceState(userIdle: .no)))
        #expect(world.expired == [.userActive])
        world.end("a", .expired(.userActive, reported: nil), after: .seconds(1))
        #expect(world.engine.pendingRequest("a")?.failures == 0)
        #expect(world.launched == [])
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.launched == ["a"])
    }

    @Test("use affects neither triggered attempts, nor `server`, nor a disabled number")
    func exceptions() {
        var forced = World([.task("a")], device: DeviceState(userIdle: .yes))
        forced.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        forced.handle(.deviceChanged(DeviceState(userIdle: .no)))
        #expect(forced.expired == [])
        var off = Policy.apple
        off.processingNeedsIdle = false
        for policy in [Policy.server, off] {
            var world = World([.task("a")], policy: policy, device: DeviceState(userIdle: .no))
            world.submit("a")
            #expect(world.isRunning("a"))
            world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
            world.handle(.deviceChanged(DeviceState(userIdle: .no)))
            #expect(world.expired == [])
            #expect(
                !(world.engine.explain("a", at: world.wall)?.lines ?? []).contains {
                    $0.name == "user-activity"
                })
        }
    }

    @Test("explain shows the reading, and an unknown reading delays nothing")
    func explained() throws {
        for (idle, current, satisfied) in [
            (Reading.no, "not idle", false), (.yes, "idle", true), (.unknown, "unknown", true),
        ] {
            let world = World([.task("a")], device: DeviceState(userIdle: idle))
            let line = try #require(
                world.engine.explain("a", at: world.wall)?.lines.first {
                    $0.name == "user-activity"
                })
            #expect(line.current == current && line.needed == "idle")
            #expect(line.satisfied == satisfied)
            #expect(line.note == (idle == .unknown ? .unknown : nil))
        }
    }

    @Test("a task that requires an idle device waits only for that")
    func required() {
        var world = World([.task("a", requires: .idle)], device: DeviceState(userIdle: .no))
        world.submit("a")
        #expect(world.reason("a") == .conditions(.idle))
        #expect(!world.engine.needs.factors.contains(.userActivity))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        world.handle(.deviceChanged(DeviceState()))
        #expect(world.expired == [.userActive], "what is required must be known")
    }

    @Test("use is polled only while processing waits or runs")
    func looked() {
        var world = World([.task("a")], device: DeviceState(userIdle: .no))
        #expect(!world.engine.needs.factors.contains(.userActivity))
        world.submit("a")
        #expect(world.engine.needs.factors.contains(.userActivity))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.engine.needs.factors.contains(.userActivity))
        world.end("a")
        #expect(!world.engine.needs.factors.contains(.userActivity))
    }
}
