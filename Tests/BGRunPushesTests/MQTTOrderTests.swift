// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunManifest
@testable import BGRunPushes

@Suite("Messages of a broker", .timeLimit(.minutes(5)))
struct MQTTOrderTests {
    /// The line that `bgrun-mqtt` sends for a message.
    private static func line(_ number: Int, _ identifier: String) -> String {
        let envelope =
            #"{"identifier": "\#(identifier)", "payload": {"aps": {"content-available": 1}}}"#
        let payload = Data(envelope.utf8).base64EncodedString()
        return #"{"number": \#(number), "topic": "t", "payload": "\#(payload)"}"# + "\n"
    }

    /// A replacement for bgrun-mqtt that sends two messages at once. It uses descriptor 3, and exits when
    /// that is closed.
    private func withProgram(_ body: (_ base: String, _ program: String) throws -> Void) throws {
        let base = NSTemporaryDirectory() + "bgrun-mqtt-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: base) }
        try (Self.line(1, "org.first") + Self.line(2, "org.second"))
            .write(toFile: base + "/lines", atomically: true, encoding: .utf8)
        let program = base + "/bgrun-mqtt"
        try "#!/bin/sh\ncat \(base)/lines >&3\nexec cat <&3 >/dev/null\n"
            .write(toFile: program + ".sh", atomically: true, encoding: .utf8)
        // Another process writes the program: it could not be executed while a child that another test
        // starts had it open for writing.
        let install = try Process.run(
            URL(fileURLWithPath: "/usr/bin/install"), arguments: [program + ".sh", program])
        install.waitUntilExit()
        try body(base, program)
    }

    private static let source = PushSources.MQTT(
        host: "localhost", port: 1883, isTLS: false, topics: ["t"])

    @Test("are not delivered before an earlier one that must wait")
    func order() throws {
        try withProgram { base, program in
            let loop = try EventLoop()
            var offered: [String] = []
            let sink = PushSink(
                loop: loop, app: "org.app", now: { WallTime(milliseconds: 1) },
                deliver: { offer, _, answer in
                    guard let offer = try? offer.get() else { return }
                    offered.append(offer.identifier)
                    guard offered.count > 1 else { return answer(.failure(.unavailable)) }
                    if offered.count == 3 { loop.stop() }
                    answer(.success(PushReceipt(of: offer)))
                }, say: { _ in })
            var pid: pid_t = 0
            var bridge: MQTTBridge? = try MQTTBridge(
                sink, Self.source, executable: program, spool: base + "/spool",
                started: { pid = $0 })
            loop.run()
            #expect(offered == ["org.first", "org.first", "org.second"])
            withExtendedLifetime(bridge) {}
            bridge = nil
            waitpid(pid, nil, 0)
        }
    }

    @Test("are no longer taken after the source is closed, as for a host that breaks down")
    func release() throws {
        try withProgram { base, program in
            let loop = try EventLoop()
            var offered = 0
            var bridge: MQTTBridge?
            let sink = PushSink(
                loop: loop, app: "org.app", now: { WallTime(milliseconds: 1) },
                deliver: { _, _, _ in
                    offered += 1
                    bridge = nil
                    loop.afterThisRound { loop.stop() }
                }, say: { _ in })
            var pid: pid_t = 0
            bridge = try MQTTBridge(
                sink, Self.source, executable: program, spool: base + "/spool",
                started: { pid = $0 })
            loop.run()
            #expect(offered == 1 && bridge == nil)
            waitpid(pid, nil, 0)
        }
    }
}
