// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunEventLog

@Suite("The time for which requests were held back", .timeLimit(.minutes(10)))
struct BlockedTimeTests {
    /// A host that receives events at given seconds; one task needs power.
    final class Recorded {
        let directory: Directory
        let journal: Journal
        var engine = Engine(
            Engine.Configuration(
                permitted: ["sync", "other"],
                declarations: [
                    TaskDeclaration(
                        identifier: "sync", kind: .processing, requires: .externalPower,
                        submission: .manual),
                    TaskDeclaration(identifier: "other", kind: .processing, submission: .manual),
                ], modes: [.processing],
                policy: {
                    var policy = Policy.server
                    policy.concurrentAttempts = 1
                    return policy
                }()), device: DeviceState(externalPower: .no))

        init() throws {
            directory = try Directory()
            journal = try directory.journal()
        }

        func take(_ second: Int64, _ event: Event) throws {
            var noted = Noted(number: 0)
            let now = at(second)
            let actions = engine.handle(event, at: now, using: &noted)
            try journal.note(event, at: now, random: nil, actions, from: engine)
            try journal.flush()
        }

        func at(_ second: Int64) -> Instant {
            Instant(elapsed: second * 1_000_000_000, wall: date(second))
        }

        func waits(
            _ since: Int64 = 0, _ until: Int64 = 100, isHostRunning: Bool = true,
            exact: Int = 20_000
        ) throws -> [String: [String: Int64]] {
            BlockedTime(
                of: ["sync", "other"], in: try directory.images, since: date(since),
                until: date(until), isHostRunning: isHostRunning, exact: exact
            ).waits
        }
    }

    static func date(_ second: Int64) -> WallTime {
        WallTime(milliseconds: 1_790_000_000_000 + second * 1_000)
    }

    /// sync waits for its date until 10, for power until 20, for a slot until 40.
    static func story() throws -> Recorded {
        let host = try Recorded()
        try host.journal.begin(host.engine, at: host.at(0))
        try host.take(1, .start)
        try host.take(5, .submit(Submission(identifier: "sync", delay: .seconds(5)), ticket: nil))
        try host.take(10, .timer)
        try host.take(15, .submit(Submission(identifier: "other"), ticket: nil))
        try host.take(20, .deviceChanged(DeviceState(externalPower: .yes)))
        try host.take(40, .attemptEnded(attempt: 1, .completed))
        return host
    }

    @Test("each cause counts from when it holds back a due request until it no longer does")
    func story() throws {
        let waits = try Self.story().waits()
        #expect(waits == ["sync": ["power: external": 10_000, "concurrency": 20_000]])
    }

    @Test("only the part within the span counts")
    func span() throws {
        let waits = try Self.story().waits(12, 25)
        #expect(waits == ["sync": ["power: external": 8_000, "concurrency": 5_000]])
    }

    @Test("the intervals of an identifier add up to the same time", arguments: [100, 30, 12])
    func stretches(until: Int64) throws {
        let host = try Self.story()
        let history = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 99, isHostRunning: true,
            until: Self.date(until))
        let due = history.stretches.filter { $0.reason != "its earliest date has not come" }
        let sum = due.reduce(into: Int64(0)) { sum, stretch in
            let end = min(stretch.until ?? Self.date(until), Self.date(until))
            sum += end.milliseconds - stretch.since.milliseconds
        }
        #expect(try host.waits(0, until)["sync"]?.values.reduce(0, +) == sum)
    }

    @Test("in a long span lasting waits are exact to a second, and all waits of few events")
    func longSpan() throws {
        let host = try Self.story()
        let week: Int64 = 7 * 86_400
        try host.take(41, .submit(Submission(identifier: "other"), ticket: nil))
        try host.take(42, .deviceChanged(DeviceState(externalPower: .no)))
        try host.take(43, .attemptEnded(attempt: 2, .completed))
        try host.take(44, .submit(Submission(identifier: "sync"), ticket: nil))
        let sampled = try host.waits(0, week, exact: 0)
        #expect(sampled["sync"]?["power: external"] ?? 0 >= (week - 44) * 1_000)
        #expect(sampled["sync"]?["power: external"] ?? .max <= week * 1_000)
        let power = (10 + week - 44) * 1_000
        #expect(
            try host.waits(0, week) == [
                "sync": ["power: external": power, "concurrency": 20_000],
                "other": ["concurrency": 2_000],
            ])
    }

    @Test("without a host a due request waits for a host, any other for its date")
    func noHost() throws {
        let host = try Recorded()
        try host.journal.begin(host.engine, at: host.at(0))
        try host.take(1, .submit(Submission(identifier: "sync"), ticket: nil))
        try host.take(2, .submit(Submission(identifier: "other", delay: .seconds(58)), ticket: nil))
        let killed = try host.waits(isHostRunning: false)
        #expect(
            killed == [
                "sync": ["power: external": 1_000, "a killed host": 98_000],
                "other": ["a killed host": 40_000],
            ])
        try host.journal.end(at: host.at(20))
        let waits = try host.waits(isHostRunning: false)
        #expect(
            waits == [
                "sync": ["power: external": 19_000, "no host": 80_000],
                "other": ["no host": 40_000],
            ])
        try host.journal.begin(host.engine, at: host.at(60))
        try host.journal.flush()
        let both = try host.waits(isHostRunning: false)
        #expect(
            both == [
                "sync": ["power: external": 19_000, "no host": 40_000, "a killed host": 40_000],
                "other": ["a killed host": 40_000],
            ])
    }

    @Test("the result has the date at which the journal begins, and whether the journal is damaged")
    func damage() throws {
        let host = try Self.story()
        var images = try host.directory.images
        func blocked() -> BlockedTime {
            BlockedTime(
                of: ["sync"], in: images, since: Self.date(0), until: Self.date(100),
                isHostRunning: true)
        }
        #expect(blocked().begins == Self.date(0))
        #expect(blocked().gap == nil)
        images[0].bytes[images[0].bytes.count - 30] ^= 1
        #expect(blocked().gap?.contains("is damaged at byte ") == true)
    }
}
