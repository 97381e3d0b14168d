// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Durability of pushes", .timeLimit(.minutes(5)))
struct PushDurabilityTests {
    @Test("every accepted push is delivered, although hosts are killed at random moments")
    func killedHosts() async throws {
        let probe = try await Built.probe.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["probe": probe],
                rest: """
                    policy: {profile: server, interruption_limit: 1000}
                    push: {inbox: ./inbox}
                    """, tasks: "org.test.room.*: {kind: push, handler: probe.push}")
            var sent: Set<String> = []
            var said: [String] = []
            for round in 0..<6 {
                let host = try await box.host("--stay", until: "Pushes come from the inbox")
                let moment = Int.random(in: 0..<12)
                for number in round * 12..<round * 12 + 12 {
                    if number % 12 == moment { host.signal(SIGKILL) }
                    if try await send(number, number.isMultiple(of: 2), box) {
                        sent.insert("\(number)")
                    }
                }
                said += PushTests.messages(Self.lines(await host.stop(SIGKILL)))
                await box.expectNothingLeft()
            }
            repeat {
                let host = try await box.run("run", "--once")
                #expect(host.code == 0, "\(host.error)")
                said += PushTests.messages(Self.lines(host))
            } while try await box.pending().count > 0
            #expect(sent.count > 50)
            #expect(sent.subtracting(said) == [])
            #expect(PushSourceTests.files(box, "inbox").isEmpty)
            let explain = try await box.run("explain", "org.test.room.r1").output
            #expect(explain.contains("MESSAGES HELD: 0"), "\(explain)")
        }
    }

    private static func lines(_ finished: Finished) -> [String] {
        finished.error.split(separator: "\n").map(String.init)
    }

    /// Sends a push by command or as a file. Returns whether it was acknowledged.
    private func send(_ number: Int, _ isCommand: Bool, _ box: Sandbox) async throws -> Bool {
        let identifier = "org.test.room.r\(number)"
        guard isCommand else {
            let envelope = PushSourceTests.envelope(number)
                .replacing("org.test.changed", with: identifier)
            try PushSourceTests.drop(box, "\(number).json", envelope)
            return true
        }
        let push = try await box.run("push", identifier, "--payload", "{\"album\": \(number)}")
        return push.code == 0
    }
}
