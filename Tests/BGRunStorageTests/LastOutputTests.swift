// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Testing

@Suite("The last lines of an attempt with too much output", .timeLimit(.minutes(10)))
struct LastOutputTests {
    let store: Store
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        store = try scratch.open()
        for attempt: Int64 in [7, 8] {
            try store.apply(
                (1...4).map {
                    .output(
                        attempt: attempt, .standardOutput, text: "\($0)",
                        at: WallTime(milliseconds: $0))
                }, durability: .normal)
        }
    }

    private func line(_ number: Int64) -> NumberedLine {
        NumberedLine(
            number: number,
            line: OutputLine(
                stream: .standardError, at: WallTime(milliseconds: number), text: "\(number)"))
    }

    @Test("replace others and keep their numbers; dropped lines are counted")
    func replaced() throws {
        try store.apply(
            [.lastOutput(attempt: 7, replacing: 3...4, [line(9), line(10)])], durability: .normal)
        let lines = try store.output(attempt: 7, after: 0)
        #expect(lines.map(\.number) == [1, 2, 9, 10] && lines.map(\.skipped) == [0, 0, 6, 0])
        #expect(lines.map(\.line.text) == ["1", "2", "9", "10"])
        #expect(lines.last?.line == line(10).line)
        #expect(lines.skippedAfterLast(dropped: 6) == 0 && lines.skippedAfterLast(dropped: 8) == 2)
        #expect(try store.output(attempt: 8).count == 4)
    }

    @Test("are not dated before the line that they follow")
    func dates() throws {
        var early = line(9)
        early.line.at = WallTime(milliseconds: 1)
        try store.apply(
            [.lastOutput(attempt: 7, replacing: 4...4, [early, line(10)])], durability: .normal)
        #expect(try store.output(attempt: 7).map(\.at.milliseconds) == [1, 2, 3, 3, 10])
    }

    @Test("follow the lines that a reader has seen, with the number of dropped ones")
    func followed() throws {
        try store.apply(
            [.lastOutput(attempt: 7, replacing: 3...3, [line(5)])], durability: .normal)
        #expect(try store.output(attempt: 7, after: 4).map(\.skipped) == [0])
        #expect(try store.output(attempt: 7, after: 0).map(\.skipped) == [0, 0, 1, 0])
    }

    @Test("never collide with an existing line")
    func collision() throws {
        try store.apply(
            [.lastOutput(attempt: 7, replacing: 1...1, [line(2), line(3)])], durability: .normal)
        #expect(try store.output(attempt: 7, after: 0).map(\.number) == [2, 3, 4, 5, 6])
    }
}
