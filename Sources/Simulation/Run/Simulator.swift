// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Runs the engine on a virtual clock from event to event. The same scenario and seed give the same run, byte for byte.
package struct Simulator {
    let scenario: Scenario
    let seed: UInt64
    private var script: Script
    private let models: HandlerModels
    package private(set) var engine: Engine
    private var engineRandom: SeededGenerator
    private var handlerRandom: [String: SeededGenerator] = [:]
    private var works: [Int64: HandlerRun.RequestWork] = [:]
    private var runs: [HandlerRun] = []
    private var accounting: RunAccounting
    private var transfers: SimulatedTransfers
    private var now: Int64 = 0
    private var wake: Int64?
    private var measured: DeviceState
    private var settling = SettleRule()
    /// The offset by which the clock was set.
    private var clockShift: Int64 = 0
    private var eventsAtInstant = 0
    /// Called after each event with the resulting actions and the engine.
    package var handled: ((Event, Instant, [Action], Engine) -> Void)?

    /// The number of events at one instant after which the simulation reports an endless loop.
    static let eventLimit = 100_000

    /// - Parameter recordsSpans: Records the reason for each wait, for a timeline.
    package init(
        _ configuration: Engine.Configuration, _ scenario: Scenario, seed: UInt64,
        recordsSpans: Bool = false
    ) {
        self.scenario = scenario
        self.seed = seed
        script = Script(scenario, seed: seed)
        models = HandlerModels(scenario.handlers)
        measured = script.firstState
        engine = Engine(
            configuration, device: settling.settle(measured, at: 0, policy: configuration.policy))
        engineRandom = SeededGenerator(seed: seed, stream: "engine")
        accounting = RunAccounting(configuration, recordsSpans: recordsSpans)
        transfers = SimulatedTransfers(
            scenario.transfers, script.device,
            policy: TransferPolicy(configuration.policy), seed: seed)
    }

    /// Runs to the scenario's end. Thread-safe.
    package consuming func run() -> SimulationResult {
        now = device.awake(at: 0)
        if now < scenario.duration.nanoseconds {
            perform(.start)
            transfers.submitAll(at: now, wall: wall)
            moveTransfers()
        }
        while let instant = nextInstant {
            let awake = device.awake(at: instant)
            guard awake < scenario.duration.nanoseconds else { break }
            eventsAtInstant = awake > now ? 0 : eventsAtInstant + 1
            if eventsAtInstant > Self.eventLimit {
                accounting.fault("the engine goes in circles", at: now)
                break
            }
            now = max(now, awake)
            // The engine was not told that the device would sleep, only that it did.
            if awake > instant { perform(.slept) }
            deliverNext()
            moveTransfers()
        }
        now = scenario.duration.nanoseconds
        moveTransfers()
        return accounting.result(
            scenario: scenario, seed: seed, script: script, engine: engine,
            transfers: transfers.finalTallies())
    }

    private var nextInstant: Int64? {
        let instants = [
            wake, script.nextInstant, transfers.nextInstant(after: now, wall: wall),
            settling.nextChange, runs.map(\.endsAt).min(), runs.compactMap(\.nextProgress).min(),
        ]
        return instants.compactMap(\.self).min()
    }

    private var device: SimulatedDevice { script.device }

    /// Delivers the first due event; of simultaneous ones, the device's, then users', handlers' and timers'.
    private mutating func deliverNext() {
        switch script.take(at: now) {
        case .device(let state):
            measured = state
            return settle()
        case .deed(let deed): return perform(deed)
        case nil: break
        }
        if let due = settling.nextChange, due <= now { return settle() }
        if let index = runs.indices.min(by: { runs[$0].endsAt < runs[$1].endsAt }),
            runs[index].endsAt <= now
        {
            return end(runs.remove(at: index))
        }
        if let index = runs.firstIndex(where: { $0.nextProgress.map { $0 <= now } ?? false }) {
            let attempt = runs[index].attempt.id
            let (completed, total) = runs[index].makeProgress(at: now, on: device)
            return perform(.progress(attempt: attempt, completed: completed, total: total))
        }
        guard let due = wake, due <= now else { return }
        wake = nil
        perform(.timer)
    }

    /// Recipients of a transfer are notified of its end at once.
    private mutating func moveTransfers() {
        guard !scenario.transfers.isEmpty else { return }
        transfers.note(TransferConditions(engine.deviceState, engine.appFacts))
        for identifier in transfers.advance(to: now, wall: wall) {
            perform(.submit(Submission(identifier: identifier), ticket: 1))
        }
    }

    /// The time that clocks show.
    private var wall: WallTime {
        WallTime(
            milliseconds: script.originMilliseconds.saturatingAdding(now / 1_000_000)
                .saturatingAdding(clockShift))
    }

    /// As in the host: changing conditions count once they have settled.
    private mutating func settle() {
        let settled = settling.settle(measured, at: now, policy: engine.configuration.policy)
        if settled != engine.deviceState { perform(.deviceChanged(settled)) }
    }

    private mutating func end(_ run: HandlerRun) {
        let request = run.attempt.request.id
        works[request] = run.workAfterwards(on: device)
        perform(.attemptEnded(attempt: run.attempt.id, run.outcome))
        if engine.pendingRequest(run.attempt.request.identifier)?.id != request {
            works[request] = nil
        }
    }

    private mutating func perform(_ deed: ScriptedEvent.ScenarioAction) {
        // Transfers until now used the previous clock and state of the app.
        moveTransfers()
        switch deed {
        case .setClock(let shift):
            clockShift = clockShift.saturatingAdding(shift.nanoseconds / 1_000_000)
        case .transfer(let name): transfers.submit(name, at: now, wall: wall)
        case .forceQuit: transfers.cancelAll()
        case .openApp: transfers.submitAll(at: now, wall: wall)
        default: break
        }
        for event in deed.events(ticket: 1) { perform(event) }
        accounting.note(deed, at: now)
    }

    private mutating func perform(_ event: Event) {
        let instant = Instant(elapsed: now, wall: wall)
        let actions = engine.handle(event, at: instant, using: &engineRandom)
        handled?(event, instant, actions, engine)
        for action in actions {
            switch action {
            case .launch(let attempt): launch(attempt)
            case .expire(let attempt, let reason, _, _):
                guard let index = index(of: attempt) else { continue }
                runs[index].tell(reason, at: now, on: device)
            case .terminate(let attempt), .kill(let attempt):
                guard let index = index(of: attempt) else { continue }
                runs[index].kill(at: now)
            case .wake(let elapsed): wake = elapsed
            default: break
            }
        }
        accounting.note(event, actions, at: instant, engine)
    }

    private mutating func launch(_ attempt: Attempt) {
        let identifier = attempt.request.identifier
        let model = models.model(for: identifier)
        var random =
            handlerRandom[identifier]
            ?? SeededGenerator(seed: seed, stream: "handler/\(identifier)")
        let work =
            works[attempt.request.id]
            ?? HandlerRun.RequestWork(total: random.length(of: model.takes).nanoseconds)
        let fails = random.unit() < model.failureProbability
        handlerRandom[identifier] = random
        runs.append(HandlerRun(attempt, model, work, fails: fails, at: now, on: device))
    }

    private func index(of attempt: Int64) -> Int? { runs.firstIndex { $0.attempt.id == attempt } }
}

/// Finds the model of an identifier's handler.
private struct HandlerModels {
    private let models: [String: HandlerModel]
    private let rule: IdentifierRule

    init(_ models: [String: HandlerModel]) {
        self.models = models
        rule = IdentifierRule(permitting: Array(models.keys))
    }

    func model(for identifier: String) -> HandlerModel {
        rule.pattern(for: identifier).flatMap { models[$0] } ?? models["*"] ?? HandlerModel()
    }
}
