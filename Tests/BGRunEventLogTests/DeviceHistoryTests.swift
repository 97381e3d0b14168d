// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunEventLog

@Suite("The history of a span", .timeLimit(.minutes(10)))
struct DeviceHistoryTests {
    private static func history(
        _ host: BlockedTimeTests.Recorded, _ since: Int64 = 0, _ until: Int64 = 100,
        isHostRunning: Bool = true
    ) throws -> DeviceHistory {
        DeviceHistory(
            of: ["sync", "other"], in: try host.directory.images,
            since: BlockedTimeTests.date(since), until: BlockedTimeTests.date(until),
            isHostRunning: isHostRunning)
    }

    private static func second(_ date: WallTime) -> Int64 {
        (date.milliseconds - BlockedTimeTests.date(0).milliseconds) / 1_000
    }

    @Test("each wait lasts from when a cause holds back a request until it no longer does")
    func waits() throws {
        let history = try Self.history(BlockedTimeTests.story())
        let waits = (history.waits["sync"] ?? []).map {
            "\(Self.second($0.from))-\(Self.second($0.to)) \($0.blocker ?? "early")"
        }
        #expect(waits == ["5-10 early", "10-20 power: external", "20-40 concurrency"])
        #expect(history.waits["other"] == nil)
    }

    @Test("the device is listed at the beginning of the journal and at each change")
    func device() throws {
        let history = try Self.history(BlockedTimeTests.story())
        #expect(history.device.map { Self.second($0.at) } == [0, 20])
        #expect(history.device.map(\.state?.externalPower) == [.no, .yes])
        #expect(history.begins == BlockedTimeTests.date(0))
    }

    @Test("without a host nothing waits and the device is unknown")
    func gone() throws {
        let host = try BlockedTimeTests.story()
        try host.take(
            50, .submit(Submission(identifier: "sync", delay: .seconds(100)), ticket: nil))
        try host.take(55, .deviceChanged(DeviceState(externalPower: .no)))
        let history = try Self.history(host, isHostRunning: false)
        #expect(history.device.last?.state == nil)
        #expect(history.waits["sync"]?.last.map { Self.second($0.to) } == 55)
        let running = try Self.history(host)
        #expect(running.waits["sync"]?.last.map { Self.second($0.to) } == 100)
    }

    @Test("the history of a short journal is exact, however long the span is")
    func exact() throws {
        let history = try Self.history(BlockedTimeTests.story(), -10_000_000)
        let waits = (history.waits["sync"] ?? []).map {
            "\(Self.second($0.from))-\(Self.second($0.to))"
        }
        #expect(waits == ["5-10", "10-20", "20-40"])
    }

    @Test("the history excludes events before the span, except the device at its beginning")
    func span() throws {
        let history = try Self.history(BlockedTimeTests.story(), 15, 30)
        let waits = (history.waits["sync"] ?? []).map {
            "\(Self.second($0.from))-\(Self.second($0.to))"
        }
        #expect(waits == ["15-20", "20-30"])
        #expect(history.device.first?.state?.externalPower == .no)
        #expect(history.device.count == 2)
    }
}
