// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Messages about trials", .timeLimit(.minutes(10)))
struct TrialWireTests {
    @Test(
        "a load message has the version of the host for the plugin, and the device",
        arguments: [
            nil,
            HostMessage.Trial(abiVersion: 65_635, hasExtensions: false, hasLongerStructs: true),
            HostMessage.Trial(abiVersion: 0, hasExtensions: true, hasLongerStructs: false),
        ])
    func load(_ trial: HostMessage.Trial?) throws {
        let message = HostMessage.load(
            HostMessage.Load(
                plugin: "/a.so", displayPath: "a.so", trial: trial,
                device: trial == nil
                    ? nil
                    : HostMessage.Device(
                        externalPower: 1, batteryPercent: 2, lowPowerMode: 1, network: 0,
                        networkMetered: -1, userIdle: 0, thermalState: 3, backgroundRefresh: 2)))
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

    private static let registrations = [
        Registration(identifier: "a.b", kind: 1, delayNanoseconds: .max, requires: 3),
        Registration(identifier: "a.*"), Registration(identifier: nil, kind: 3),
    ]

    @Test(
        "registrations of a plugin are read unchanged, with the description and after it",
        arguments: [
            WorkerMessage.registered(registrations[0]), .registered(registrations[2]),
            .loaded(
                .init(
                    name: "n", version: nil, abiVersion: 1, flags: 2, handlers: ["default"],
                    registrations: registrations)),
            .loaded(
                .init(
                    name: "n", version: "1", abiVersion: 1, flags: 2, handlers: [],
                    registrations: [])),
        ])
    func registered(_ message: WorkerMessage) throws {
        let payload = try #require(try Self.payload(message.frame))
        #expect(try WorkerMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try WorkerMessage(payload: payload.prefix(count)) }
        }
    }

    @Test(
        "a task has a handler if its plugin has one of that name, and has registered it")
    func handles() {
        var loaded = WorkerMessage.Loaded(
            name: "n", version: nil, abiVersion: 1, flags: 0, handlers: ["default", "run"])
        #expect(loaded.hasHandler("run", for: "x", kind: 2))
        #expect(!loaded.hasHandler("ran", for: "x", kind: 2))
        #expect(loaded.hasHandler("default", for: "x", kind: 2))
        loaded.registrations = Self.registrations
        #expect(loaded.hasHandler("run", for: "x", kind: 2))
        #expect(!loaded.hasHandler("default", for: "x", kind: 2))
        #expect(loaded.hasHandler("default", for: "a.b", kind: 2))
        #expect(!loaded.hasHandler("default", for: "A.b", kind: 2))
        #expect(loaded.hasHandler("default", for: "a.c", kind: 2))
        #expect(!loaded.hasHandler("default", for: "a", kind: 2))
        #expect(loaded.hasHandler("default", for: "x", kind: 3))
        loaded.add(Registration(identifier: "p.one"))
        #expect(loaded.registered("default", for: "p.*", kind: 4) == ["p.one"])
        #expect(loaded.registered("default", for: "a.*", kind: 4) == ["a.*"])
    }

    private static func payload(_ frame: [UInt8]) throws -> ArraySlice<UInt8>? {
        var frames = FrameBuffer()
        frame.withUnsafeBytes { frames.append($0) }
        return try frames.next()
    }
}
