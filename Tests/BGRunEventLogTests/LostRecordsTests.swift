// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunEventLog

@Suite("A journal with missing or foreign records", .timeLimit(.minutes(10)))
struct LostRecordsTests {
    private typealias Recorded = BlockedTimeTests.Recorded
    private let date = BlockedTimeTests.date

    /// A host with a request that waits for power from 1 on; the journal records nothing from 10 on.
    private func paused() throws -> Recorded {
        let host = try Recorded()
        try host.journal.begin(host.engine, at: host.at(0))
        try host.take(1, .submit(Submission(identifier: "sync"), ticket: nil))
        let large = Engine(
            Engine.Configuration(
                permitted: [String(repeating: "x", count: 1 << 19)], declarations: [],
                modes: [.processing], policy: .server), device: DeviceState())
        try host.journal.change(to: large, at: host.at(10))
        try host.journal.flush()
        return host
    }

    @Test("a wait is listed up to a pause, because what followed is unknown")
    func pausedWait() throws {
        let waits = WaitHistory(
            of: "sync", in: try paused().directory.images, limit: 9, isHostRunning: true)
        #expect(waits.stretches.map(\.since) == [date(1)])
        #expect(waits.stretches.map(\.until) == [date(10)])
    }

    @Test("a wait is not counted during a pause")
    func pausedBlock() throws {
        #expect(try paused().waits() == ["sync": ["power: external": 9_000]])
    }

