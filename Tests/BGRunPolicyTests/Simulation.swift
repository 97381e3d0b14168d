// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A host without processes: sends an engine random events, and keeps the records of a store and a
/// supervisor.
struct Simulation {
    private(set) var declarations: [TaskDeclaration]
    let policy: Policy
    var world: World
    var random: SplitMix
    var device = DeviceState()
    var books = Books()
    /// Whether slots are granted by a daemon.
    let isSharing: Bool

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        declarations = Self.declarations(using: &random)
        var policy = Policy.apple
        policy.concurrentAttempts = Int.random(in: 1...3, using: &random)
        policy.pendingLimits.appRefresh = Int.random(in: 1...3, using: &random)
        if Bool.random(using: &random) {
            policy.appRefreshSpacing = .seconds(40)
            policy.pushSpacing = .seconds(20)
            policy.budget = .seconds(300)
            policy.budgetPeriod = .seconds(900)
            policy.missedCompletionPenalty = .seconds(15)
            policy.starvationDeadline = .seconds(400)
        } else {
            policy.starvationDeadline = .zero
        }
        self.policy = policy
        world = World(declarations, policy: policy)
        isSharing = Int.random(in: 0..<4, using: &random) == 0
    }

    static func declarations(using random: inout SplitMix) -> [TaskDeclaration] {
        (0..<7).map { index in
            let isWild = index == 6
            let isRetried = Bool.random(using: &random)
            return TaskDeclaration(
                identifier: isWild ? "wild.*" : "task\(index)",
                kind: TaskKind.allCases.randomElement(using: &random) ?? .push,
                requires: Conditions(rawValue: UInt8.random(in: 0..<128, using: &random))
                    .intersection(Conditions(rawValue: UInt8.random(in: 0..<128, using: &random))),
                earliest: .seconds([0, 0, 5, 60].randomElement(using: &random) ?? 0),
                schedule: schedules.randomElement(using: &random) ?? nil,
                submission: Bool.random(using: &random) ? .launch : .manual,
                timeLimit: .seconds(Int64.random(in: 1...40, using: &random)),
                grace: .seconds(Int64.random(in: 0...5, using: &random)),
                retry: isRetried ? RetryRule(from: .seconds(7), to: .seconds(60)) : nil,
                overlap: Overlap.allCases.randomElement(using: &random) ?? .queue,
                catchUp: CatchUp.allCases.randomElement(using: &random) ?? .one,
                jitter: .seconds([0, 0, 20].randomElement(using: &random) ?? 0),
                group: index < 3 ? TaskDeclaration.Group(name: "plugin", limit: 1) : nil,
                strategy: Strategy.allCases.randomElement(using: &random) ?? .queue,
                startDeadline: Int.random(in: 0..<3, using: &random) == 0 ? .seconds(15) : nil,
                triggers: isWild
                    ? []
                    : TaskDeclaration.Triggers(rawValue: UInt8.random(in: 0...3, using: &random)))
        }
    }

    private static let schedules: [Schedule?] = {
        let seeds = CronSeeds(machine: "m", identifier: "i")
        let calendars = ["*/20 * * * * *", "7 * * * * *"].compactMap { text in
            (try? CronSchedule(text, seeds: seeds)).map {
                Schedule.calendar(
                    CalendarSchedule([CalendarSchedule.Entry(.cron($0), in: .utc, text: text)]))
            }
        }
        return [nil, .every(.seconds(90)), .every(.seconds(60), flex: .seconds(20))] + calendars
    }()

    /// Handles one random event. Returns it with the resulting actions.
    mutating func step() -> (event: Event, actions: [Action]) {
        if Int.random(in: 0..<80, using: &random) == 0 || books.isShutDown && books.attempts.isEmpty
        {
            restart()
        }
        if Int.random(in: 0..<80, using: &random) == 0 { reload() }
        let event = nextEvent()
        // Mostly in time for the timer, sometimes later, as after sleep of the machine.
        var pass = Int64.random(in: 0...8_000_000_000, using: &random)
        if let wake = world.wake, Int.random(in: 0..<5, using: &random) > 0 {
            pass = min(pass, wake - world.elapsed)
        }
        if case .timer = event, let wake = world.wake, Bool.random(using: &random) {
            pass = wake - world.elapsed
        }
        return (event, perform(event, after: pass))
    }

    private mutating func perform(_ event: Event, after nanoseconds: Int64 = 0) -> [Action] {
        let actions = world.handle(event, after: Interval(nanoseconds: nanoseconds))
        books.note(event, actions, at: world.now)
        return actions
    }

    /// Replaces the host by one that restores the stored data.
    private mutating func restart() {
        let interrupted = books.attempts.values.sorted { $0.id < $1.id }.map {
            InterruptedAttempt(id: $0.id, request: $0.request)
        }
        var next = World(
            declarations, policy: policy, device: device,
            restoring: Engine.Restoration(
                requests: Array(books.stored.values), lastLaunches: books.lastLaunches,
                facts: books.facts, nextRequestID: books.lastRequest + 1,
                nextAttemptID: books.lastAttempt + 1))
        next.elapsed = world.elapsed
        next.wall = world.wall
        world = next
        books.hostDied()
        if isSharing { _ = perform(.granted(0)) }
        _ = perform(.recover(interrupted))
        _ = perform(.start)
    }

    /// Changes the manifest: the same tasks get other requirements, spacings and limits.
    private mutating func reload() {
        _ = perform(.manifestChanged(stopping: []))
        let others = Self.declarations(using: &random)
        for index in declarations.indices {
            let old = declarations[index]
            declarations[index] = others[index]
            declarations[index].kind = old.kind
        }
        let stored = Engine.Restoration(
            requests: Array(books.stored.values), lastLaunches: books.lastLaunches,
            facts: books.facts)
        guard world.reload(declarations, stored: stored) else {
            return books.faults.append("an attempt of a declared task kept a manifest out")
        }
        _ = perform(.manifestLoaded(added: []))
    }

    private mutating func nextEvent() -> Event {
        let identifier = randomIdentifier()
        let attempt = books.attempts.values.sorted { $0.id < $1.id }.randomElement(using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: return .submit(randomSubmission(identifier), ticket: 7)
        case 25..<30: return .cancel(identifier: identifier, ticket: 7)
        case 30: return .cancelAll(ticket: 7)
        case 31..<36: return .trigger(randomSubmission(identifier), ticket: 7)
        case 36..<40:
            let reason = StopReason.allCases.randomElement(using: &random) ?? .time
            return .expire(identifier: identifier, reason, ticket: 7)
        case 40..<48: return .attemptReported(attempt: attempt?.id ?? 1)
        case 48..<70: return .attemptEnded(attempt: attempt?.id ?? 1, outcome(of: attempt))
        case 70..<82:
            device = randomDevice()
            return .deviceChanged(device)
        case 85:
            return .suspending(
                within: [nil, .zero, .seconds(5)].randomElement(using: &random) ?? nil)
        case 82..<85:
            world.setClock(by: .seconds(Int64.random(in: -300...300, using: &random)))
            return .timer
        case 87:
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return .appForceQuit(ticket: 7)
            case 1: return .refreshSwitch(.denied, ticket: 7)
            case 2: return .refreshSwitch(.available, ticket: 7)
            default: return .appOpened(ticket: 7)
            }
        case 88..<92:
            return .progress(
                attempt: attempt?.id ?? 1, completed: Int64.random(in: 0...9, using: &random),
                total: 10)
        case 92: return .assertionBegan(attempt: attempt?.id ?? 1, id: 1)
        case 93: return .assertionEnded(attempt: attempt?.id ?? 1, id: 1)
        case 94..<97: return .resumed
        case 86: return Bool.random(using: &random) ? .closeAdmission : .shutdown
        case 97..<99 where isSharing: return .granted(Int.random(in: 0...3, using: &random))
        case 99 where attempt?.request.kind == .continued:
            return Bool.random(using: &random)
                ? .attemptWaits(attempt: attempt?.id ?? 1)
                : .attemptBegan(attempt: attempt?.id ?? 1)
        default: return .timer
        }
    }

    private mutating func randomIdentifier() -> String {
        let index = Int.random(in: 0..<8, using: &random)
        return index < 6 ? "task\(index)" : "wild.\(index)"
    }

    private mutating func randomSubmission(_ identifier: String) -> Submission {
        let delay = [nil, 0, 1, 30, 200].randomElement(using: &random) ?? nil
        return Submission(
            identifier: identifier, delay: delay.map { .seconds(Int64($0)) },
            parameters: Bool.random(using: &random) ? "{}" : nil,
            requires: Int.random(in: 0..<4, using: &random) == 0
                ? Conditions.each.randomElement(using: &random) ?? [] : [])
    }

    private mutating func randomDevice() -> DeviceState {
        func reading(_ random: inout SplitMix) -> Reading {
            [.yes, .yes, .yes, .no, .unknown].randomElement(using: &random) ?? .no
        }
        return DeviceState(
            externalPower: reading(&random),
            batteryPercent: Int.random(in: 0...100, using: &random),
            lowPowerMode: Int.random(in: 0..<5, using: &random) == 0 ? .yes : .no,
            network: reading(&random), networkMetered: Bool.random(using: &random) ? .no : .yes,
            userIdle: reading(&random), storageLow: Bool.random(using: &random) ? .no : .yes,
            thermal: [nil, .nominal, .nominal, .serious, .critical].randomElement(using: &random)
                ?? nil,
            pressure: Int.random(in: 0..<5, using: &random) == 0 ? .yes : .no,
            gpu: Bool.random(using: &random) ? .yes : .no)
    }

    private mutating func outcome(of attempt: Attempt?) -> Outcome {
        if let attempt, let reason = books.told[attempt.id] {
            return .expired(reason, reported: Bool.random(using: &random))
        }
        return [.completed, .completed, .failed, .crashed(signal: 6), .exited(code: 1), .refused]
            .randomElement(using: &random) ?? .completed
    }
}

