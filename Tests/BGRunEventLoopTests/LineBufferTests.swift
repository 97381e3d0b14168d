// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("The buffers of a connection", .timeLimit(.minutes(5)))
struct LineBufferTests {
    @Test("sent bytes are not kept while others wait, and everything arrives in order")
    func output() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        var kernel: Int32 = 4_096
        let size = socklen_t(MemoryLayout<Int32>.size)
        try #require(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &kernel, size) == 0)
        var output = LineOutput()
        var expected: [UInt8] = []
        var arrived: [UInt8] = []
        func append(_ index: Int) {
            let line = [UInt8](repeating: UInt8(32 + index % 64), count: 1_023)
            output.append(line)
            expected += line + [10]
        }
        func drain(_ count: Int) {
            var chunk = [UInt8](repeating: 0, count: count)
            let received = read(ends[1], &chunk, chunk.count)
            if received > 0 { arrived += chunk[..<received] }
        }
        for index in 0..<64 { append(index) }
        var least = Int.max
        var longest = output.count
        var stored = 0
        for index in 0..<1_000 {
            append(index)
            longest = max(longest, output.count)
            let isConnected = output.send(to: ends[0])
            #expect(isConnected)
            drain(1_024)
            least = min(least, output.count)
            stored = max(stored, output.bytes.count)
        }
        #expect(least > 0 && longest < 128 << 10, "\(least) to \(longest) bytes waited")
        #expect(stored <= 2 * longest, "\(stored) bytes are stored of \(longest) that wait")
        while arrived.count < expected.count, output.send(to: ends[0]) {
            let before = arrived.count
            drain(65_536)
            guard arrived.count > before else { break }
        }
        #expect(output.isEmpty && arrived == expected)
    }

    @Test("read lines are not kept while others wait, and all are read in order")
    func input() {
        var input = LineInput()
        func line(_ index: Int) -> [UInt8] { Array("\(index)".utf8) }
        for index in 0..<4 { input.append(line(index) + [10]) }
        var read: [[UInt8]] = []
        var stored = 0
        for index in 4..<1_000 {
            input.append(line(index) + [10])
            if let next = input.next() { read.append(next) }
            stored = max(stored, input.bytes.count)
        }
        // Four to five lines of at most four bytes wait.
        #expect(stored <= 2 * 5 * 4, "\(stored) bytes are stored")
        while let next = input.next() { read.append(next) }
        let expected = (0..<1_000).map(line)
        #expect(read == expected)
    }
}
