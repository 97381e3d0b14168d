// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Messages about assertions", .timeLimit(.minutes(10)))
struct AssertionWireTests {
    static let messages: [WorkerMessage] = [
        .assertionBegan(attempt: 7, id: 1, name: "upload"),
        .assertionBegan(attempt: .max, id: .max, name: nil),
        .assertionEnded(attempt: 7, id: 1),
    ]

    @Test("messages of a worker are read unchanged", arguments: messages)
    func roundTrip(_ message: WorkerMessage) throws {
        var frames = FrameBuffer()
        message.frame.withUnsafeBytes { frames.append($0) }
        let payload = try #require(try frames.next())
        #expect(try WorkerMessage(payload: payload) == message)
    }

    @Test("a truncated message is malformed", arguments: messages)
    func cut(_ message: WorkerMessage) throws {
        var frames = FrameBuffer()
        message.frame.withUnsafeBytes { frames.append($0) }
        let payload = try #require(try frames.next())
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try WorkerMessage(payload: payload.prefix(count)) }
        }
    }

    @Test("a launch has the time limit of assertions, and the names of secrets")
    func launch() throws {
        let message = HostMessage.launch(
            HostMessage.Launch(
                attempt: 1, identifier: "a", kind: 1, attemptNumber: 1, action: .handler("run"),
                parameters: "{}", manifestDirectory: "/", deadlineBoottime: 5,
                assertionLimitNanoseconds: 30_000_000_000,
                device: HostMessage.Device(
                    externalPower: 1, batteryPercent: 80, lowPowerMode: 0, network: 1,
                    networkMetered: -1, userIdle: -1, thermalState: 0), checkpoint: nil,
                secrets: ["token", "API_KEY"]))
        var frames = FrameBuffer()
        message.frame.withUnsafeBytes { frames.append($0) }
        let payload = try #require(try frames.next())
        #expect(try HostMessage(payload: payload) == message)
    }
}
