// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunPushes
import BGRunSimulation
import BGRunTransfers
import BGRunVisits

/// Runs the real handlers on the device, with the users and the clock of a scenario.
///
/// Belongs to the loop's thread.
final class Rehearsal {
    let clock: SimulatedClock
    private let plan: Plan
    private var script: Script
    private var accounting: RunAccounting
    private let loop: EventLoop
    let log: any HostLog
    private var pacer: LoopTimer?
    private var host: Host?
    private var device: DeviceState
    private var isLooking = false

    /// The input of a rehearsal.
    struct Plan {
        var scenario: Scenario
        var seed: UInt64
        var clock: Rate.Mode
    }

    init(
        _ plan: Plan, _ configuration: Engine.Configuration, _ loop: EventLoop,
        log: (LogTime) -> any HostLog
    ) throws {
        self.plan = plan
        self.loop = loop
        script = Script(plan.scenario, seed: plan.seed)
        accounting = RunAccounting(configuration, recordsSpans: false)
        clock = SimulatedClock(plan.clock, originMilliseconds: script.originMilliseconds)
        self.log = log(.simulated(clock, zone: plan.scenario.zone))
        device = script.firstState
        pacer = try LoopTimer(loop) { [unowned self] in advance() }
        clock.timerSet = { [unowned self] in lookAfterThisRound() }
    }

    /// The same stream as the simulator's engine.
    var random: SeededGenerator { SeededGenerator(seed: plan.seed, stream: "engine") }

    /// Starts `host`; the loop runs it, and stops after the scenario's end.
    func start(_ host: Host, state: String) throws {
        self.host = host
        clock.begin()
        say("Simulating \(plan.scenario.name) with seed \(plan.seed); state in \(state)")
        clock.skip(to: script.device.awake(at: 0))
        accounting.begin(with: host.engine, at: clock.now)
        host.deviceReads(device)
        try host.start()
    }

    /// The results of the tasks until now, at most until the scenario's end.
    func result() -> SimulationResult? {
        guard let engine = host?.engine else { return nil }
        var scenario = plan.scenario
        let passed = max(.seconds(1), Interval(nanoseconds: clock.now.elapsed))
        scenario.duration = min(scenario.duration, passed)
        return accounting.result(
            scenario: scenario, seed: plan.seed, script: script, engine: engine)
    }

    // MARK: time

    private var end: Int64 { plan.scenario.duration.nanoseconds }

    /// The time of the next event; nil without further events.
    private var nextInstant: Int64? {
        guard host?.engine.isEnding == false else { return clock.nextTimer }
        let now = clock.now.elapsed
        let nap = script.device.suspended.first { $0.lowerBound > now }?.lowerBound
        return [script.nextInstant, clock.nextTimer, nap].compactMap(\.self).reduce(end, min)
    }

    func lookAfterThisRound() {
        guard !isLooking else { return }
        isLooking = true
        loop.afterThisRound { [unowned self] in
            isLooking = false
            look()
        }
    }

    /// Lets time pass while something runs, and returns at the next event: at once while time
    /// stands still, but not before the loop has handled signals and commands.
    private func look() {
        guard let host else { return }
        // Transfers use the machine's time.
        clock.run(!host.running.isEmpty || host.hasVisits || host.transfersMove)
        let next = nextInstant
        pacer?.set(elapsed: clock.standsStill ? next.map { _ in 1 } : next.map(clock.boottime))
    }

    private func advance() {
        guard let host else { return }
        if clock.standsStill, let next = nextInstant { clock.skip(to: next) }
        if !host.engine.isEnding { sleep() }
        let now = clock.now.elapsed
        if now >= end, !host.engine.isEnding { host.shutDown() }
        while !host.engine.isEnding, let event = script.take(at: now) { perform(event, host) }
        clock.fireTimers(at: now)
        lookAfterThisRound()
    }

    /// Suspends the handlers with the device: no time passes for them.
    private func sleep() {
        let now = clock.now.elapsed
        let awake = min(script.device.awake(at: now), end)
        guard awake > now else { return }
        say("Device: suspended")
        clock.sleep(until: awake)
        if awake < end { say("Device: awake") }
    }

    // MARK: events

    private func perform(_ event: Script.ScriptEvent, _ host: Host) {
        switch event {
        case .device(let state):
            for change in ScriptEventText.changes(from: device, to: state) { say(change) }
            device = state
            host.deviceReads(state)
        case .deed(let deed):
            say(ScriptEventText.text(deed))
            if case .setClock(let shift) = deed { clock.shift(by: shift) }
            switch deed {
            case .push(let push): send(push, to: host)
            case .transfer(let name): host.submitTransfer(name)
            default: for event in deed.events(ticket: Self.ticket) { host.send(event) }
            }
            accounting.note(deed, at: clock.now.elapsed)
        }
    }

    private func send(_ push: ScriptedEvent.ScenarioPush, to host: Host) {
        do throws(PushRefusal) {
            var offer = try PushEnvelope.payload(Array(push.payload.utf8), of: push.identifier)
            offer.collapseID = push.collapseID
            host.push(offer, from: "the scenario") { _ in }
        } catch {
            host.refuse(error, push.identifier, from: "the scenario") { _ in }
        }
    }

    /// The ticket of the scenario's events; the host's own tickets begin at 1.
    private static let ticket: Ticket = 0

    /// Records the `actions` that the host made from `event`.
    func note(_ event: Event, _ actions: [Action], at now: Instant) {
        if let host { accounting.note(event, actions, at: now, host.engine) }
        for case .reply(Self.ticket, .refused(let refusal)) in actions {
            say(refusal.message, .warning)
        }
        lookAfterThisRound()
    }

    private func say(_ text: String, _ level: LogLine.Level = .info) {
        log.write(LogLine(at: clock.now.wall, level: level, text: text))
    }
}

extension LogTime {
    /// Formats dates as clocks in `zone` show them: `2026-03-02 09:10:00`.
    fileprivate static func simulated(_ clock: SimulatedClock, zone: ZoneRules) -> LogTime {
        LogTime(clock: clock) { wall in
            let seconds = Int64(clamping: (Double(wall.milliseconds) / 1_000).rounded(.down))
            let civil = zone.civil(at: seconds)
            return "\(civil.dateText) \(civil.clock)"
        }
    }
}

/// The inputs of a simulated device: the values of `DeviceOptions`.
struct RehearsalOptions {
    /// The file; nil: this machine's own device.
    var scenario: String?
    var clock: Rate.Mode?
    var seed: UInt64?

    /// The plan of the rehearsal; nil on this machine's own device. Throws the problems of the scenario.
    func plan(for manifest: Manifest) throws -> Rehearsal.Plan? {
        guard let scenario else { return nil }
        let reading = try ScenarioReader.read(path: scenario, for: manifest)
        Diagnostics.show(reading.warnings)
        return Rehearsal.Plan(
            scenario: reading.scenario, seed: seed ?? reading.scenario.seed,
            clock: clock ?? .virtual(1))
    }
}
