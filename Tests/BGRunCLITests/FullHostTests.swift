// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import Foundation
import Glibc
import Testing

@testable import BGRunCLI

@Suite("A host with too many connections", .timeLimit(.minutes(5)))
struct FullHostTests {
    /// Runs `body` while the host refuses the first `refusals` connections, and answers the others.
    private func withHost(
        refusing refusals: Int, _ body: (StateDirectory) throws -> Void
    ) throws {
        try withLockedState { state in
            let listener = SocketName.stream(AF_UNIX)
            try #require(SocketName.with(path: state.controlSocket) { bind(listener, $0, $1) } == 0)
            try #require(listen(listener, 8) == 0)
            Thread.detachNewThread {
                var left = refusals
                while case let caller = accept(listener, nil, nil), caller >= 0 {
                    let refusal =
                        #"{"problem":{"code":0,"message":"full","isTooManyConnections":true}}"#
                    let line = (left > 0 ? refusal : "{}") + "\n"
                    left -= 1
                    _ = send(caller, line, line.utf8.count, Int32(MSG_NOSIGNAL))
                    close(caller)
                }
                close(listener)
            }
            defer { shutdown(listener, Int32(SHUT_RDWR)) }
            try body(state)
        }
    }

    @Test("is asked again, and answers when a connection has ended")
    func later() throws {
        try withHost(refusing: 3) { state in
            let response = try HostAccess.ask(ControlRequest(.running), state)
            #expect(response != nil)
        }
    }

    @Test("is not asked again when the time is over; its refusal is the reason")
    func full() throws {
        try withHost(refusing: .max) { state in
            let error = #expect(throws: HostNotAnswering.self) {
                _ = try HostAccess.ask(
                    ControlRequest(.watch), state, within: .milliseconds(50), isChange: true
                ) { _ in true }
            }
            #expect(error?.message == "full")
            let app = CatalogApp(state: state, answerLimit: .milliseconds(50))
            let overview = app.overview()
            #expect(overview.problem == "full" && overview.isNotAnswering)
        }
    }
}
