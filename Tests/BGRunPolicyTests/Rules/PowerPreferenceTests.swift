// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The preference for power", .timeLimit(.minutes(5)))
struct PowerPreferenceTests {
    private func device(_ percent: Int?) -> DeviceState {
        DeviceState(externalPower: .no, batteryPercent: percent)
    }

    @Test(
        "the wait grows with the missing charge, up to the starvation deadline",
        arguments: [
            (Int?(100), Int64(0)), (60, 24), (20, 48), (nil, 0),
        ])
    func wait(percent: Int?, hours: Int64) {
        #expect(device(percent).powerPreferenceWait(policy: .apple) == .hours(hours))
        var world = World([.task("a")], device: device(percent))
        world.submit("a")
        #expect(world.isRunning("a") == (hours == 0))
        guard hours > 0 else { return }
        #expect(
            world.engine.pendingReason("a", at: world.wall)
                == .factor(.powerPreference, until: world.wall.advanced(by: .hours(hours))))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
        #expect(world.elapsed == World([]).elapsed + Interval.hours(hours).nanoseconds)
    }

    @Test("nothing waits for external power if its state is unknown")
    func unknown() {
        let device = DeviceState(externalPower: .unknown, batteryPercent: 50)
        #expect(device.powerPreferenceWait(policy: .apple) == .zero)
        var world = World([.task("a")], device: device)
        world.submit("a")
        #expect(world.launched == ["a"])
    }

    @Test("below the low gate nothing starts without power, even after a long wait")
    func critical() {
        var world = World([.task("a")], device: device(19))
        world.submit("a")
        #expect(world.reason("a") == .factor(.criticalBattery, until: nil))
        world.handle(.timer, after: .days(9))
        #expect(world.launched == [])
        world.handle(.deviceChanged(device(20)))
        #expect(world.launched == ["a"])
    }

    @Test("a request that is submitted again keeps its waiting time")
    func askedAgain() {
        var world = World([.task("a")], device: device(20))
        world.submit("a")
        world.pass(.days(1))
        world.submit("a")
        world.handle(.timer, after: .days(1))
        #expect(world.launched == ["a"])
    }

    @Test("a request that waits for its preference does not end the attempt before it")
    func overlap() {
        var world = World([.task("a", overlap: .replace)], device: device(100))
        world.submit("a")
        world.handle(.deviceChanged(device(50)))
        world.submit("a")
        #expect(world.expired == [])
        world.passUntilTimer()
        #expect(world.expired == [.time])
    }

    @Test("power ends the wait, and its loss does not revoke a task that only prefers it")
    func power() {
        var world = World([.task("a")], device: device(50))
        world.submit("a")
        world.handle(.deviceChanged(DeviceState(externalPower: .yes, batteryPercent: 50)))
        #expect(world.launched == ["a"])
        world.handle(.deviceChanged(device(50)))
        #expect(world.expired == [])
    }

    @Test("no request waits for unknown power, nor under `server`")
    func notWaited() {
        for (device, policy) in [(DeviceState(), Policy.apple), (device(30), .server)] {
            var world = World([.task("a")], policy: policy, device: device)
            world.submit("a")
            #expect(world.isRunning("a"))
        }
    }

    @Test("a falling charge lengthens the wait, a rising one shortens it")
    func changes() {
        var world = World([.task("a")], device: device(60))
        world.submit("a")
        world.handle(.deviceChanged(device(40)), after: .hours(23))
        #expect(world.wake == world.elapsed + Interval.hours(13).nanoseconds)
        world.handle(.deviceChanged(device(70)))
        #expect(world.launched == ["a"])
    }

    @Test("a clock set back makes no request wait longer than the deadline")
    func clockSetBack() {
        var world = World([.task("a")], device: device(60))
        world.submit("a")
        world.setClock(by: .days(-365))
        world.handle(.timer)
        #expect(world.wake == world.elapsed + Interval.hours(24).nanoseconds)
    }

    @Test("the sufficient charge falls linearly to the low gate")
    func sufficient() {
        for (hours, percent) in [(Int64(0), 100), (24, 60), (48, 20), (480, 20)] {
            #expect(
                DeviceState().sufficientCharge(afterWaiting: .hours(hours), policy: .apple)
                    == percent)
        }
    }
}
