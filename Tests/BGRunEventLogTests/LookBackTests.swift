// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunEventLog

@Suite("Past states from the journal", .timeLimit(.minutes(10)))
struct LookBackTests {
    private typealias Recorded = BlockedTimeTests.Recorded

    private static func date(_ second: Int64) -> WallTime { BlockedTimeTests.date(second) }

    /// A run that ends at 10, with a request that was submitted at 1.
    private static func ended() throws -> Recorded {
        let host = try Recorded()
        try host.begin(0)
        try host.take(1, .submit(Submission(identifier: "sync"), ticket: nil))
        try host.journal.end(at: host.at(10))
        return host
    }

    @Test("a state from before damage in the journal is reported as incomplete")
    func damaged() throws {
        let host = try BlockedTimeTests.story()
        var images = try host.directory.images
        let whole = images[0].bytes
        images[0].bytes[whole.count - 30] ^= 1
        let past = try PastState.at(Self.date(60), in: images, isHostRunning: true)
        #expect(past.asOf.wall < Self.date(40))
        #expect(try #require(past.damage).contains("is damaged at byte "))
        let before = try PastState.at(Self.date(7), in: images, isHostRunning: true)
        #expect(before.damage == nil)
        let waits = WaitHistory(of: "sync", in: images, limit: 9, isHostRunning: true)
        #expect(waits.gap == past.damage)
        #expect(waits.stretches.allSatisfy { $0.until != nil })
        images[0].bytes = Array("bgrunjl".utf8) + [1]
        do throws(PastState.Absence) {
            _ = try PastState.at(Self.date(60), in: images, isHostRunning: true)
            Issue.record("an older format was read")
        } catch {
            guard case .damaged(let damage) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(damage.contains("format 1"))
        }
    }

