// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

@Suite("A simulated host with many seeds", .timeLimit(.minutes(5)))
struct SimulationTests {
    static let seeds = UInt64(1)...20
    static let steps = 600

    @Test("keeps its invariants after every event", arguments: seeds)
    func invariants(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        var launches = 0
        for step in 0..<Self.steps {
            let (event, actions) = simulation.step()
            let faults = simulation.faults(after: event, actions)
            guard faults.isEmpty else {
                Issue.record("seed \(seed), step \(step), \(event): \(faults)")
                return
            }
            for case .launch in actions { launches += 1 }
        }
        // A simulation with few launches proves nothing.
        #expect(launches > 10, "seed \(seed)")
    }

    @Test(
        "has the same actions for the same events at the same instants", arguments: seeds.prefix(5))
    func replay(seed: UInt64) {
        var first = Simulation(seed: seed)
        var second = Simulation(seed: seed)
        for step in 0..<Self.steps {
            #expect(first.step().actions == second.step().actions, "seed \(seed), step \(step)")
        }
    }

    @Test(
        "becomes idle or continues with only its timer, and never spins",
        arguments: seeds)
    func timerMakesProgress(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        for _ in 0..<200 { _ = simulation.step() }
        for _ in 0..<500 where simulation.world.passUntilTimer() {
            let now = simulation.world.elapsed
            #expect(simulation.world.wake ?? .max > now, "seed \(seed)")
        }
        // No event ends the attempts, so that all of them must have been killed by now.
        for attempt in simulation.world.engine.running {
            #expect(attempt.deadline == nil)
        }
    }
}

extension Simulation {
    /// Describes the rules that do not hold after `event`.
    func faults(after event: Event, _ actions: [Action]) -> [String] {
        books.faults + bookFaults() + launchFaults(event, actions) + idleFaults() + wakeFaults()
    }

    /// Every accepted request is pending or running, or the books have its end.
    private func bookFaults() -> [String] {
        var faults: [String] = []
        let pending = world.engine.pendingRequests
        let stored = books.stored.values.sorted { $0.id < $1.id }
        if pending.sorted(by: { $0.id < $1.id }) != stored {
            faults.append("store and engine differ")
        }
        let running = books.attempts.values.map(\.request.identifier)
        if Set(running).count != running.count { faults.append("an identifier runs twice") }
        for attempt in books.attempts.values
        where world.engine.runningAttempt(attempt.request.identifier) != attempt {
            faults.append("attempt \(attempt.id) was forgotten")
        }
        if world.engine.appFacts != books.facts { faults.append("facts differ") }
        if world.engine.hasNoAttempt != books.attempts.isEmpty { faults.append("attempts differ") }
        for request in pending where reason(request) == nil { faults.append("no reason") }
        return faults
    }

    private func launchFaults(_ event: Event, _ actions: [Action]) -> [String] {
        var faults: [String] = []
        let satisfied = device.satisfiedConditions(policy: policy)
        var isForced = false
        for case .launch(let attempt) in actions {
            let request = attempt.request
            if books.isSuspending { faults.append("launched while about to sleep") }
            if case .trigger(let submission, _) = event,
                submission.identifier == request.identifier,
                !isForced
            {
                isForced = true
                continue
            }
            if books.isShutDown { faults.append("launched after shutdown") }
            if let earliest = request.earliest, earliest > world.wall { faults.append("too early") }
            if !satisfied.isSuperset(of: requirements(request)) { faults.append("not satisfied") }
            let kind = request.kind
            let ofKind = books.attempts.values.count { $0.request.kind == kind }
            if ofKind > policy.concurrencyLimits[kind] { faults.append("too many \(kind)") }
            if kind != .continued, discretionary > policy.concurrentAttempts {
                faults.append("too many")
            }
            if books.facts.isForceQuit { faults.append("launched after a force quit") }
            if kind == .push, books.facts.pushLaunches.count > policy.pushHourly {
                faults.append("too many pushes")
            }
            if device.thermal == .critical { faults.append("launched while hot") }
            if request.id > books.lastLaunchable { faults.append("not admitted") }
        }
        return faults
    }

    private var discretionary: Int {
        books.attempts.values.count { $0.request.kind != .continued }
    }

    /// Every eligible request is launched.
    private func idleFaults() -> [String] {
        guard !books.isShutDown, !books.isSuspending else { return [] }
        return world.engine.pendingRequests.compactMap { request in
            reason(request) == .eligible ? "\(request.identifier) could run" : nil
        }
    }

    /// The timer is in the future, and not later than the event for which it is set.
    private func wakeFaults() -> [String] {
        var faults: [String] = []
        if let wake = world.wake, wake <= world.elapsed { faults.append("timer in the past") }
        let wake = world.wake ?? .max
        let slack: Int64 = 1_000_000
        for attempt in books.attempts.values where !books.killed.contains(attempt.id) {
            let isOnLadder = books.isOnLadder(attempt.id)
            guard isOnLadder || !books.waiting.contains(attempt.id) else { continue }
            if wake == .max { faults.append("attempt \(attempt.id) without a timer") }
            let deadline = books.begun[attempt.id] ?? attempt.deadlineElapsed
            if !isOnLadder, wake > deadline + slack { faults.append("late timer") }
        }
        guard !books.isShutDown, !books.isSuspending,
            discretionary < policy.concurrentAttempts, !world.engine.wantsMoreSlots
        else { return faults }
        for request in world.engine.pendingRequests {
            guard let reason = reason(request), let until = reason.until,
                isAllThatIsMissing(reason, for: request)
            else { continue }
            let wait = (until.milliseconds - world.wall.milliseconds) * 1_000_000
            if wake > world.elapsed + wait + slack { faults.append("\(reason) without timer") }
        }
        return faults
    }

    /// Whether the request would be launched without the obstacle that `reason` names.
    private func isAllThatIsMissing(_ reason: PendingReason, for request: TaskRequest) -> Bool {
        let engine = world.engine
        guard let task = engine.setup.admission.index(for: request.identifier),
            !world.isRunning(request.identifier), request.id <= books.lastLaunchable
        else { return false }
        var gate = engine.gate
        let number = engine.pending.place(request.identifier)?.requestClass
        let requestClass = engine.pending.requestClasses[number ?? engine.tasks[task].requestClass]
        // After its date the request will still prefer power.
        let isPreferring = requestClass.prefersPower && gate.powerWait > .zero
        if isPreferring, reason.factor != .powerPreference { return false }
        if case .factor(let factor, _) = reason { gate.factors.insert(Factors(factor)) }
        return gate.admits(requestClass)
    }

    private func reason(_ request: TaskRequest) -> PendingReason? {
        world.engine.pendingReason(request.identifier, at: world.wall)
    }

    private func requirements(_ request: TaskRequest) -> Conditions {
        let declaration = declarations.first {
            $0.identifier == request.identifier
                || request.identifier.hasPrefix("wild.") && $0.identifier == "wild.*"
        }
        return request.requires.union(declaration?.requires ?? [])
    }
}

extension PendingReason {
    fileprivate var factor: Factor? {
        if case .factor(let factor, _) = self { factor } else { nil }
    }
}
