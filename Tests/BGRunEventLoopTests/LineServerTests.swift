// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Foundation
import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("Limits of the clients of a socket", .timeLimit(.minutes(5)))
struct LineServerTests {
    @Test("are finite by default")
    func limitsOfHosts() {
        let limits = LineLimits()
        #expect(limits.connections == 256)
        #expect(limits.connectionsOfOthers == 32)
        #expect(limits.connectionsOfOneUser == 8)
        #expect(limits.longestLine == 2 << 20)
        #expect(limits.longestLineOfOthers == 16 << 10)
        #expect(limits.unread == 64 << 10)
        #expect(limits.openRequests == 64)
        #expect(limits.requestsPerRound == 16)
        #expect(limits.percentOfOthers == 10)
        #expect(limits.idle == 60_000_000_000)
        #expect(limits.taking == 30_000_000_000)
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

    @Test(
        "a limited number of requests of a caller is taken in a round, then the others are served")
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

    @Test("a caller is read from no faster than its requests are taken")
    func flood() throws {
        var limits = LineLimits()
        limits.requestsPerRound = 4
        let bench = try Bench(limits)
        bench.answer = { _ in "ok" }
        let client = try Client(bench)
        var kernel: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try #require(getsockopt(client.descriptor, SOL_SOCKET, SO_SNDBUF, &kernel, &size) == 0)
        let line = String(repeating: "m", count: 1_023) + "\n"
        let block = String(repeating: line, count: 64)
        var accepted = 0
        var most = 0
        bench.run {
            // Continues in the middle of the line where the socket was full.
            while case let count = client.send(String(block.dropFirst(accepted % 1_024))),
                count > 0
            {
                accepted += count
            }
            most = max(most, accepted - bench.taken.count * 1_024)
            return accepted >= 4 << 20 || client.hasEnded
        }
        #expect(!client.hasEnded && !client.lines.isEmpty)
        #expect(most < Int(kernel) + 128 << 10, "\(most) bytes waited")
    }

    @Test(
        "connections above the limit are refused; closed callers free their connections")
    func connections() throws {
        var limits = LineLimits()
        limits.connections = 2
        let bench = try Bench(limits)
        var first: Client? = try Client(bench)
        let second = try Client(bench)
        let third = try Client(bench)
        bench.run { third.hasEnded }
        #expect(third.lines == ["full"])
        second.send("still here\n")
        bench.run { !second.lines.isEmpty }
        #expect(first?.hasEnded == false)
        first = nil
        var fourth = try Client(bench)
        bench.run {
            // The server sees the end of the first connection in a later round.
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

    @Test("other users share a part of the loop's time")
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
        // The test does not wait for the pause after the last request.
        #expect(all > busy * 5, "\(all) ns, of which \(busy) busy")
    }

    @Test("the owner is not limited to the part of other users")
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
        // Other users would wait for nine times the time in which they are served.
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

    @Test("a caller that sends while its answer is sent keeps its connection")
    func staleEvent() throws {
        let bench = try Bench(poller: TimersFirst())
        bench.answersLater = true
        let client = try Client(bench)
        client.send("1\nha")
        bench.run { bench.taken == ["1"] }
        bench.answersLater = false
        // One round has both events: the answer stops the polling for requests before the end of the
        // line is handled.
        let timer = try LoopTimer(bench.loop) {
            for reply in bench.later { reply(Array("late".utf8)) }
        }
        timer.set(elapsed: 1)
        client.send("lf\n")
        bench.run { client.lines.count == 2 || client.hasEnded }
        #expect(client.lines == ["late", "half"])
        withExtendedLifetime(timer) {}
    }

    @Test("a caller that has finished sending is answered, and its earlier requests are taken")
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
        // The server reads the end of the data of `polite` before it handles the other request.
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

    @Test("half a million empty lines are read without further cost")
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
