// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunPolicy
import Glibc

/// Prints the cost of the journal with PENDING requests: `bgrun-event-log-probe [PENDING ...]`, by
/// default 100 and 100,000. Build it with `-c release`. Writes below TMPDIR.
struct Probe {
    private var engine: Engine
    private var random = SystemRandomNumberGenerator()
    private var now = Instant(
        elapsed: 1_000_000_000_000, wall: WallTime(milliseconds: 1_700_000_000_000))
    private var attempt: Int64 = 0
    private let journal: Journal
    let paths: JournalPaths

    init(pending count: Int, directory: String) throws {
        paths = JournalPaths(current: directory + "/journal", previous: directory + "/journal.1")
        try paths.remove()
        journal = try Journal(paths, app: "com.example", version: "probe", bytes: 32 << 20)
        engine = Engine(
            Engine.Configuration(
                permitted: ["com.example.*"],
                declarations: [
                    TaskDeclaration(
                        identifier: "com.example.wait.*", kind: .processing,
                        requires: .externalPower, submission: .manual),
                    TaskDeclaration(
                        identifier: "com.example.run", kind: .processing, submission: .manual),
                ], modes: [.processing], policy: .server),
            device: DeviceState(externalPower: .no))
        for index in 0..<count {
            _ = handle(
                .submit(Submission(identifier: "com.example.wait.\(index)"), ticket: nil))
        }
    }

    /// The time to write the snapshot of an engine to the file.
    mutating func begin() throws -> Duration {
        try ContinuousClock().measure {
            try journal.begin(engine, at: now)
            try journal.flush()
        }
    }

    /// Runs jobs of three events, each event in a separate round. Returns the time that the journal took.
    mutating func record(jobs: Int) throws -> Duration {
        var time = Duration.zero
        for _ in 0..<jobs {
            try take(.submit(Submission(identifier: "com.example.run"), ticket: 1), &time)
            try take(.attemptReported(attempt: attempt), &time)
            try take(.attemptEnded(attempt: attempt, .completed), &time)
        }
        return time
    }

    private mutating func take(_ event: Event, _ time: inout Duration) throws {
        let actions = handle(event)
        time += try ContinuousClock().measure {
            try journal.note(event, at: now, random: nil, actions, from: engine)
            try journal.flush()
        }
    }

    private mutating func handle(_ event: Event) -> [Action] {
        now.elapsed += 1_000_000
        now.wall.milliseconds += 1
        let actions = engine.handle(event, at: now, using: &random)
        for case .launch(let launched) in actions { attempt = launched.id }
        return actions
    }
}

extension Duration {
    var microseconds: Double {
        Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
    }
}

let directory = (getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/bgrun-event-log-probe"
mkdir(directory, 0o700)
let counts = CommandLine.arguments.dropFirst().compactMap { Int($0) }
for count in counts.isEmpty ? [100, 100_000] : counts {
    var probe = try Probe(pending: count, directory: directory)
    let snapshot = try (0..<3).map { _ in try probe.begin() }.min() ?? .zero
    let jobs = 30_000
    let recording = try probe.record(jobs: jobs)
    let images = try JournalImage.read(probe.paths)
    var report = ReplayReport([])
    let replaying = ContinuousClock().measure { report = ReplayReport(images) }
    let each = recording.microseconds / Double(jobs * 3)
    print("\(count) pending: snapshot \(Int(snapshot.microseconds)) us, ", terminator: "")
    print("event \(Int(each * 1_000)) ns, replay ", terminator: "")
    print("\(Int(Double(report.events) / replaying.microseconds * 1e6)) events/s")
    try probe.paths.remove()
}
rmdir(directory)
