// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import Testing

@testable import BGRunDaemon

@Suite("The room hosts share, over their sockets", .timeLimit(.minutes(1)))
struct ShareTests {
    /// A host of which each attempt runs until it is told to end.
    private final class Host {
        var running = 0
        var wanted: Int
        var isGone = false
        private let loop: EventLoop
        private var client: ShareClient?

        init(_ loop: EventLoop, _ server: ShareServer, _ name: String, wanted: Int) throws {
            self.wanted = wanted
            self.loop = loop
            client = try ShareClient(
                loop, socket: try server.join(name), granted: { [unowned self] in launch($0) },
                gone: { [unowned self] in
                    isGone = true
                    loop.stop()
                })
            report()
        }

        private func launch(_ granted: Int) {
            let count = min(granted, wanted)
            running += count
            wanted -= count
            report()
            loop.stop()
        }

        func end() {
            running -= 1
            report()
        }

        func report() { client?.report(running: running, wantsMore: wanted > 0) }
    }

    @Test("no more run than there is room for, and what ends makes room for the other")
    func room() throws {
        let loop = try EventLoop()
        let server = try ShareServer(loop, slots: 2)
        let first = try Host(loop, server, "first", wanted: 3)
        let second = try Host(loop, server, "second", wanted: 3)
        pump(loop, until: { first.running + second.running == 2 })
        #expect(first.running + second.running == 2)
        let other = first.running > second.running ? second : first
        let before = other.running
        (other === first ? second : first).end()
        pump(loop, until: { other.running == before + 1 })
        #expect(first.running + second.running == 2)
        server.leave("first")
        pump(loop, until: { first.isGone })
        pump(loop, until: { second.running == 2 })
        #expect(second.running == 2)
    }

    /// Runs the loop, which every grant stops, until `isDone`; the time limit of the suite ends what
    /// never is.
    private func pump(_ loop: EventLoop, until isDone: () -> Bool) {
        while !isDone() { loop.run() }
    }
}