    @Test("waits are listed up to the first decision that differs")
    func different() throws {
        let host = try Recorded()
        try host.begin(0)
        try host.take(1, .submit(Submission(identifier: "sync"), ticket: nil))
        try host.journal.note(
            .timer, at: host.at(2), random: nil, [.wake(elapsed: 1)], from: host.engine)
        try host.take(9, .deviceChanged(DeviceState(externalPower: .yes)))
        let waits = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 9, isHostRunning: true)
        #expect(waits.stretches.map(\.until) == [Self.date(2)])
        #expect(try #require(waits.gap).contains("decides otherwise"))
    }

    @Test("between two events the reason is that of the earlier one")
    func reasons() throws {
        let host = try BlockedTimeTests.story()
        #expect(try host.reason(4) == nil)
        #expect(try host.reason(7) == .notBefore(Self.date(10)))
        #expect(try host.reason(12) == .conditions(.externalPower))
        #expect(try host.reason(19) == .conditions(.externalPower))
        #expect(try host.reason(25) == .concurrency(limit: 1))
        #expect(try host.reason(40) == nil)
    }

    @Test("each wait has its reason, begin and end, the newest last")
    func waits() throws {
        let host = try BlockedTimeTests.story()
        let waits = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 10, isHostRunning: true)
        #expect(
            waits.stretches.map(\.reason) == [
                "its earliest date has not come", "waits for power: external",
                "1 attempt is running, as many as policy allows",
            ])
        #expect(waits.stretches.map(\.since) == [5, 10, 20].map(Self.date))
        #expect(waits.stretches.map(\.until) == [10, 20, 40].map(Self.date))
        #expect(waits.stretches.map(\.attempt) == [nil, nil, 2])
        #expect(waits.stretches.allSatisfy { $0.request == 1 })
        #expect(waits.begins == Self.date(0))
        let newest = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 1, isHostRunning: true)
        #expect(newest.stretches == Array(waits.stretches.suffix(1)))
        let earlier = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 9, isHostRunning: true,
            until: Self.date(12))
        #expect(earlier.stretches == Array(waits.stretches.prefix(2)))
    }

    @Test("a wait that ended at once is left out")
    func emptyWait() throws {
        let host = try Recorded()
        try host.begin(0)
        try host.take(1, .submit(Submission(identifier: "other"), ticket: nil))
        try host.take(5, .submit(Submission(identifier: "sync"), ticket: nil))
        try host.take(5, .deviceChanged(DeviceState(externalPower: .yes)))
        try host.take(9, .timer)
        let waits = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 9, isHostRunning: true)
        #expect(
            waits.stretches.map(\.reason) == ["1 attempt is running, as many as policy allows"])
        #expect(waits.stretches.map(\.since) == [Self.date(5)])
    }

    @Test("a request waits for a host while none runs, then for its own reason")
    func noHost() throws {
        let host = try Self.ended()
        try host.begin(30)
        try host.take(30, .start)
        let images = try host.directory.images
        let running = WaitHistory(of: "sync", in: images, limit: 9, isHostRunning: true)
        #expect(
            running.stretches.map(\.reason) == [
                "waits for power: external", "no host runs", "waits for power: external",
            ])
        #expect(running.stretches.map(\.until) == [Self.date(10), Self.date(30), nil])
        // The second host is killed.
        let killed = WaitHistory(of: "sync", in: images, limit: 9, isHostRunning: false)
        #expect(killed.stretches.last?.reason == "the host was killed in this time")
        #expect(killed.stretches.last?.until == nil)
    }

    @Test("a request submitted while no host runs has the same waits before and after a start")
    func stored() throws {
        let host = try Self.ended()
        let images = try host.directory.images
        func waits(_ stored: WaitHistory.Stored, in images: [JournalImage]) -> [Explanation.Wait] {
            WaitHistory(
                of: "sync", in: images, limit: 9, isHostRunning: false,
                stored: (stored, Self.date(60))
            ).stretches
        }
        let noHost = "no host runs"
        let same = waits(.request(1, submitted: Self.date(1)), in: images)
        #expect(same.map(\.request) == [1, 1] && same.last?.until == nil)
        let replaced = waits(.request(2, submitted: Self.date(20)), in: images)
        #expect(replaced.map(\.request) == [1, 1, 2])
        #expect(replaced.map(\.since) == [1, 10, 20].map(Self.date))
        #expect(replaced.map(\.until) == [Self.date(10), Self.date(20), nil])
        #expect(replaced.suffix(2).map(\.reason) == [noHost, noHost])
        let cancelled = waits(.nothing, in: images)
        #expect(cancelled.map(\.until) == [Self.date(10), Self.date(60)])
        // Before the first host.
        let first = waits(.request(1, submitted: Self.date(5)), in: [])
        #expect(first.map(\.since) == [Self.date(5)] && first.map(\.reason) == [noHost])

        // The next host begins with the request that has replaced it.
        host.submit(20)
        try host.begin(30)
        try host.journal.flush()
        let after = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 9, isHostRunning: true
        ).stretches
        #expect(after == replaced)
    }

    @Test("a request submitted before the first host is shown after its start")
    func beforeFirst() throws {
        let host = try Recorded()
        host.submit(5)
        try host.begin(30)
        try host.take(31, .start)
        let waits = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 9, isHostRunning: true)
        #expect(waits.stretches.map(\.since) == [5, 31].map(Self.date))
        #expect(waits.stretches.first?.reason == "no host runs")
    }

    @Test(
        "a past state says whether a host ran",
        arguments: [
            (5, PastState.Host.running), (15, .ended), (35, .running), (45, .killed),
            (55, .running),
        ] as [(Int64, PastState.Host)])
    func hosts(second: Int64, host expected: PastState.Host) throws {
        let host = try Recorded()
        try host.begin(0)
        try host.take(1, .start)
        try host.journal.end(at: host.at(10))
        try host.begin(30)
        try host.take(31, .start)
        try host.take(33, .timer)
        try host.take(40, .timer)
        try host.begin(50)
        try host.take(51, .start)
        let images = try host.directory.images
        let past = try PastState.at(Self.date(second), in: images, isHostRunning: true)
        #expect(past.host == expected)
        #expect(past.asOf.wall <= Self.date(second))
        let last = try PastState.at(Self.date(60), in: images, isHostRunning: false)
        #expect(last.host == .killed && last.asOf.wall == Self.date(51))
    }

    @Test("a date before the journal or in a gap of it has no state")
    func absences() throws {
        #expect(throws: PastState.Absence.empty) {
            try PastState.at(Self.date(1), in: [], isHostRunning: false)
        }
        let host = try BlockedTimeTests.story()
        let images = try host.directory.images
        #expect(throws: PastState.Absence.beginsLater(Self.date(0))) {
            try PastState.at(Self.date(-1), in: images, isHostRunning: true)
        }
        let directory = try Directory()
        let journal = try directory.journal(bytes: 100)
        try journal.begin(host.engine, at: host.at(3))
        try journal.flush()
        let paused = try directory.images
        #expect(throws: PastState.Absence.paused(pending: 0, since: Self.date(3))) {
            try PastState.at(Self.date(9), in: paused, isHostRunning: true)
        }
    }

    @Test("if the clock was set back, the state is the last one at that date")
    func clockSetBack() throws {
        let host = try Recorded()
        try host.begin(0)
        try host.take(100, .submit(Submission(identifier: "sync"), ticket: nil))
        try host.take(5, .deviceChanged(DeviceState(externalPower: .yes, thermal: .serious)))
        let past = try PastState.at(
            Self.date(50), in: host.directory.images, isHostRunning: true)
        #expect(past.asOf.wall == Self.date(5))
        #expect(
            past.engine.pendingReason("sync", at: Self.date(50)) == .factor(.thermal, until: nil))
    }
}

extension BlockedTimeTests.Recorded {
    fileprivate func begin(_ second: Int64) throws { try journal.begin(engine, at: at(second)) }

    /// Submits as a command does without a running host: the journal has no entry.
    fileprivate func submit(_ second: Int64) {
        var noted = Noted(number: 0)
        _ = engine.handle(
            .submit(Submission(identifier: "sync"), ticket: nil), at: at(second), using: &noted)
    }

    fileprivate func reason(_ second: Int64) throws -> PendingReason? {
        let date = BlockedTimeTests.date(second)
        let past = try PastState.at(date, in: directory.images, isHostRunning: true)
        return past.engine.pendingReason("sync", at: date)
    }
}
