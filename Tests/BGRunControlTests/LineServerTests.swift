// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Foundation
import Glibc
import Testing

@testable import BGRunControl
@testable import BGRunEventLoop

@Suite("What a peer of a socket can take", .timeLimit(.minutes(2)))
struct LineServerTests {
    /// A server on a loop, which answers each line with `answer`, and clients of it on the same loop.
    private final class Bench {
        let loop: EventLoop
        let path = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString.prefix(8)).sock"
        var server: LineServer?
        var taken: [String] = []
        /// Requests that are answered later, by the test.
        var later: [([UInt8]) -> Void] = []
        var answersLater = false
        var answer: (String) -> String = { $0 }
        var callers: [LineCaller] = []
        /// Told each request when it is taken.
        var took: (String) -> Void = { _ in }

        init(
            _ limits: LineLimits = LineLimits(), isOwner: Bool = true,
            poller: (any LoopPoller)? = nil
        ) throws {
            loop = try poller.map { EventLoop($0) } ?? EventLoop()
            server = try LineServer(
                loop, try UnixListener.open(path), path: path, limits: limits,
                isOwner: { _ in isOwner }, tooLong: { "longer than \($0)" }
            ) { [unowned self] line, caller, reply in
                let text = String(decoding: line, as: UTF8.self)
                taken.append(text)
                took(text)
                callers.append(caller)
                if answersLater { later.append(reply) } else { reply(Array(answer(text).utf8)) }
            }
        }

        /// Runs until `isDone`, looked at after each round in which something happened.
        func run(until isDone: @escaping () -> Bool) {
            func look() { if isDone() { loop.stop() } else { loop.afterThisRound(turn) } }
            func turn() {
                // The loop waits once between two looks.
                timer = try? LoopTimer(loop) { look() }
                timer?.set(elapsed: 1)
            }
            turn()
            loop.run()
            timer = nil
        }

