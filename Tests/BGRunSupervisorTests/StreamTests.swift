// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("The streams of a worker", .timeLimit(.minutes(5)))
struct StreamTests {
    @Test("a line keeps its first bytes up to the limit, also when it comes in parts")
    func lines() {
        var splitter = LineSplitter(limit: 4)
        var lines: [String] = []
        for part in ["abc", "def", "g\nhi\n", "jklmnop\nq"] {
            var text = part
            text.withUTF8 { splitter.add(UnsafeRawBufferPointer($0)) { lines.append($0) } }
        }
        splitter.finish { lines.append($0) }
        #expect(lines == ["abcd", "hi", "jklm", "q"])
    }

    @Test("frames for a slow worker arrive complete and in order")
    func order() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        var outlet = Outlet(ends[0])
        let frames = (1...3).map { [UInt8](repeating: $0, count: 400_000) }
        for frame in frames { outlet.send(frame) }
        #expect(outlet.backlog > 400_000)
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while received.count < 1_200_000 {
            let count = read(ends[1], &chunk, chunk.count)
            if count > 0 {
                received += chunk[..<count]
            } else {
                try #require(outlet.isBacklogged, "\(received.count) bytes came")
                outlet.flush()
            }
        }
        #expect(received == frames.flatMap(\.self))
    }

    @Test("frames for an ended worker are dropped")
    func gone() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(ends[0]) }
        close(ends[1])
        var outlet = Outlet(ends[0])
        outlet.send([1, 2, 3])
        #expect(!outlet.isBacklogged)
    }

    @Test("lists are sent in parts, one after the other, and stop when they are dropped")
    func parts() {
        var made: [String] = []
        var answers = PartedAnswers()
        var taken: [Bool] = []
        func call(_ number: UInt32) -> CallAnswer {
            CallAnswer(
                whole: { _ in },
                parts: { taken.append(answers.add(number, of: number == 0 ? 0 : 5, $0)) })
        }
        call(7).inParts(of: 2) {
            made.append("list")
            return [1, 2, 3, 4, 5]
        } _: { part in
            made.append("\(Array(part))")
            return HostMessage.Answer(status: 0)
        }
        call(8).inParts(of: 2) {
            [Int]()
        } _: { _ in
            HostMessage.Answer(status: 0)
        }
        #expect(made.isEmpty && taken == [true, true])
        var sent: [String] = []
        while let (call, part) = answers.next() { sent.append("\(call) \(part.hasMore)") }
        #expect(made == ["list", "[1, 2]", "[3, 4]", "[5]"])
        #expect(sent == ["7 true", "7 true", "7 false", "8 false"])

        let mebibytes: [Int] = [1, 1, 3, 1, 1]
        call(9).inParts(of: 4) {
            mebibytes
        } _: { part in
            let size = part.reduce(0, +) << 20
            let pending = part.map { _ in
                HostMessage.Pending(identifier: "a", kind: 0, earliestUnixNanoseconds: 0)
            }
            return HostMessage.Answer(
                status: 0, pending: pending, data: [UInt8](repeating: 0, count: size))
        }
        var counts: [Int] = []
        while let (_, part) = answers.next() { counts.append(part.pending.count) }
        #expect(counts == [2, 1, 2])

        let numbers = Array(0..<UInt32(PartedAnswers.most))
        for number in numbers + [99] {
            call(number).inParts { HostMessage.Answer(status: 0, hasMore: true) }
        }
        #expect(taken.count { !$0 } == 1 && taken.last == false)
        #expect(answers.next()?.call == 0)
        // The first one is a call of the process: it remains after the end of the attempt.
        #expect(answers.dropOfAttempts() == Array(numbers.dropFirst()))
        #expect(answers.next()?.call == 0 && answers.dropOfAttempts().isEmpty)
    }
}
