// SPDX-License-Identifier: Apache-2.0

import BGRunWire
import Testing

@Suite("Trials on the wire")
struct TrialWireTests {
    @Test(
        "a load says which host the plugin is to meet",
        arguments: [
            nil,
            HostMessage.Trial(abiVersion: 65_635, hasExtensions: false, hasLongerStructs: true),
            HostMessage.Trial(abiVersion: 0, hasExtensions: true, hasLongerStructs: false),
        ])
    func load(_ trial: HostMessage.Trial?) throws {
        let message = HostMessage.load(
            HostMessage.Load(plugin: "/a.so", displayPath: "a.so", trial: trial))
        let payload = try #require(try Self.payload(message.frame))
        #expect(try HostMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try HostMessage(payload: payload.prefix(count)) }
        }
    }

    @Test("a remark names the attempt, the call and the status")
    func remark() throws {
        let message = WorkerMessage.remark(attempt: .max, call: "complete", status: -2)
        let payload = try #require(try Self.payload(message.frame))
        #expect(try WorkerMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try WorkerMessage(payload: payload.prefix(count)) }
        }
    }

    private static func payload(_ frame: [UInt8]) throws -> ArraySlice<UInt8>? {
        var frames = FrameBuffer()
        frame.withUnsafeBytes { frames.append($0) }
        return try frames.next()
    }
}
