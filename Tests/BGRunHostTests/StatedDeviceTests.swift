// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost

@Suite("Stated over measured", .timeLimit(.minutes(10)))
struct StatedDeviceTests {
    private let measured = DeviceState(
        externalPower: .yes, batteryPercent: 80, lowPowerMode: .no, network: .yes,
        networkMetered: .no, userIdle: .no, storageLow: .no, thermal: .nominal, pressure: .no,
        gpu: .yes, memoryLow: .no)

    @Test("what a manifest does not state is what the machine says")
    func nothing() {
        #expect(measured.stated(DeviceState()) == measured)
    }

    @Test("what a manifest states stands, whatever the machine says")
    func everything() {
        let stated = DeviceState(
            externalPower: .no, batteryPercent: 5, lowPowerMode: .yes, network: .no,
            networkMetered: .yes, userIdle: .yes, storageLow: .yes, thermal: .critical,
            pressure: .yes, gpu: .no, memoryLow: .yes)
        #expect(measured.stated(stated) == stated)
        #expect(DeviceState().stated(stated) == stated)
    }

    @Test("one stated reading leaves the others alone")
    func one() {
        var expected = measured
        expected.userIdle = .yes
        #expect(measured.stated(DeviceState(userIdle: .yes)) == expected)
    }
}
