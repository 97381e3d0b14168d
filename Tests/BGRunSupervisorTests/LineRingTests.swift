// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunSupervisor

@Suite("The last lines of an output above its limit", .timeLimit(.minutes(10)))
struct LineRingTests {
    private func end(_ count: Int, kept: Int, size: Int = 0) -> LastLines? {
        var work = RunningWork(attempt: 1)
        work.keptLines = kept
        for number in 0..<count {
            let text = "\(kept + number + 1)" + String(repeating: "x", count: size)
            work.keepAtMost(HandlerLine(source: .standardOutput, text: text), at: Int64(number))
        }
        let end = work.end(nil, hasLoaded: true)
        #expect(end.droppedLines == Int64(count))
        return end.lastLines
    }

    @Test(
        "replace the oldest in the second half",
        arguments: [
            (1, 10, 6...6, 11...11), (4, 10, 6...9, 11...14), (5, 10, 6...10, 11...15),
            (400, 10, 6...10, 406...410), (3, 1, 1...1, 4...4), (9, 5, 3...5, 12...14),
        ] as [(Int, Int, ClosedRange<Int64>, ClosedRange<Int64>)])
    func replace(
        count: Int, kept: Int, replaced: ClosedRange<Int64>, numbers: ClosedRange<Int64>
    ) throws {
        let last = try #require(end(count, kept: kept))
        #expect(last.replaced == replaced && last.first == numbers.lowerBound)
        #expect(last.lines.map(\.line.text) == numbers.map { "\($0)" })
    }

    @Test("are empty without further output, and if nothing is kept")
    func none() {
        #expect(end(0, kept: 10) == nil)
        #expect(end(20, kept: 0) == nil)
    }

    @Test("use no more memory than stated")
    func bytes() throws {
        let last = try #require(end(1_000, kept: 4_000, size: 10_000))
        let size = last.lines.reduce(0) { $0 + $1.line.text.utf8.count }
        #expect(size <= LineRing.mostBytes && size > LineRing.mostBytes - 50_000)
        #expect(last.first == 5_001 - Int64(last.lines.count))
        #expect(last.replaced == 2_001...2_000 + Int64(last.lines.count))
    }
}
