// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Messages about a worker's process", .timeLimit(.minutes(5)))
struct ProcessWireTests {
    static let fromWorker: [WorkerMessage] = [
        .completed(attempt: 7, success: nil, message: "nothing to tell", enteredMonotonic: -1),
        .completed(attempt: .min, success: nil, message: nil, enteredMonotonic: .max),
        .call(
            attempt: 0, call: 3,
            .submit(
                WorkerMessage.Request(
                    identifier: "a", parameters: "{}", delayNanoseconds: 5, requires: 3, kind: 4,
                    isOnlyImmediate: true, annotations: "tag:a"))),
    ]

    static let fromHost: [HostMessage] = [
        .device(
            HostMessage.Device(
                externalPower: 1, batteryPercent: 80, lowPowerMode: 0, network: 1,
                networkMetered: -1, userIdle: -1, thermalState: 3, backgroundRefresh: 2)),
        .answer(
            call: 3,
            HostMessage.Answer(
                status: 0,
                pending: [
                    HostMessage.Pending(
                        identifier: "a", kind: 4, earliestUnixNanoseconds: 9, requires: 64,
                        parameters: "{}", isOnlyImmediate: true, annotations: "tag:a tag:b")
                ])),
    ]

    @Test(
        "messages of a worker are read unchanged, and malformed if truncated",
        arguments: fromWorker)
    func worker(_ message: WorkerMessage) throws {
        let payload = try Self.payload(of: message.frame)
        #expect(try WorkerMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try WorkerMessage(payload: payload.prefix(count)) }
        }
    }

    @Test("messages of a host are read unchanged, and malformed if truncated", arguments: fromHost)
    func host(_ message: HostMessage) throws {
        let payload = try Self.payload(of: message.frame)
        #expect(try HostMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try HostMessage(payload: payload.prefix(count)) }
        }
    }

    private static func payload(of frame: [UInt8]) throws -> ArraySlice<UInt8> {
        var frames = FrameBuffer()
        frame.withUnsafeBytes { frames.append($0) }
        return try #require(try frames.next())
    }
}