        private var timer: LoopTimer?
    }

    /// The kernel's, with the events of timers before the others of a round.
    private final class TimersFirst: LoopPoller {
        private let epoll: Epoll

        init() throws { epoll = try Epoll() }

        func add(
            _ descriptor: Int32, for interest: EventLoop.Readiness, mark: UInt64
        ) throws(SystemFailure) {
            try epoll.add(descriptor, for: interest, mark: mark)
        }

        func change(_ descriptor: Int32, to interest: EventLoop.Readiness, mark: UInt64) {
            epoll.change(descriptor, to: interest, mark: mark)
        }

        func remove(_ descriptor: Int32) { epoll.remove(descriptor) }

        func wait(mayBlock: Bool, _ ready: (_ mark: UInt64, EventLoop.Readiness) -> Void) {
            var events: [(mark: UInt64, readiness: EventLoop.Readiness)] = []
            epoll.wait(mayBlock: mayBlock) { events.append(($0, $1)) }
            let timers = events.filter { Self.isTimer($0.mark) }
            for event in timers + events.filter({ !Self.isTimer($0.mark) }) {
                ready(event.mark, event.readiness)
            }
        }

        private static func isTimer(_ mark: UInt64) -> Bool {
            let path = "/proc/self/fd/\(Int32(truncatingIfNeeded: mark))"
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return target?.contains("timerfd") ?? false
        }
    }

    private final class Client {
        let descriptor: Int32
        private let loop: EventLoop
        private(set) var lines: [String] = []
        private(set) var hasEnded = false
        private var rest: [UInt8] = []

        init(_ bench: Bench, reads: Bool = true) throws {
            loop = bench.loop
            descriptor = SocketName.stream(AF_UNIX)
            try SystemFailure.check(
                "connect", SocketName.with(path: bench.path) { connect(descriptor, $0, $1) })
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            if reads { try read() }
        }

        deinit {
            loop.forget(descriptor)
            close(descriptor)
        }

        func read() throws {
            try loop.watch(descriptor) { [unowned self] _ in
                var chunk = [UInt8](repeating: 0, count: 65_536)
                let count = Glibc.read(descriptor, &chunk, chunk.count)
                if count <= 0 {
                    loop.forget(descriptor)
                    hasEnded = true
                    return
                }
                rest += chunk[..<count]
                while let end = rest.firstIndex(of: 10) {
                    lines.append(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeFirst(end + 1)
                }
            }
        }

        /// How many of the bytes were taken.
        @discardableResult
        func send(_ text: String) -> Int {
            Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        }

        func finish() { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    @Test("a caller that reads no answers is not read from, and the others are served")
    func unread() throws {
        let bench = try Bench()
        bench.answer = { $0 == "big" ? String(repeating: "x", count: 300_000) : $0 }
        let deaf = try Client(bench, reads: false)
        deaf.send(String(repeating: "big\n", count: 40))
        let other = try Client(bench)
        other.send("hello\n")
        bench.run { !other.lines.isEmpty }
        #expect(other.lines == ["hello"])
        let taken = bench.taken.count { $0 == "big" }
        #expect((1...3).contains(taken), "\(taken) answers of 300,000 bytes wait")
        try deaf.read()
        bench.run { deaf.lines.count == 40 }
        #expect(bench.taken.count { $0 == "big" } == 40)
    }

    @Test(
        "requests that are not answered yet are limited, and answers come in the order of requests")
    func open() throws {
        var limits = LineLimits()
        limits.openRequests = 3
        let bench = try Bench(limits)
        bench.answersLater = true
        let client = try Client(bench)
        client.send("1\n2\n3\n4\n5\n")
        let other = try Client(bench)
        other.send("a\n")
        bench.run { bench.taken.contains("a") && bench.taken.count >= 4 }
        #expect(bench.taken.sorted() == ["1", "2", "3", "a"])
        for (index, reply) in bench.later.enumerated().reversed() {
            reply(Array(bench.taken[index].utf8))
        }
        bench.answersLater = false
        bench.run { client.lines.count == 5 && other.lines.count == 1 }
        #expect(client.lines == ["1", "2", "3", "4", "5"])
    }

    @Test("of one caller so many requests are taken in a round, then the others have their turn")
    func turns() throws {
        var limits = LineLimits()
        limits.requestsPerRound = 4
        let bench = try Bench(limits)
        let many = try Client(bench)
        many.send(String(repeating: "m\n", count: 500))
        let other = try Client(bench)
        other.send("o\n")
        bench.run { !other.lines.isEmpty && many.lines.count == 500 }
        let before = bench.taken.firstIndex(of: "o") ?? 500
        #expect(before <= 12, "\(before) requests came first")
    }

    @Test("connections above the limit are ended, and free again with their callers")
    func connections() throws {
        var limits = LineLimits()
        limits.connections = 2
        let bench = try Bench(limits)
        var first: Client? = try Client(bench)
        let second = try Client(bench)
        let third = try Client(bench)
        bench.run { third.hasEnded }
        second.send("still here\n")
        bench.run { !second.lines.isEmpty }
        #expect(first?.hasEnded == false)
        first = nil
        var fourth = try Client(bench)
        bench.run {
            // The server hears of the end of the first one in its own turn.
            if fourth.hasEnded, let next = try? Client(bench) { fourth = next }
            fourth.send("x\n")
            return !fourth.lines.isEmpty
        }
    }

    @Test(
        "other users have fewer connections, and each of them fewer still",
        arguments: [true, false])
    func connectionsOfOthers(isOneUser: Bool) throws {
        var limits = LineLimits()
        limits.connectionsOfOthers = isOneUser ? 9 : 2
        limits.connectionsOfOneUser = isOneUser ? 2 : 9
        let bench = try Bench(limits, isOwner: false)
        let clients = try (0..<3).map { _ in try Client(bench) }
        bench.run { clients[2].hasEnded }
        #expect(clients.map(\.hasEnded) == [false, false, true])
    }

    @Test("other users get a part of the loop's time, and it is shared by all of them")
    func share() throws {
        let bench = try Bench(isOwner: false)
        var busy: Int64 = 0
        bench.answer = { text in
            let start = bgrun_boottime_ns()
            while bgrun_boottime_ns() - start < 2_000_000 {}
            busy += bgrun_boottime_ns() - start
            return text
        }
        let clients = try (0..<3).map { _ in try Client(bench) }
        let start = bgrun_boottime_ns()
        for client in clients { client.send(String(repeating: "x\n", count: 20)) }
        bench.run { clients.allSatisfy { $0.lines.count == 20 } }
        let all = bgrun_boottime_ns() - start
        // The pause after the last request is not waited for.
        #expect(all > busy * 5, "\(all) ns, of which \(busy) busy")
    }

    @Test("the owner is served while other users wait for their part of the time")
    func shareOfTheOwner() throws {
        let bench = try Bench()
        var busy: Int64 = 0
        bench.answer = { text in
            let start = bgrun_boottime_ns()
            while bgrun_boottime_ns() - start < 1_000_000 {}
            busy += bgrun_boottime_ns() - start
            return text
        }
        let client = try Client(bench)
        let start = bgrun_boottime_ns()
        client.send(String(repeating: "x\n", count: 20))
        bench.run { client.lines.count == 20 }
        let all = bgrun_boottime_ns() - start
        // Other users would wait for nine times as long as they are served.
        #expect(all < busy * 5, "\(all) ns, of which \(busy) busy")
    }

    @Test("a line above the limit is answered, and ends the connection", arguments: [true, false])
    func long(isOwner: Bool) throws {
        var limits = LineLimits()
        limits.longestLine = isOwner ? 100 : 1_000_000
        limits.longestLineOfOthers = isOwner ? 1_000_000 : 100
        let bench = try Bench(limits, isOwner: isOwner)
        let client = try Client(bench)
        client.send("short\n" + String(repeating: "x", count: 300))
        bench.run { client.hasEnded }
        #expect(client.lines == ["short", "longer than 100"])
        #expect(bench.taken == ["short"])
    }

    @Test(
        "a caller that is silent for too long is hung up on, and one that waits for an answer is not"
    )
    func idle() throws {
        var limits = LineLimits()
        limits.idle = 50_000_000
        let bench = try Bench(limits)
        bench.answersLater = true
        let waiting = try Client(bench)
        waiting.send("slow\n")
        bench.run { !bench.later.isEmpty }
        let lasting = try Client(bench)
        lasting.send("lasting\n")
        bench.run { bench.later.count == 2 }
        bench.callers[1].isLasting = true
        let silent = try Client(bench)
        let half = try Client(bench)
        half.send("half a line")
        bench.run { silent.hasEnded && half.hasEnded }
        #expect(!waiting.hasEnded && !lasting.hasEnded)
        bench.later[1](Array("told".utf8))
        bench.later[0](Array("done".utf8))
        bench.run { waiting.hasEnded }
        #expect(waiting.lines == ["done"])
        #expect(lasting.lines == ["told"] && !lasting.hasEnded)
    }

    @Test("a caller that does not take its answer in time is hung up on")
    func taking() throws {
        var limits = LineLimits()
        limits.taking = 50_000_000
        let bench = try Bench(limits)
        bench.answer = { _ in String(repeating: "x", count: 1_000_000) }
        let deaf = try Client(bench, reads: false)
        deaf.send("big\n")
        var isClosed = false
        bench.run {
            bench.callers.first?.closed = { isClosed = true }
            return isClosed
        }
    }

    @Test("a caller that sends while its turn takes the last free place is answered")
    func staleEvent() throws {
        var limits = LineLimits()
        limits.requestsPerRound = 1
        limits.openRequests = 2
        let bench = try Bench(limits, poller: TimersFirst())
        bench.answersLater = true
        let client = try Client(bench)
        // In the next round its turn and its line are there; in that turn it is read from no more.
        bench.took = { if $0 == "1" { client.send("4\n") } }
        client.send("1\n2\n3\n")
        bench.run { bench.taken.count == 2 }
        bench.answersLater = false
        for reply in bench.later { reply(Array("late".utf8)) }
        bench.run { client.lines.count == 4 || client.hasEnded }
        #expect(client.lines == ["late", "late", "3", "4"])
    }

    @Test("a caller that sends no more is answered, and what it sent before it hung up is taken")
    func hangingUp() throws {
        var limits = LineLimits()
        limits.openRequests = 2
        let bench = try Bench(limits)
        bench.answersLater = true
        let polite = try Client(bench)
        polite.send("p\n")
        polite.finish()
        var hasty: Client? = try Client(bench)
        hasty?.send("1\n2\n3\n4\n5\n")
        bench.run { bench.taken.contains("p") && bench.taken.contains("2") }
        #expect(!bench.taken.contains("3"))
        // Until the other's request is taken, the end of what `polite` sends is read.
        let other = try Client(bench)
        other.send("x\n")
        bench.run { bench.taken.contains("x") }
        hasty = nil
        bench.answersLater = false
        for reply in bench.later { reply(Array("ok".utf8)) }
        bench.run { polite.hasEnded && bench.taken.contains("5") }
        #expect(polite.lines == ["ok"])
        #expect(bench.taken.filter { !"px".contains($0) } == ["1", "2", "3", "4", "5"])
    }

    @Test("a caller that closes its receiving side is disconnected when its requests were taken")
    func receivingNoMore() throws {
        let bench = try Bench()
        var isClosed = false
        bench.answer = { [unowned bench] text in
            bench.callers.first?.closed = { isClosed = true }
            return text
        }
        let client = try Client(bench, reads: false)
        shutdown(client.descriptor, Int32(SHUT_RD))
        client.send("1\n2\n")
        var rounds = 0
        bench.run {
            rounds += 1
            return isClosed || rounds > 1_000
        }
        #expect(isClosed)
        #expect(bench.taken == ["1", "2"])
    }

    @Test("half a million empty lines cost no more than reading them")
    func emptyLines() throws {
        let bench = try Bench()
        let client = try Client(bench)
        var rest = 500_000
        let block = String(repeating: "\n", count: 10_000)
        bench.run {
            if rest > 0 { rest -= max(0, client.send(block)) } else { client.send("end\n") }
            return !client.lines.isEmpty
        }
        #expect(bench.taken.first == "end")
    }
}