/// The knowledge of a store and a supervisor, from the engine's actions alone.
struct Books {
    /// Pending requests, by identifier.
    private(set) var stored: [String: TaskRequest] = [:]
    /// Running attempts, by id.
    private(set) var attempts: [Int64: Attempt] = [:]
    private(set) var told: [Int64: StopReason] = [:]
    private(set) var reported: Set<Int64> = []
    private(set) var terminated: Set<Int64> = []
    private(set) var killed: Set<Int64> = []
    /// Attempts that wait for their workers.
    private(set) var waiting: Set<Int64> = []
    /// Attempts that have waited, with their deadlines.
    private(set) var begun: [Int64: Int64] = [:]
    private(set) var lastLaunches: [String: WallTime] = [:]
    private(set) var remembered: [String: Int64] = [:]
    private(set) var lastRequest: Int64 = 0
    private(set) var lastAttempt: Int64 = 0
    private(set) var lastLaunchable = Int64.max
    private(set) var isShutDown = false
    private(set) var isSuspending = false
    /// Descriptions of violated rules.
    var faults: [String] = []

    var facts: AppFacts { AppFacts(entries: remembered.map { Fact($0.key, $0.value) }) }

    /// Whether the attempt was told to expire, or has reported.
    func isOnLadder(_ attempt: Int64) -> Bool {
        told[attempt] != nil || reported.contains(attempt)
    }

