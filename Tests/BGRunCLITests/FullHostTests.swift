// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import Foundation
import Glibc
import Testing

@testable import BGRunCLI

@Suite("A host with too many connections", .timeLimit(.minutes(1)))
struct FullHostTests {
    @Test("is asked again until the time is over; its refusal is the reason")
    func full() throws {
        let root = NSTemporaryDirectory() + "bgrun-full-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let state = try StateDirectory(
            app: "org.test.app", override: root, environment: [:], userID: getuid())
        try FileManager.default.createDirectory(
            atPath: state.path, withIntermediateDirectories: true)
        let lock = try HostLock.acquire(
            state.hostLock,
            as: HostLock.Holder(
                pid: getpid(), started: WallTime(milliseconds: 0), manifest: "/a.yaml",
                version: "0"))
        let listener = SocketName.stream(AF_UNIX)
        try #require(SocketName.with(path: state.controlSocket) { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 8) == 0)
        Thread.detachNewThread {
            let line = #"{"problem":{"code":0,"message":"full","isTooManyConnections":true}}"# + "\n"
            while case let caller = accept(listener, nil, nil), caller >= 0 {
                _ = send(caller, line, line.utf8.count, Int32(MSG_NOSIGNAL))
                close(caller)
            }
            close(listener)
        }
        defer { shutdown(listener, Int32(SHUT_RDWR)) }

        var refusals = 0
        let error = #expect(throws: HostNotAnswering.self) {
            _ = try HostAccess.ask(
                ControlRequest(.watch), state, within: .milliseconds(50), isChange: true
            ) { error in
                if error is ControlClient.TooManyConnections { refusals += 1 }
                return true
            }
        }
        #expect(error?.message == "full" && refusals > 0)
        let overview = CatalogApp(state: state, answerLimit: .seconds(30)).overview()
        #expect(overview.problem == "full" && overview.isNotAnswering)
        withExtendedLifetime(lock) {}
    }
}
