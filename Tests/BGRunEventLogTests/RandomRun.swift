// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// An engine that receives random events, as from a host.
struct RandomRun {
    private(set) var engine: Engine
    private(set) var now = Instant(
        elapsed: 1_000_000_000_000, wall: WallTime(milliseconds: 1_790_000_000_000))
    private var random: SplitMix
    private var attempts: [Int64] = []
    private var wake: Int64?

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        var policy: Policy = random.bool() ? .apple : .server
        policy.concurrentAttempts = 1 + Int(random.next() % 3)
        if random.bool() {
            policy.appRefreshSpacing = .seconds(40)
            policy.pushSpacing = .seconds(20)
            policy.budget = .seconds(100)
            policy.budgetPeriod = .seconds(900)
            policy.missedCompletionPenalty = .seconds(15)
            policy.usageMinimum = 1
        }
        var declarations: [TaskDeclaration] = []
        for index in 0..<7 { declarations.append(Self.declaration(index, &random)) }
        engine = Engine(
            Engine.Configuration(
                permitted: ["task0", "task1", "task2", "task3", "task4", "task5", "wild.*"],
                declarations: declarations, modes: Set(Mode.allCases), policy: policy),
            device: DeviceState())
    }

    private static func declaration(_ index: Int, _ random: inout SplitMix) -> TaskDeclaration {
        TaskDeclaration(
            identifier: index == 6 ? "wild.*" : "task\(index)",
            kind: random.pick(TaskKind.allCases),
            requires: Conditions(
                rawValue: UInt8(random.next() & random.next() & random.next() & 127)),
            earliest: .seconds(random.pick([0, 0, 5, 60])),
            schedule: random.pick(schedules),
            submission: random.pick(TaskDeclaration.Submission.allCases),
            timeLimit: .seconds(1 + Int64(random.next() % 40)),
            grace: .seconds(Int64(random.next() % 5)),
            retry: random.maybe(RetryRule(from: .seconds(7), to: .seconds(60))),
            overlap: random.pick(Overlap.allCases), catchUp: random.pick(CatchUp.allCases),
            jitter: .seconds(random.pick([0, 20])),
            group: index < 3 ? TaskDeclaration.Group(name: "plugin", limit: 1) : nil,
            strategy: random.pick(Strategy.allCases), startDeadline: random.maybe(.seconds(9)),
            triggers: index == 6 ? [] : TaskDeclaration.Triggers(rawValue: UInt8(random.next() % 4))
        )
    }

    private static let schedules: [Schedule?] = {
        let cron = try? CronSchedule(
            "*/20 * * * * *", seeds: CronSeeds(machine: "m", identifier: "i"))
        let calendar = cron.map {
            Schedule.calendar(
                CalendarSchedule([CalendarSchedule.Entry(.cron($0), in: .utc, text: "often")]))
        }
        return [nil, .every(.seconds(90)), .every(.seconds(60), flex: .seconds(20)), calendar]
    }()

    /// An event, and the actions of the engine.
    struct Step {
        var at: Instant
        var random: UInt64?
        var event: Event
        var actions: [Action]
    }

    /// Sends one random event to the engine.
    mutating func step() -> Step {
        let event = nextEvent()
        var pass = Int64(random.next() % 8_000_000_000)
        if let wake, random.next() % 4 != 0 { pass = min(pass, max(0, wake - now.elapsed)) }
        now.elapsed += pass
        now.wall = now.wall.advanced(by: Interval(nanoseconds: pass))
        if random.next() % 40 == 0 {
            now.wall = now.wall.advanced(by: .seconds(Int64(random.next() % 600) - 300))
        }
        var noted = Noted(number: random.next())
        let actions = engine.handle(event, at: now, using: &noted)
        for action in actions {
            if case .launch(let attempt) = action { attempts.append(attempt.id) }
            if case .wake(let elapsed) = action { wake = elapsed }
        }
        return Step(
            at: now, random: noted.isDrawn ? noted.number : nil, event: event, actions: actions)
    }

    private mutating func nextEvent() -> Event {
        let index = random.next() % 8
        let identifier = index < 6 ? "task\(index)" : "wild.\(index)"
        let attempt = attempts.randomElement(using: &random) ?? 1
        let submission = Submission(
            identifier: identifier,
            delay: random.pick([nil, .zero, .seconds(1), .seconds(30), .seconds(200)]),
            parameters: random.maybe("{}"))
        switch random.next() % 100 {
        case 0: return .start
        case 1..<30: return .submit(submission, ticket: 7)
        case 30..<33: return .cancel(identifier: identifier, ticket: nil)
        case 33: return .cancelAll(ticket: 7)
        case 34..<38: return .trigger(submission, ticket: 7)
        case 38..<41:
            return .expire(
                identifier: identifier, random.pick(StopReason.allCases), ticket: 7)
        case 41..<47: return .attemptReported(attempt: attempt)
        case 47..<65:
            attempts.removeAll { $0 == attempt }
            let outcomes: [Outcome] = [
                .completed, .failed, .expired(.time, reported: nil), .crashed(signal: 6),
            ]
            return .attemptEnded(attempt: attempt, random.pick(outcomes))
        case 65..<80: return .deviceChanged(random.device())
        case 80..<84:
            return .progress(attempt: attempt, completed: Int64(random.next() % 10), total: 10)
        case 84: return .assertionBegan(attempt: attempt, id: 1)
        case 85: return .assertionEnded(attempt: attempt, id: 1)
        case 86..<89: return .appOpened(ticket: nil)
        case 89: return .appForceQuit(ticket: nil)
        case 91: return .suspending(within: random.maybe(.seconds(2)))
        case 92..<95: return .resumed
        case 90: return .refreshSwitch(random.pick(RefreshSwitch.allCases), ticket: nil)
        default: return .timer
        }
    }
}

/// A generator that returns `number`, and records whether it was used.
struct Noted: RandomNumberGenerator {
    let number: UInt64
    private(set) var isDrawn = false

    init(number: UInt64) {
        self.number = number
    }

    mutating func next() -> UInt64 {
        isDrawn = true
        return number
    }
}
