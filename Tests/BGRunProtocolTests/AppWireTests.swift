// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Messages about the app to a worker", .timeLimit(.minutes(10)))
struct AppWireTests {
    private static let app = HostMessage.App(
        identifier: "com.example.photos", manifestDirectory: "/home/ada",
        permitted: ["com.example.photos.refresh", "com.example.photos.export.*"],
        tasks: [
            HostMessage.App.Task(identifier: "com.example.photos.refresh", kind: 1, requires: 3)
        ])

    @Test(
        "a load message is read unchanged, with and without a manifest",
        arguments: [app, nil])
    func load(app: HostMessage.App?) throws {
        let message = HostMessage.load(
            HostMessage.Load(plugin: "./libphotos.so", displayPath: "libphotos.so", app: app))
        var frames = FrameBuffer()
        message.frame.withUnsafeBytes { frames.append($0) }
        let payload = try #require(try frames.next())
        #expect(try HostMessage(payload: payload) == message)
        for count in 0..<payload.count {
            #expect(throws: WireError.self) { try HostMessage(payload: payload.prefix(count)) }
        }
    }
}
