// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc
import Testing

@testable import BGRunDaemon
@testable import BGRunEventLoop

@Suite("The share of attempts that hosts get through their sockets", .timeLimit(.minutes(5)))
struct ShareTests {
    /// A host whose attempts run until the test ends them.
    private final class Host: ShareObserver {
        var running = 0
        /// The number it reports in place of `running`; nil: the truth.
        var claimed: Int?
        var wanted: Int
        var isGone = false
        var askedBack = 0
        private let loop: EventLoop
        private var client: ShareClient?

        init(_ loop: EventLoop, _ server: ShareServer, _ name: String, wanted: Int) throws {
            self.wanted = wanted
            self.loop = loop
            client = try ShareClient(loop, socket: try server.join(name), observer: self)
            report()
        }

        func shareGranted(_ count: Int) {
            let launched = min(count, wanted)
            running += launched
            wanted -= launched
            report()
            loop.stop()
        }

        func shareReclaimed(_ count: Int) { askedBack += count }

        func daemonEnded() {
            isGone = true
            loop.stop()
        }

        func end() {
            running -= 1
            report()
        }

        func report() { client?.report(running: claimed ?? running, wantsMore: wanted > 0) }
    }

    @Test("no more attempts run than the limit allows, and an end lets the other host run one")
    func atTheLimit() throws {
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

    @Test("a grant that is not answered is given to the others", .timeLimit(.minutes(5)))
    func forfeited() throws {
        let loop = try EventLoop()
        let server = try ShareServer(
            loop, slots: 1,
            timeouts: ShareServer.Timeouts(answer: 20_000_000, tolerance: 5_000_000))
        // This host has asked for a slot, and then does nothing, like a stopped process.
        let stopped = try server.join("stopped")
        defer { close(stopped) }
        #expect(ShareReport(running: 0, wantsMore: true, answers: 0).send(over: stopped))
        var order: ShareOrder?
        try loop.watch(stopped) { _ in
            order = order ?? ShareOrder.receive(from: stopped)
            if order != nil { loop.stop() }
        }
        pump(loop, until: { order != nil })
        loop.forget(stopped)
        guard case .grant = order else { throw SystemFailure("no grant", code: 0) }
        let other = try Host(loop, server, "other", wanted: 1)
        pump(loop, until: { other.running == 1 })
    }

    @Test(
        "an app that holds everything gives some to one that waits, whatever it reports",
        arguments: [nil, Int(Int32.max)])
    func reclaimed(_ claimed: Int?) throws {
        let loop = try EventLoop()
        let policy = SharePolicy(
            reclaimAfter: .milliseconds(20), reclaimTimeout: .milliseconds(20))
        let server = try ShareServer(loop, slots: 2, policy: policy)
        let hog = try Host(loop, server, "hog", wanted: 9)
        pump(loop, until: { hog.running == 2 })
        if let claimed {
            hog.claimed = claimed
            hog.report()
        }
        let other = try Host(loop, server, "other", wanted: 1)
        // The first host does not return a slot when asked; its slot is given to the other host anyway.
        pump(loop, until: { other.running == 1 })
        #expect(hog.askedBack >= 1)
        #expect(hog.running == 2)
    }

    /// The kernel's poller, which also records the events that are awaited of each descriptor.
    private final class Recorder: LoopPoller {
        private(set) var interests: [Int32: EventLoop.Readiness] = [:]
        private let kernel: Epoll

        init() throws { kernel = try Epoll() }

        func add(
            _ descriptor: Int32, for interest: EventLoop.Readiness, mark: UInt64
        ) throws(SystemFailure) {
            try kernel.add(descriptor, for: interest, mark: mark)
            interests[descriptor] = interest
        }

        func change(_ descriptor: Int32, to interest: EventLoop.Readiness, mark: UInt64) {
            kernel.change(descriptor, to: interest, mark: mark)
            interests[descriptor] = interest
        }

        func remove(_ descriptor: Int32) {
            kernel.remove(descriptor)
            interests[descriptor] = nil
        }

        func wait(mayBlock: Bool, _ ready: (UInt64, EventLoop.Readiness) -> Void) {
            kernel.wait(mayBlock: mayBlock, ready)
        }
    }

    /// Sends more reports than two batches hold, the last of which asks for a slot. Returns their number.
    private func flood(_ socket: Int32) throws -> Int {
        var count = 0
        while count < 150,
            ShareReport(running: 0, wantsMore: count == 149, answers: 0).send(over: socket)
        {
            count += 1
        }
        try #require(count == 150)
        return count
    }

    @Test("a host that sends without pause is paused for an interval, and the others are served")
    func paused() throws {
        let poller = try Recorder()
        let loop = EventLoop(poller)
        var heard: [String: Int] = [:]
        let server = try ShareServer(
            loop, slots: 1, timeouts: ShareServer.Timeouts(intake: 3_600_000_000_000)
        ) { host in
            heard[host, default: 0] += 1
            if host == "other" { loop.stop() }
        }
        let flooding = try server.join("flooding")
        let other = try server.join("other")
        defer { for socket in [flooding, other] { close(socket) } }
        _ = try flood(flooding)
        // In each round that reads the other host, the first one could be read again.
        for round in 1...4 {
            #expect(ShareReport(running: 0, wantsMore: false, answers: 0).send(over: other))
            pump(loop, until: { heard["other"] == round })
        }
        #expect(heard["flooding"] == ShareServer.mostReports)
        #expect(poller.interests.values.count(where: \.isEmpty) == 1)
        withExtendedLifetime(server) {}
    }

    @Test(
        "a pause loses no report, and the newest report counts",
        arguments: [false, true])
    func resumed(hangsUp: Bool) throws {
        let loop = try EventLoop()
        var heard = 0
        let server = try ShareServer(loop, slots: 1) { _ in
            heard += 1
            loop.stop()
        }
        let socket = try server.join("flooding")
        let count = try flood(socket)
        if hangsUp { shutdown(socket, Int32(SHUT_WR)) }
        pump(loop, until: { heard == count })
        guard case .grant = ShareOrder.receive(from: socket) else {
            throw SystemFailure("no grant", code: 0)
        }
        close(socket)
        withExtendedLifetime(server) {}
    }

    @Test("a report that does not answer the grant leaves its slot taken")
    func unanswered() throws {
        let loop = try EventLoop()
        var heard = 0
        let server = try ShareServer(
            loop, slots: 1, timeouts: ShareServer.Timeouts(answer: 3_600_000_000_000)
        ) { _ in
            heard += 1
            loop.stop()
        }
        let (first, second) = (try server.join("first"), try server.join("second"))
        defer { for socket in [first, second] { close(socket) } }
        func ask(_ socket: Int32) {
            let before = heard
            #expect(ShareReport(running: 0, wantsMore: true, answers: 0).send(over: socket))
            pump(loop, until: { heard > before })
        }
        ask(first)
        guard case .grant = ShareOrder.receive(from: first) else {
            throw SystemFailure("no grant", code: 0)
        }
        ask(first)
        ask(second)
        #expect(ShareOrder.receive(from: first) == nil)
        #expect(ShareOrder.receive(from: second) == nil)
        withExtendedLifetime(server) {}
    }

    @Test("a host answers the question whether it lives")
    func ping() throws {
        let loop = try EventLoop()
        var heard: [String] = []
        let server = try ShareServer(loop, slots: 1) { host in
            heard.append(host)
            loop.stop()
        }
        let host = try Host(loop, server, "one", wanted: 0)
        pump(loop, until: { heard == ["one"] })
        server.ping("one")
        pump(loop, until: { heard == ["one", "one"] })
        withExtendedLifetime(host) {}
    }

    @Test("orders arrive in the order in which they were sent, and extreme numbers do no harm")
    func orders() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let orders: [ShareOrder] = [
            .grant(ShareGrant(number: 1, count: 2, deadline: 3)), .reclaim(4), .ping(5),
            .ping(.max), .grant(ShareGrant(number: .max, count: 0, deadline: .min)),
        ]
        for order in orders {
            #expect(order.send(over: ends[0]))
            #expect(ShareOrder.receive(from: ends[1]) == order)
        }
        for values: [Int64] in [[.min, 0, 0], [.max, .min, .max], [0, .min, 0]] {
            _ = values.withUnsafeBytes { send(ends[0], $0.baseAddress, $0.count, 0) }
            #expect(ShareOrder.receive(from: ends[1]) != nil)
        }
        #expect(ShareOrder.receive(from: ends[1]) == nil)
    }

