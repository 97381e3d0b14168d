// SPDX-License-Identifier: Apache-2.0

import Foundation
import MetricKit
import Testing

/// Seconds of a day.
private let day: TimeInterval = 86_400
/// 2026-03-01 12:00 UTC.
private let noon = Date(timeIntervalSince1970: 1_772_366_400)

private let quick = AttemptFigures(seconds: 2.5, cpuSeconds: 0.5, peakMemory: 1000)
private let late = AttemptFigures(
    seconds: 30, cpuSeconds: 4, peakMemory: 3000, isExpired: true, version: "1.1")

@Suite("The sums of a day", .timeLimit(.minutes(5))) struct HistoryTests {
    @Test("attempts are summed by the UTC day on which they end")
    func twoDays() throws {
        var history = MetricHistory()
        history.record(quick, at: noon)
        history.record(late, at: noon.addingTimeInterval(day / 2 - 1))
        history.record(quick, at: noon.addingTimeInterval(day / 2))
        try #require(history.days.count == 2)
        let first = history.days[0]
        #expect(first.begin == noon.addingTimeInterval(-day / 2))
        #expect(first.end == noon.addingTimeInterval(day / 2))
        #expect(first.seconds == 32.5 && first.cpuSeconds == 4.5 && first.peakMemory == 3000)
        #expect(first.normalExits == 1 && first.expirations == 1)
        #expect(first.version == "1.1" && first.hasSeveralVersions)
        let second = history.days[1]
        #expect(second.begin == first.end)
        #expect(second.seconds == 2.5 && second.normalExits == 1 && second.expirations == 0)
        #expect(!second.hasSeveralVersions)
    }

    @Test("a day is delivered once, and only after its end")
    func taken() {
        var history = MetricHistory()
        history.record(quick, at: noon)
        let midnight = noon.addingTimeInterval(day / 2)
        #expect(history.takeUndelivered(at: midnight.addingTimeInterval(-1)).isEmpty)
        #expect(history.delivered(at: midnight).isEmpty)
        history.record(late, at: midnight)
        #expect(history.takeUndelivered(at: midnight).map(\.normalExits) == [1])
        #expect(history.takeUndelivered(at: midnight).isEmpty)
        #expect(
            history.takeUndelivered(at: midnight.addingTimeInterval(day)).map(\.end) == [
                midnight.addingTimeInterval(day)
            ])
        #expect(history.delivered(at: midnight.addingTimeInterval(day)).count == 2)
    }

    @Test("days are kept for a week, and days of a wrong clock are dropped")
    func week() {
        var history = MetricHistory()
        history.record(late, at: noon.addingTimeInterval(-400 * day))
        history.record(quick, at: noon.addingTimeInterval(900 * day))
        for number in 0...9 {
            history.record(quick, at: noon.addingTimeInterval(Double(number) * day))
        }
        let end = noon.addingTimeInterval(9 * day)
        #expect(history.takeUndelivered(at: end).count == 7)
        #expect(history.delivered(at: end).count == 7)
        #expect(history.delivered(at: end.addingTimeInterval(5 * day)).count == 2)
        #expect(
            history.delivered(at: noon).allSatisfy { $0.begin < noon.addingTimeInterval(day + 1) })
    }

    @Test("a negative measurement of an attempt subtracts nothing")
    func negative() {
        var history = MetricHistory()
        history.record(quick, at: noon)
        history.record(AttemptFigures(seconds: -1, cpuSeconds: -1, peakMemory: -1), at: noon)
        #expect(history.days.map(\.seconds) == [2.5] && history.days.map(\.cpuSeconds) == [0.5])
        #expect(history.days.map(\.peakMemory) == [1000])
    }
}

@Suite("The file of the days", .timeLimit(.minutes(5))) struct StoreTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("metrics-\(UUID().uuidString)")
    private var file: URL { directory.appendingPathComponent("MetricKit/days.json") }

    private func record(_ store: MetricStore) throws {
        try store.change { $0.record(quick, at: noon) }
    }

    @Test("two processes add to the same days")
    func shared() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        for _ in 0..<2 { try record(MetricStore(file: file)) }
        let days = MetricStore(file: file).history.days
        #expect(days.map(\.normalExits) == [2] && days.map(\.seconds) == [5])
    }

    @Test("attempts that end at the same time are all counted")
    func concurrent() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<5 { try record(MetricStore(file: file)) } }
            }
            try await group.waitForAll()
        }
        #expect(MetricStore(file: file).history.days.map(\.normalExits) == [20])
    }

    @Test(
        "a damaged file is replaced, and impossible numbers are dropped",
        arguments: [
            "", "{", "[]", #"{"days": 1}"#,
            #"{"days": [{"day": 20513, "seconds": 1, "cpuSeconds": 1, "peakMemory": 1, "#
                + #""normalExits": 9223372036854775807, "expirations": 1, "version": "", "#
                + #""hasSeveralVersions": false, "isDelivered": false}]}"#,
        ])
    func damaged(text: String) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        try record(MetricStore(file: file))
        #expect(MetricStore(file: file).history.days.map(\.normalExits) == [1])
    }

    @Test("a store that cannot be written reports it; one without a file keeps days in memory")
    func nowhere() throws {
        let bad = MetricStore(file: URL(fileURLWithPath: "/dev/null/days.json"))
        #expect(throws: (any Error).self) { try record(bad) }
        let memory = MetricStore(file: nil)
        try record(memory)
        #expect(memory.history.days.count == 1)
    }
}
