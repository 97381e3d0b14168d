// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Measures a job: a request is submitted and launched, reports, and ends. All other requests wait for
/// power or for a date.
struct Cycle {
    private var engine: Engine
    private var random = Numbers(state: 7)
    private var now = Instant(
        elapsed: 1_000_000_000_000, wall: WallTime(milliseconds: 1_700_000_000_000))
    private var attempt: Int64 = 0
    private var actions: [Action] = []
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
    }

    /// Each cycle is three events.
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
        actions.removeAll(keepingCapacity: true)
        engine.handle(event, at: now, using: &random, into: &actions)
        for case .launch(let launched) in actions { attempt = launched.id }
    }
}