    /// A client, the other end of its socket, and its last report.
    private final class Reader: ShareObserver {
        private(set) var last: ShareReport?
        private(set) var granted = 0
        private let loop: EventLoop
        private let socket: Int32
        private(set) var client: ShareClient?

        init(_ loop: EventLoop) throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
            self.loop = loop
            socket = ends[1]
            client = try ShareClient(loop, socket: ends[0], observer: self)
        }

        func shareGranted(_ count: Int) { granted += count }

        func shareReclaimed(_ count: Int) {}

        func daemonEnded() {}

        deinit {
            loop.forget(socket)
            close(socket)
        }

        func grant(_ number: Int32, until deadline: Int64) {
            let grant = ShareGrant(number: number, count: 1, deadline: deadline)
            #expect(ShareOrder.grant(grant).send(over: socket))
        }

        func read() throws {
            try loop.watch(socket) { [unowned self] _ in
                while let report = ShareReport.receive(from: socket) { last = report }
                loop.stop()
            }
        }
    }

    @Test("a lapsed grant is answered and launches nothing")
    func stale() throws {
        let loop = try EventLoop()
        let reader = try Reader(loop)
        try reader.read()
        reader.grant(1, until: 1)
        pump(loop, until: { reader.last?.answers == 1 })
        #expect(reader.granted == 0)
        reader.grant(2, until: .max)
        pump(loop, until: { reader.last?.answers == 2 })
        #expect(reader.granted == 1)
    }

    @Test("a report that finds the socket full is sent when it drains")
    func full() throws {
        let loop = try EventLoop()
        let reader = try Reader(loop)
        for running in 1...10_000 { reader.client?.report(running: running, wantsMore: false) }
        try reader.read()
        pump(loop, until: { reader.last?.running == 10_000 })
    }

    /// Runs the loop, which every grant stops, until `isDone`. The time limit of the suite is the only
    /// timeout.
    private func pump(_ loop: EventLoop, until isDone: () -> Bool) {
        while !isDone() { loop.run() }
    }
}