    mutating func hostDied() {
        attempts = [:]
        lastLaunchable = .max
        isShutDown = false
        isSuspending = false
    }

    mutating func note(_ event: Event, _ actions: [Action], at now: Instant) {
        switch event {
        case .closeAdmission: lastLaunchable = min(lastLaunchable, lastRequest)
        case .shutdown, .launchesEnd: isShutDown = true
        case .suspending: isSuspending = true
        case .resumed: isSuspending = false
        case .attemptWaits(let attempt): if !isOnLadder(attempt) { waiting.insert(attempt) }
        case .attemptBegan(let id):
            guard waiting.remove(id) != nil, told[id] == nil, let attempt = attempts[id] else {
                break
            }
            begun[id] = now.elapsed + attempt.deadlineElapsed - attempt.launched.elapsed
        case .attemptReported(let attempt):
            if !waiting.contains(attempt) { reported.insert(attempt) }
        case .attemptEnded(let attempt, _): attempts[attempt] = nil
        default: break
        }
        for action in actions { note(action, at: now) }
    }

    private mutating func note(_ action: Action, at now: Instant) {
        switch action {
        case .store(let request):
            stored[request.identifier] = request
            lastRequest = max(lastRequest, request.id)
        case .remove(let request):
            if stored.removeValue(forKey: request.identifier) != request {
                faults.append("removed what was not stored: \(request)")
            }
        case .launch(let attempt):
            if attempt.id <= lastAttempt { faults.append("attempt id \(attempt.id) again") }
            if stored.removeValue(forKey: attempt.request.identifier) != attempt.request {
                faults.append("launched what was not stored: \(attempt.request)")
            }
            attempts[attempt.id] = attempt
            lastAttempt = attempt.id
            if attempt.declaration == attempt.request.identifier {
                lastLaunches[attempt.request.identifier] = now.wall
            }
        case .expire(let attempt, let reason, _, _):
            if told.updateValue(reason, forKey: attempt) != nil {
                faults.append("attempt \(attempt) was told twice")
            }
            noteRung(attempt, "told")
        case .terminate(let attempt):
            if told[attempt] == nil, !reported.contains(attempt) {
                faults.append("SIGTERM to attempt \(attempt), which was not told")
            }
            if !terminated.insert(attempt).inserted { faults.append("two SIGTERM \(attempt)") }
            noteRung(attempt, "terminated")
        case .kill(let attempt):
            if !terminated.contains(attempt) { faults.append("SIGKILL first \(attempt)") }
            if !killed.insert(attempt).inserted { faults.append("two SIGKILL \(attempt)") }
            noteRung(attempt, "killed")
        case .remember(let facts):
            for fact in facts { remembered[fact.name] = fact.value }
        case .withdraw(let attempt):
            if attempts.removeValue(forKey: attempt) == nil {
                faults.append("took attempt \(attempt) back, which does not run")
            }
        case .reply, .wake, .record: break
        }
    }

    private mutating func noteRung(_ attempt: Int64, _ rung: String) {
        if attempts[attempt] == nil { faults.append("\(rung) attempt \(attempt) is not running") }
    }
}
