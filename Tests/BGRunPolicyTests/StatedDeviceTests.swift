// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Readings stated in the manifest", .timeLimit(.minutes(10)))
struct StatedDeviceTests {
    private let measured = DeviceState(
        externalPower: .yes, batteryPercent: 80, lowPowerMode: .no, network: .yes,
        networkMetered: .no, userIdle: .no, storageLow: .no, thermal: .nominal, pressure: .no,
        gpu: .yes, memoryLow: .no)

    @Test("readings that a manifest does not state are those of the machine")
    func nothing() {
        #expect(measured.stated(DeviceState()) == measured)
    }

    @Test("readings that a manifest states replace those of the machine")
    func everything() {
        let stated = DeviceState(
            externalPower: .no, batteryPercent: 5, lowPowerMode: .yes, network: .no,
            networkMetered: .yes, userIdle: .yes, storageLow: .yes, thermal: .critical,
            pressure: .yes, gpu: .no, memoryLow: .yes)
        #expect(measured.stated(stated) == stated)
        #expect(DeviceState().stated(stated) == stated)
    }

    @Test("a stated reading does not change the others")
    func one() {
        var expected = measured
        expected.userIdle = .yes
        #expect(measured.stated(DeviceState(userIdle: .yes)) == expected)
    }
}
