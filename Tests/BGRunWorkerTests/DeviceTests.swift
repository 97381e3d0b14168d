// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Readings of the device in the worker", .timeLimit(.minutes(10)))
struct DeviceTests {
    @Test("observers are called when readings change, not when they are repeated")
    func observers() async throws {
        var changed = PlayedHost.device
        changed.externalPower = 1
        let told = try await PlayedHost.run(
            "observe", readings: { $0 < 50 ? PlayedHost.device : changed })
        #expect(told.calls.count == 50)
        #expect(told.lines == ["noticed 1"])
    }
}
