// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Readings of the device in the worker", .timeLimit(.minutes(10)))
struct DeviceTests {
    private static let plugin = Task { () throws -> String in
        try PlayedHost.compiled("init-device")
    }

    @Test("observers are called when readings change, not when they are repeated")
    func observers() async throws {
        var changed = PlayedHost.device
        changed.externalPower = 1
        let told = try await PlayedHost.run(
            "observe", readings: { $0 < 50 ? PlayedHost.device : changed })
        #expect(told.calls.count == 50)
        #expect(told.lines == ["noticed 1"])
    }

    @Test(
        "are available without an attempt until the plugin's init returns, unknown if the host sends none",
        arguments: [(true, "0, low power 1, refresh 0"), (false, "0, low power -1, refresh -1")])
    func atLaunch(isKnown: Bool, expected: String) async throws {
        var device = HostMessage.Device.unknown
        (device.lowPowerMode, device.backgroundRefresh) = (1, 0)
        let worker = try PlayedHost.start(
            "run", of: try await Self.plugin.value, atLaunch: isKnown ? device : nil)
        defer { PlayedHost.end(worker) }
        var lines: [String] = []
        var isIdle = false
        while !isIdle {
            for message in try PlayedHost.messages(of: worker) {
                if case .log(_, _, let text) = message { lines.append(text) }
                if case .idle = message { isIdle = true }
            }
        }
        // -2 is BGRUN_E_STATE; such a call changes nothing.
        let refused = "-2, low power 9, refresh 9"
        #expect(
            lines == [
                "in init: \(expected)", "in its thread: \(expected)",
                "in an attempt: \(refused)", "in its thread later: \(refused)",
            ])
    }
}
