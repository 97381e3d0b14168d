// SPDX-License-Identifier: Apache-2.0

import BGRunCore

/// Prints how many events the engine handles in a second, with so many requests pending:
/// `bgrun-core-probe [PENDING ...]`, 100 and 100,000 by default. Build it with `-c release`.
///
/// One cycle is what a job costs: a request is submitted and launched, reports, and ends. All others
/// wait for power, for a date, or for room.
struct Probe {
    private var engine: Engine
    private var random = Numbers(state: 7)
    private var now = Instant(
        elapsed: 1_000_000_000_000, wall: WallTime(milliseconds: 1_700_000_000_000))
    private var attempt: Int64 = 0
    private var actions: [Action] = []
    private(set) var events = 0
    private let identifiers: [String]

    init(pending count: Int) {
        let tasks = ["com.example.wait.*", "com.example.later.*", "com.example.run.*"]
        let requires: [Conditions] = [.externalPower, [], []]
        engine = Engine(
            Engine.Configuration(
                permitted: tasks,
                declarations: zip(tasks, requires).map {
                    TaskDeclaration(
                        identifier: $0, kind: .processing, requires: $1, submission: .manual)
                }, modes: [.processing], policy: .server),
            device: DeviceState(externalPower: .no, batteryPercent: 50))
        identifiers = (0..<64).map { "com.example.run.\($0)" }
        for index in 0..<count {
            let isLater = index % 2 == 0
            handle(
                .submit(
                    Submission(
                        identifier: "com.example.\(isLater ? "later" : "wait").\(index)",
                        delay: isLater ? .days(Int64(1 + index % 300)) : .zero), ticket: nil))
        }
        events = 0
    }

    mutating func run(cycles: Int) {
        for cycle in 0..<cycles {
            let identifier = identifiers[cycle % identifiers.count]
            handle(.submit(Submission(identifier: identifier, delay: .zero), ticket: nil))
            handle(.attemptReported(attempt: attempt))
            handle(.attemptEnded(attempt: attempt, .completed))
        }
    }

    private mutating func handle(_ event: Event) {
        now.elapsed += 1_000_000
        now.wall.milliseconds += 1
        events += 1
        actions.removeAll(keepingCapacity: true)
        engine.handle(event, at: now, using: &random, into: &actions)
        for case .launch(let launched) in actions { attempt = launched.id }
    }
}

struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

let counts = CommandLine.arguments.dropFirst().compactMap { Int($0) }
for count in counts.isEmpty ? [100, 100_000] : counts {
    var probe = Probe(pending: count)
    probe.run(cycles: 10_000)
    var fastest = Duration.seconds(1_000)
    let before = probe.events
    for _ in 0..<5 {
        fastest = min(fastest, ContinuousClock().measure { probe.run(cycles: 100_000) })
    }
    let seconds = Double(fastest.components.attoseconds) / 1e18 + Double(fastest.components.seconds)
    let each = Double(probe.events - before) / 5
    print("\(count) pending: \(Int(each / seconds)) events/s")
}
