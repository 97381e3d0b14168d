// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import Testing

@testable import BGRunControl
@testable import BGRunHost

@Suite("A host and its device", .timeLimit(.minutes(5)))
struct DeviceHostTests {
    private let connected = DeviceState(externalPower: .yes, network: .yes, networkMetered: .no)

    private func bench() throws -> HostBench {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  requires: {network: any}"),
            rest: "policy: {profile: server, network_gained_after: 15s, network_lost_after: 5s}")
        bench.host.deviceReads(connected)
        try bench.host.start()
        return bench
    }

    @Test("after the machine has slept, readings settle again before anything is launched")
    func resumed() throws {
        let bench = try bench()
        bench.host.deviceSuspends(within: nil)
        bench.clock.sleep(.hours(1))
        bench.submit("org.test.a")
        bench.host.deviceResumed()
        // The network is available, as before the sleep, but has to settle again.
        #expect(bench.supervisor.launched == [])
        bench.clock.advance(by: .seconds(14))
        #expect(bench.supervisor.launched == [])
        bench.clock.advance(by: .seconds(2))
        #expect(bench.supervisor.launched == [1])
    }

    @Test(
        "a network counts when it has lasted, and a short interruption is ignored")
    func settles() throws {
        let bench = try bench()
        bench.host.deviceReads(DeviceState(externalPower: .yes, network: .no))
        bench.clock.advance(by: .seconds(4))
        bench.submit("org.test.a")
        #expect(bench.supervisor.launched == [1])
        bench.clock.advance(by: .seconds(1))
        #expect(
            bench.supervisor.calls.contains {
                if case .expire(1, .networkLost, _, _) = $0 { true } else { false }
            })
    }

    @Test("readiness to sleep is reported when nothing runs")
    func readyToSleep() throws {
        let bench = try bench()
        bench.submit("org.test.a")
        bench.host.deviceSuspends(within: .seconds(10))
        #expect(bench.observer.maySleepCalls == 0)
        bench.supervisor.end(1, .expired(.suspend, reported: nil))
        #expect(bench.observer.maySleepCalls == 1)
    }

    @Test("time that passed during sleep is noticed before the next event")
    func slept() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  expiration: {after: 1m}")
        ).started()
        bench.submit("org.test.a")
        bench.clock.sleep(.hours(1))
        bench.host.send(.timer)
        #expect(
            bench.supervisor.calls.contains {
                if case .expire(1, .suspend, _, _) = $0 { true } else { false }
            })
    }

    @Test("a reading that changes nothing causes no event")
    func sameReading() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        for charge in [50, 50, 50, 60] {
            bench.host.deviceReads(DeviceState(batteryPercent: charge))
        }
        let changes = bench.observer.events.filter {
            if case .deviceChanged = $0 { true } else { false }
        }
        #expect(changes.count == 2)
    }

    @Test("a handler is launched with the readings of the device")
    func launched() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.host.deviceReads(DeviceState(externalPower: .no, batteryPercent: 55))
        bench.submit("org.test.a")
        let device = bench.supervisor.works[1]?.launch.device
        #expect(device?.batteryPercent == 55)
        #expect(device?.externalPower == Reading.no.rawValue)
    }

    @Test("the overview has each reading with the date of its last change")
    func overview() throws {
        let bench = try HostBench(HostBench.task("org.test.a"))
        bench.host.deviceReads(DeviceState(batteryPercent: 50))
        try bench.host.start()
        func battery() -> DeviceBand? {
            bench.host.overview().device.first { $0.name == "battery" }
        }
        #expect(battery() == DeviceBand(name: "battery", value: "50%"))
        bench.clock.advance(by: .minutes(1))
        let changed = bench.host.now
        bench.host.deviceReads(DeviceState(batteryPercent: 49))
        bench.clock.advance(by: .minutes(1))
        #expect(battery() == DeviceBand(name: "battery", value: "49%", since: changed))
    }
}
