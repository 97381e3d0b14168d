// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunEventLog

@Suite("The journal and its replay", .timeLimit(.minutes(10)))
struct JournalTests {
    @Test("a recording replays to the same bytes", arguments: 1...20 as ClosedRange<UInt64>)
    func proof(seed: UInt64) throws {
        let directory = try Directory()
        var run = RandomRun(seed: seed)
        try directory.record(&run, steps: 300, in: try directory.journal())
        let report = ReplayReport(try directory.images)
        #expect(report.isProof)
        #expect(report.difference == nil)
        #expect(report.events == 300 && report.hosts == 1 && report.snapshots == 1)
        #expect(report.actions > 0 && report.versions == ["test"])
        #expect(report.apps == ["org.test.app"])
        #expect(report.configuration == run.engine.configuration.digest)
        #expect(report.last == run.now.wall)
    }

    @Test(
        "files rotate within their limits, and a replay continues across a rotation",
        arguments: 1...10 as ClosedRange<UInt64>)
    func rotation(seed: UInt64) throws {
        let directory = try Directory()
        var run = RandomRun(seed: seed)
        let bytes = 100_000
        try directory.record(&run, steps: 3_000, in: try directory.journal(bytes: bytes))
        let images = try directory.images
        try #require(images.count == 2)
        for image in images { #expect(image.bytes.count < bytes / 2 + 2_000) }
        let report = ReplayReport(images)
        #expect(report.isProof && report.snapshots == 2 && report.hosts == 0)
        #expect(report.events > 300 && report.events < 3_000)
    }

    @Test("the recordings of a killed host and of the next one are replayed")
    func killed() throws {
        let directory = try Directory()
        var first = RandomRun(seed: 1)
        try directory.record(
            &first, steps: 50, round: 1, in: try directory.journal(), isEnding: false)
        var second = RandomRun(seed: 2)
        try directory.record(&second, steps: 60, in: try directory.journal())
        let report = ReplayReport(try directory.images)
        #expect(report.isProof && report.hosts == 2 && report.events == 110)
    }

    @Test("a decision that differs is found, with its record and event")
    func difference() throws {
        let directory = try Directory()
        let journal = try directory.journal()
        var run = RandomRun(seed: 3)
        try journal.begin(run.engine, at: run.now)
        for step in 0..<20 {
            let happened = run.step()
            let actions = happened.actions + (step == 12 ? [.kill(attempt: 99)] : [])
            try journal.note(
                happened.event, at: happened.at, random: happened.random, actions,
                from: run.engine)
        }
        try journal.end(at: run.now)
        let report = ReplayReport(try directory.images)
        let difference = try #require(report.difference)
        #expect(!report.isProof && report.events == 12)
        #expect(difference.number == 14 && difference.path == directory.paths.current)
        #expect(difference.event != nil)
    }

    @Test("a random number that differs is found")
    func otherNumber() throws {
        let directory = try Directory()
        let journal = try directory.journal()
        let jittered = TaskDeclaration(
            identifier: "a", kind: .processing, schedule: .every(.hours(1)), jitter: .minutes(30))
        var engine = Engine(
            Engine.Configuration(
                permitted: ["a"], declarations: [jittered], modes: [.processing], policy: .server),
            device: DeviceState())
        let now = Instant(elapsed: 5, wall: WallTime(milliseconds: 1_000_000))
        try journal.begin(engine, at: now)
        for event in [Event.start, .attemptEnded(attempt: 1, .completed)] {
            var noted = Noted(number: 1 << 60)
            let actions = engine.handle(event, at: now, using: &noted)
            try journal.note(event, at: now, random: 1 << 61, actions, from: engine)
        }
        try journal.flush()
        #expect(ReplayReport(try directory.images).difference?.number == 3)
    }

    @Test("a file that is truncated anywhere is read up to its end")
    func torn() throws {
        let directory = try Directory()
        var run = RandomRun(seed: 4)
        try directory.record(&run, steps: 20, round: 1, in: try directory.journal())
        let whole = try #require(try directory.images.first)
        var ends: Set<Int> = []
        for count in 0..<whole.bytes.count {
            let image = JournalImage(path: "cut", bytes: Array(whole.bytes[..<count]))
            let report = ReplayReport([image])
            #expect(report.isProof, "\(count) bytes")
            let reading = try #require(report.files.first?.reading)
            #expect(reading.bytes <= count)
            if reading.ending == .whole { ends.insert(count) }
            // After a power cut, the rest may be zeros.
            let zeros = [UInt8](repeating: 0, count: 64)
            #expect(ReplayReport([.init(path: "cut", bytes: image.bytes + zeros)]).isProof)
        }
        #expect(ends.count >= 20)
    }

    @Test("a changed bit is found at any position")
    func flipped() throws {
        let directory = try Directory()
        var run = RandomRun(seed: 5)
        try directory.record(&run, steps: 10, round: 1, in: try directory.journal())
        let whole = try #require(try directory.images.first)
        for offset in whole.bytes.indices {
            var bytes = whole.bytes
            bytes[offset] ^= 1 << UInt8(offset % 8)
            let report = ReplayReport([JournalImage(path: "flipped", bytes: bytes)])
            #expect(!report.isProof, "byte \(offset)")
            let reading = try #require(report.files.first?.reading)
            #expect(reading.bytes <= offset && reading.records < 12, "byte \(offset)")
        }
    }

    @Test("nothing is appended to an incomplete record")
    func afterTornEnd() throws {
        let directory = try Directory()
        var run = RandomRun(seed: 6)
        try directory.record(&run, steps: 20, in: try directory.journal())
        let whole = try #require(try directory.images.first)
        try directory.write(Array(whole.bytes.dropLast(3)), to: directory.paths.current)
        var second = RandomRun(seed: 7)
        try directory.record(&second, steps: 20, in: try directory.journal())
        let report = ReplayReport(try directory.images)
        #expect(report.isProof && report.hosts == 2)
        #expect(report.files.map(\.reading.ending) == [.torn, .whole])
    }

    @Test("a file that is not a journal or has another format is reported as such")
    func headings() {
        let foreign = JournalImage(path: "x", bytes: Array("hello, world".utf8))
        let newer = JournalImage(path: "x", bytes: Array("bgrunjl".utf8) + [9, 0])
        for (image, words) in [(foreign, "not a journal"), (newer, "format 9")] {
            let ending = image.visit { _, _ in true }.ending
            guard case .damaged(let reason) = ending else {
                Issue.record("\(ending)")
                continue
            }
            #expect(reason.contains(words))
        }
    }

    @Test("a snapshot that never fits causes one pause, however often it is tried")
    func neverFits() throws {
        let directory = try Directory()
        var run = RandomRun(seed: 1)
        try directory.record(&run, steps: 200, in: try directory.journal(bytes: 400))
        let report = ReplayReport(try directory.images)
        #expect(report.isProof && report.pauses.count == 1 && report.events == 0)
    }

    @Test("recording continues after a pause, with or without a pending request", arguments: 0...1)
    func smallPause(pending: Int) throws {
        let directory = try Directory()
        let journal = try directory.journal(bytes: 16_000)
        let declaration = TaskDeclaration(
            identifier: "a", kind: .processing, requires: .externalPower, submission: .manual)
        func engine(_ permitted: [String]) -> Engine {
            Engine(
                Engine.Configuration(
                    permitted: permitted, declarations: [declaration], modes: [.processing],
                    policy: .server), device: DeviceState())
        }
        let now = Instant(elapsed: 5, wall: WallTime(milliseconds: 1_000_000))
        var large = engine(["a", String(repeating: "long", count: 2_000)])
        var noted = Noted(number: 0)
        for _ in 0..<pending {
            _ = large.handle(
                .submit(Submission(identifier: "a"), ticket: nil), at: now, using: &noted)
        }
        try journal.begin(large, at: now)
        var small = engine(["a"])
        let actions = small.handle(.timer, at: now, using: &noted)
        try journal.note(.timer, at: now, random: nil, actions, from: small)
        try journal.end(at: now)
        let report = ReplayReport(try directory.images)
        #expect(report.pauses == (1, pending))
        #expect(report.snapshots == 1)
    }

    /// A journal that is paused, because a thousand requests are pending.
    private final class Paused {
        let directory: Directory
        let journal: Journal
        private(set) var engine: Engine
        private(set) var now = Instant(elapsed: 5, wall: WallTime(milliseconds: 1_000_000))

        init() throws {
            directory = try Directory()
            journal = try directory.journal(bytes: 40_000)
            let declaration = TaskDeclaration(
                identifier: "a.*", kind: .processing, requires: .externalPower,
                submission: .manual)
            engine = Engine(
                Engine.Configuration(
                    permitted: ["a.*"], declarations: [declaration], modes: [.processing],
                    policy: .server), device: DeviceState())
            try journal.begin(engine, at: now)
            for index in 0..<1_000 {
                try take(.submit(Submission(identifier: "a.\(index)"), ticket: nil))
            }
        }

        func take(_ event: Event) throws {
            now.elapsed += 1_000_000
            now.wall.milliseconds += 1
            var noted = Noted(number: 0)
            let actions = engine.handle(event, at: now, using: &noted)
            try journal.note(event, at: now, random: nil, actions, from: engine)
        }

        /// The present content of the file.
        var report: ReplayReport {
            get throws {
                try journal.flush()
                return ReplayReport(try directory.images)
            }
        }
    }

    @Test("entries that do not fit are dropped; recording continues when they fit")
    func pause() throws {
        let run = try Paused()
        let paused = try run.report
        #expect(paused.isProof && paused.pauses.count == 1)
        #expect(paused.pauses.pending > 100)
        #expect(paused.events < 1_000)
        try run.take(.cancelAll(ticket: nil))
        try run.take(.submit(Submission(identifier: "a.1"), ticket: nil))
        try run.journal.end(at: run.now)
        let resumed = ReplayReport(try run.directory.images)
        #expect(resumed.isProof && resumed.events == paused.events + 1)
        #expect(resumed.last == run.now.wall)
    }

    @Test("recording continues only after half of the full journal is gone")
    func halved() throws {
        let run = try Paused()
        let paused = try run.report
        func cancel(downTo count: Int) throws {
            while run.engine.pendingCount > count {
                let identifier = "a.\(run.engine.pendingCount - 1)"
                try run.take(.cancel(identifier: identifier, ticket: nil))
            }
        }
        try cancel(downTo: paused.pauses.pending / 2)
        #expect(try run.report.snapshots == paused.snapshots)
        try cancel(downTo: paused.pauses.pending / 2 - 1)
        #expect(try run.report.snapshots == paused.snapshots + 1)
    }

    @Test("the files stay within their limits when hosts only start and end")
    func idleHosts() throws {
        let directory = try Directory()
        var run = RandomRun(seed: 3)
        let bytes = 20_000
        for _ in 0..<100 {
            try directory.record(&run, steps: 0, in: try directory.journal(bytes: bytes))
        }
        let images = try directory.images
        #expect(images.count == 2)
        for image in images { #expect(image.bytes.count < bytes) }
    }
}
