// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSimulation
import Testing

@Suite("The simulated device", .timeLimit(.minutes(10)))
struct SimulatedDeviceTests {
    private func device(_ text: String, seed: UInt64 = 1) throws -> SimulatedDevice {
        let manifest = try Sample.manifest(Sample.task("t", "kind: processing"))
        return SimulatedDevice(try Sample.scenario(text, for: manifest), seed: seed)
    }

    private func minutes(_ count: Int64) -> Int64 { count * 60_000_000_000 }

    @Test("a battery discharges and charges linearly, and stays within its limits")
    func battery() throws {
        let device = try device(
            """
            duration: 1d
            device:
              power: [{at: 5h, for: 10h}]
              battery: {start: 50%, lasts: 10h, charges_in: 2h}
            """)
        let levels = [(0, 50), (60, 40), (299, 0), (300, 0), (360, 50), (420, 100), (899, 100)]
        for (minute, percent) in levels {
            #expect(
                device.state(at: minutes(Int64(minute))).batteryPercent == percent, "\(minute)")
        }
        #expect(device.state(at: minutes(900 + 300)).batteryPercent == 50)
    }

    @Test("plain readings follow their windows, and are `no` outside of them")
    func plain() throws {
        let device = try device(
            "duration: 4h\ndevice: {memory: [{at: 1h, for: 1h}], gpu: [{at: 2h, for: 1h}]}")
        let states = [30, 90, 150, 210].map { device.state(at: minutes($0)) }
        #expect(states.map(\.memoryLow) == [.no, .yes, .no, .no])
        #expect(states.map(\.gpu) == [.no, .no, .yes, .no])
        #expect(states.map(\.storageLow) == [.no, .no, .no, .no])
        let constant = try self.device("duration: 4h\ndevice: {memory: low, gpu: true}")
        #expect(constant.state(at: 0).memoryLow == .yes && constant.state(at: 0).gpu == .yes)
    }

    @Test("a percentage lasts up to its end, and falls in the next nanosecond")
    func slowBattery() throws {
        let device = try device(
            "duration: 180d\ndevice: {battery: {start: 100%, lasts: 200d}}")
        for (day, percent) in [(20, 90), (160, 20), (178, 11)] as [(Int64, Int)] {
            let edge = minutes(day * 24 * 60)
            #expect(device.state(at: edge).batteryPercent == percent, "\(day)")
            #expect(device.state(at: edge + 1).batteryPercent == percent - 1, "\(day)")
        }
    }

    @Test("dates more than 292 years from the beginning mean always and never")
    func distantDates() throws {
        let device = try device(
            """
            duration: 4h
            device:
              power: [{at: 1970-01-01, until: 9000-12-31}]
              memory: [{at: 9000-01-01, for: 3660d}]
              gpu: [{at: 9000-01-01}]
            events: [{at: 9000-01-01, app: force-quit}]
            """)
        for minute in [0, 1, 239] as [Int64] {
            let state = device.state(at: minutes(minute))
            #expect(state.externalPower == .yes, "\(minute)")
            #expect(state.memoryLow == .no && state.gpu == .no, "\(minute)")
        }
    }

    @Test("a suspended device lasts longer")
    func suspendedBattery() throws {
        let device = try device(
            """
            duration: 1d
            suspend: [{at: 1h, for: 10h}]
            device: {battery: {start: 100%, lasts: 10h, lasts_suspended: 100h}}
            """)
        let levels = [(30, 95), (60, 90), (360, 85), (660, 80), (720, 70)]
        for (minute, percent) in levels {
            #expect(
                device.state(at: minutes(Int64(minute))).batteryPercent == percent, "\(minute)")
        }
    }

    @Test("a battery given by points is interpolated linearly")
    func points() throws {
        let device = try device(
            "duration: 4h\ndevice: {battery: [{at: 0s, is: 80%}, {at: 1h, is: 20%}, {at: 3h, is: 60%}]}"
        )
        let levels = [(0, 80), (30, 50), (60, 20), (120, 40), (180, 60), (239, 60)]
        for (minute, percent) in levels {
            #expect(
                device.state(at: minutes(Int64(minute))).batteryPercent == percent, "\(minute)")
        }
    }

    @Test("each change is at most one percent, and the next one is known without stepping")
    func changes() throws {
        let device = try device(
            "duration: 1d\ndevice: {battery: {start: 100%, lasts: 20h, charges_in: 2h}}")
        var instant: Int64 = 0
        var level = 100
        while let next = device.changes.first(where: { $0.at > instant })?.at {
            #expect(next > instant)
            #expect(device.state(at: next - 1).batteryPercent == level)
            level -= 1
            #expect(device.state(at: next).batteryPercent == level)
            instant = next
        }
        #expect(level == 0)
        #expect(device.changes.last?.at == instant)
    }

    @Test("a later window replaces an earlier one; a night that has begun applies at the start")
    func windows() throws {
        let device = try device(
            """
            duration: 2d
            device:
              idle: [{every: day, at: 22:00, until: 09:00}]
              network:
                - {is: metered}
                - {every: day, at: 10:00, for: 4h, is: unmetered}
                - {at: 3h, for: 30m, is: none}
            """)
        #expect(device.state(at: 0).userIdle == .yes)
        #expect(device.state(at: minutes(61)).userIdle == .no)
        func network(_ minute: Int64) -> [Reading] {
            let state = device.state(at: minutes(minute))
            return [state.network, state.networkMetered]
        }
        #expect(network(0) == [.yes, .yes])
        #expect(network(121) == [.yes, .no])
        #expect(network(181) == [.no, .unknown])
        #expect(network(211) == [.yes, .no])
        #expect(network(361) == [.yes, .yes])
    }

    @Test("weekdays and nights are those of the zone and its clock changes")
    func daylightSaving() throws {
        let manifest = try Sample.manifest(Sample.task("t", "kind: processing"))
        let text = """
            scenario: 1
            start: 2026-03-28 12:00
            zone: Europe/Berlin
            duration: 2d
            device: {idle: [{every: [sun], at: 01:00, until: 04:00}]}
            """
        let scenario = try ScenarioReader.read(
            bytes: Array(text.utf8), path: "s.yaml", for: manifest
        ).scenario
        let device = SimulatedDevice(scenario, seed: 1)
        #expect(device.changes.map(\.at) == [0, minutes(780), minutes(900)])
    }

    @Test("jitter moves each time by at most its length, differently for each seed")
    func jitter() throws {
        let text = "duration: 3d\njitter: 10m\ndevice: {power: [{every: day, at: 12:00, for: 2h}]}"
        let first = try device(text, seed: 1).changes.map(\.at)
        #expect(first == (try device(text, seed: 1).changes.map(\.at)))
        #expect(first != (try device(text, seed: 2).changes.map(\.at)))
        #expect(first.count == 7)
        let exact = [240, 360, 1680, 1800, 3120, 3240].map { minutes($0) }
        for (moved, exact) in zip(first.dropFirst(), exact) {
            #expect((exact - minutes(10)...exact + minutes(10)).contains(moved))
        }
    }
}
