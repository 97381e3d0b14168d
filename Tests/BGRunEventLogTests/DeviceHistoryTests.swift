// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunEventLog

@Suite("The course of a span")
struct DeviceHistoryTests {
    private static func course(
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

    @Test("each wait lasts from when a thing holds a request to when it no longer does")
    func waits() throws {
        let course = try Self.course(BlockedTimeTests.story())
        let waits = (course.waits["sync"] ?? []).map {
            "\(Self.second($0.from))-\(Self.second($0.to)) \($0.blocker ?? "early")"
        }
        #expect(waits == ["5-10 early", "10-20 power: external", "20-40 concurrency"])
        #expect(course.waits["other"] == nil)
    }

    @Test("the device is told from the beginning of the journal on, and whenever it changes")
    func device() throws {
        let course = try Self.course(BlockedTimeTests.story())
        #expect(course.device.map { Self.second($0.at) } == [0, 20])
        #expect(course.device.map(\.state?.externalPower) == [.no, .yes])
        #expect(course.begins == BlockedTimeTests.date(0))
    }

    @Test("when the host is gone nothing waits, and nobody knows the device")
    func gone() throws {
        let host = try BlockedTimeTests.story()
        try host.take(
            50, .submit(Submission(identifier: "sync", delay: .seconds(100)), ticket: nil))
        try host.take(55, .deviceChanged(DeviceState(externalPower: .no)))
        let course = try Self.course(host, isHostRunning: false)
        #expect(course.device.last?.state == nil)
        #expect(course.waits["sync"]?.last.map { Self.second($0.to) } == 55)
        let running = try Self.course(host)
        #expect(running.waits["sync"]?.last.map { Self.second($0.to) } == 100)
    }

    @Test("what a short journal tells is exact, however long the span is")
    func exact() throws {
        let course = try Self.course(BlockedTimeTests.story(), -10_000_000)
        let waits = (course.waits["sync"] ?? []).map {
            "\(Self.second($0.from))-\(Self.second($0.to))"
        }
        #expect(waits == ["5-10", "10-20", "20-40"])
    }

    @Test("what was before the span is not told, but what the device was like at its beginning is")
    func span() throws {
        let course = try Self.course(BlockedTimeTests.story(), 15, 30)
        let waits = (course.waits["sync"] ?? []).map {
            "\(Self.second($0.from))-\(Self.second($0.to))"
        }
        #expect(waits == ["15-20", "20-30"])
        #expect(course.device.first?.state?.externalPower == .no)
        #expect(course.device.count == 2)
    }
}
