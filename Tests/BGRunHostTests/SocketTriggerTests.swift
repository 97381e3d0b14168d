// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunTriggers

@Suite("A connection that no handler accepts", .timeLimit(.minutes(5)))
struct SocketTriggerTests {
    @Test("pauses its socket, and submits the task again afterwards")
    func rests() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-\(UUID().uuidString).sock").path
        let loop = try EventLoop()
        let clock = TestClock()
        var submissions = 0
        var rests: [Interval] = []
        let trigger = try SocketTrigger(
            loop, clock, try TriggerSocket(.unix(path: path, mode: 0o600)),
            connected: { submissions += 1 }, rests: { rests.append($0) })
        let client = SocketName.stream(AF_UNIX)
        defer { close(client) }
        #expect(SocketName.with(path: path) { connect(client, $0, $1) } == 0)
        func look() {
            trigger.look(true)
            loop.inNextRound { loop.stop() }
            loop.run()
        }
        for _ in 0..<TriggerLimit.burst { look() }
        #expect(submissions == TriggerLimit.burst && rests == [])
        look()
        look()
        #expect(submissions == TriggerLimit.burst && rests == [TriggerLimit.shortestRest])
        clock.advance(by: TriggerLimit.shortestRest)
        look()
        #expect(submissions == TriggerLimit.burst + 1)
        trigger.stop()
    }

    @Test("is closed with the socket")
    func closed() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-\(UUID().uuidString).sock").path
        var socket: TriggerSocket? = try TriggerSocket(.unix(path: path, mode: 0o600))
        let client = SocketName.stream(AF_UNIX)
        defer { close(client) }
        #expect(SocketName.with(path: path) { connect(client, $0, $1) } == 0)
        var state = pollfd(fd: client, events: 0, revents: 0)
        #expect(poll(&state, 1, 0) == 0)
        withExtendedLifetime(socket) {}
        socket = nil
        #expect(poll(&state, 1, 30_000) == 1 && state.revents & Int16(POLLHUP) != 0)
        #expect(access(path, F_OK) != 0)
    }
}