    @Test("after a host that ended during a pause, the pause is the last known state")
    func endedPause() throws {
        let host = try paused()
        try host.journal.end(at: host.at(20))
        let images = try host.directory.images
        #expect(throws: PastState.Absence.paused(pending: 0, since: date(10))) {
            try PastState.at(date(30), in: images, isHostRunning: false)
        }
    }

    @Test("a wait continues when the host gets another manifest")
    func otherManifest() throws {
        let host = try Recorded()
        try host.journal.begin(host.engine, at: host.at(0))
        try host.take(1, .submit(Submission(identifier: "sync"), ticket: nil))
        try host.take(5, .timer)
        try host.journal.change(to: host.engine, at: host.at(10))
        try host.take(20, .timer)
        let waits = WaitHistory(
            of: "sync", in: try host.directory.images, limit: 9, isHostRunning: true)
        #expect(waits.stretches.map(\.reason) == ["waits for power: external"])
        #expect(waits.stretches.map(\.since) == [date(1)])
    }

    @Test("an engine with another manifest may differ from the one that was recorded before")
    func changedEngine() throws {
        let directory = try Directory()
        let journal = try directory.journal()
        var run = RandomRun(seed: 1)
        try directory.record(&run, steps: 100, in: journal, isEnding: false)
        try journal.change(to: RandomRun(seed: 2).engine, at: run.now)
        try journal.end(at: run.now)
        let report = ReplayReport(try directory.images)
        #expect(report.isProof && report.hosts == 1 && report.snapshots == 2)
    }

    @Test(
        "a file that is full when the manifest changes keeps its records; the next file follows"
    )
    func fullAtChange() throws {
        let directory = try Directory()
        let journal = try directory.journal(bytes: 20_000)
        let run = RandomRun(seed: 3)
        try journal.begin(run.engine, at: run.now)
        var count = 1
        while try directory.images.count < 2, count < 1_000 {
            try journal.change(to: run.engine, at: run.now)
            count += 1
        }
        try journal.end(at: run.now)
        let snapshots = try directory.images.map { ReplayReport([$0]).snapshots }
        #expect(snapshots == [count - 1, 1])
    }

    @Test("nothing is appended to a journal of an older format")
    func olderFormat() throws {
        let directory = try Directory()
        try directory.write(Format5.image.bytes, to: directory.paths.current)
        var run = RandomRun(seed: 1)
        try directory.record(&run, steps: 10, in: try directory.journal())
        let images = try directory.images
        #expect(images.map(\.path) == [directory.paths.previous, directory.paths.current])
        #expect(images.first?.bytes == Format5.image.bytes)
        #expect(images.last?.bytes.starts(with: JournalFile.heading) == true)
    }

    @Test("both files of a journal are removed")
    func removal() throws {
        let directory = try Directory()
        try directory.write([1], to: directory.paths.current)
        try directory.write([2], to: directory.paths.previous)
        try directory.paths.remove()
        #expect(try directory.images.isEmpty)
        try directory.paths.remove()
    }

    @Test("a block without its last length is damage when another block follows")
    func lostLength() throws {
        let directory = try Directory()
        var run = RandomRun(seed: 5)
        try directory.record(&run, steps: 10, round: 1, in: try directory.journal())
        var image = try #require(try directory.images.first)
        guard
            case .block(_, let end) = JournalFile.next(image.bytes, at: JournalFile.heading.count)
        else {
            Issue.record("no block")
            return
        }
        image.bytes.replaceSubrange(end - 4..<end, with: [0, 0, 0, 0])
        let report = ReplayReport([image])
        guard case .damaged = report.files.first?.reading.ending else {
            Issue.record("\(report.files)")
            return
        }
        #expect(report.events == 0)
    }

    @Test("nothing is appended to a block with a damaged heading")
    func damagedHeading() throws {
        let directory = try Directory()
        var run = RandomRun(seed: 6)
        try directory.record(&run, steps: 20, in: try directory.journal())
        var bytes = try #require(try directory.images.first).bytes
        let length = Int(bytes.integer(UInt32.self, at: bytes.count - 4))
        bytes[bytes.count - length - JournalFile.blockOverhead + 4] ^= 1
        try directory.write(bytes, to: directory.paths.current)
        var second = RandomRun(seed: 7)
        try directory.record(&second, steps: 20, in: try directory.journal())
        #expect(try directory.images.map(\.bytes).first == bytes)
    }

    /// The two files of a long run.
    private func long(_ seed: UInt64) throws -> [JournalImage] {
        let directory = try Directory()
        var run = RandomRun(seed: seed)
        try directory.record(&run, steps: 3_000, in: try directory.journal(bytes: 100_000))
        let images = try directory.images
        try #require(images.count == 2)
        return images
    }

    @Test("a file continues with its own snapshot after damage in the file before it")
    func afterDamage() throws {
        var images = try long(1)
        images[0].bytes[images[0].bytes.count / 2] ^= 1
        let report = ReplayReport(images)
        #expect(!report.isProof && report.difference == nil && report.files.count == 2)
        #expect(report.files.last?.reading.ending == .whole)
    }

    @Test("a snapshot that does not follow from the events before it is found")
    func otherSnapshot() throws {
        let report = ReplayReport([try long(1)[0], try long(2)[1]])
        let difference = try #require(report.difference)
        #expect(difference.number == 1 && difference.event == nil)
    }

    @Test("damage is not reported for a date with later intact records")
    func damageBefore() throws {
        let host = try BlockedTimeTests.story()
        let next = try Recorded()
        try next.journal.begin(next.engine, at: next.at(50))
        try next.take(51, .start)
        var images = try host.directory.images + next.directory.images
        images[0].bytes[images[0].bytes.count - 30] ^= 1
        let between = try PastState.at(date(45), in: images, isHostRunning: true)
        #expect(between.damage?.contains("is damaged at byte ") == true)
        let later = try PastState.at(date(60), in: images, isHostRunning: true)
        #expect(later.damage == nil && later.asOf.wall == date(51))
    }

    private func history(_ host: Recorded, _ since: Int64, _ until: Int64) throws -> DeviceHistory {
        DeviceHistory(
            of: ["sync"], in: try host.directory.images, since: date(since), until: date(until),
            isHostRunning: true)
    }

    @Test("the device is unknown between the last record of a killed host and the next host")
    func killedHost() throws {
        let host = try Recorded()
        try host.journal.begin(host.engine, at: host.at(0))
        try host.take(1, .submit(Submission(identifier: "sync"), ticket: nil))
        try host.take(10, .timer)
        try host.journal.begin(host.engine, at: host.at(30))
        try host.take(31, .timer)
        let history = try history(host, 0, 100)
        #expect(history.device.map(\.at) == [0, 10, 30].map(date))
        #expect(history.device.map(\.state?.externalPower) == [.no, nil, .no])
        #expect(history.waits["sync"]?.map(\.from) == [1, 30].map(date))
        #expect(history.waits["sync"]?.map(\.to) == [10, 100].map(date))
    }

    @Test("of the states of the device before the span only the last one is listed")
    func deviceBefore() throws {
        let host = try Recorded()
        try host.journal.begin(host.engine, at: host.at(0))
        try host.take(5, .deviceChanged(DeviceState(externalPower: .yes)))
        try host.take(10, .deviceChanged(DeviceState(externalPower: .no)))
        try host.take(25, .deviceChanged(DeviceState(externalPower: .yes)))
        let history = try history(host, 15, 30)
        #expect(history.device.map(\.at) == [10, 25].map(date))
        #expect(history.device.map(\.state?.externalPower) == [.no, .yes])
    }
}
