// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Records the results and waits of all requests of a run, and checks the guarantees of the engine.
package struct RunAccounting: Sendable {
    private let configuration: Engine.Configuration
    private let rule: AdmissionRule
    private let recordsSpans: Bool
    private var tallies: [TaskTally] = []
    private var indexByIdentifier: [String: Int] = [:]
    private var rows: [Row] = []
    private var running: [Int64: Running] = [:]
    private var open: [Int64: String] = [:]
    private var device: DeviceState
    private var isForced = false
    /// A new request is being admitted, so the limit of its kind applies.
    private var admits = false
    private var events = 0
    private var marks: [SimulationResult.Mark] = []
    private var faults: [String] = []
    private var budget = BudgetCurve()

    /// The pending request of an identifier, and the reason why it waits.
    private struct Row: Sendable {
        var request: TaskRequest?
        var stored: Int64 = 0
        var due: Int64 = 0
        var state: WaitState?
        var since: Int64 = 0
    }

    private struct Running: Sendable {
        var row: Int
        var launched: Int64
        var reason: StopReason?
    }

    package init(_ configuration: Engine.Configuration, recordsSpans: Bool) {
        self.configuration = configuration
        self.recordsSpans = recordsSpans
        rule = AdmissionRule(configuration)
        device = DeviceState()
        for declaration in configuration.declarations
        where !declaration.identifier.hasSuffix(".*") {
            _ = index(of: declaration.identifier)
        }
    }

    mutating func fault(_ sentence: String, at now: Int64) {
        guard faults.count < 20 else { return }
        faults.append("\(sentence) (at \(now) ns)")
    }

    package mutating func note(_ deed: ScriptedEvent.ScenarioAction, at now: Int64) {
        let text: String
        switch deed {
        case .openApp: text = "app opened"
        case .forceQuit: text = "app force-quit"
        case .setClock(let shift): text = "clock set by \(shift.nanoseconds / 1_000_000_000) s"
        case .submit, .push, .cancel, .trigger, .expire, .transfer: return
        }
        if recordsSpans { marks.append(SimulationResult.Mark(at: now, text: text)) }
    }

    /// Takes over the requests that an earlier run has left pending.
    package mutating func begin(with engine: Engine, at now: Instant) {
        for request in engine.pendingRequests { store(request, at: now) }
    }

    /// Records the result of an event in `engine`. `now.elapsed` counts from the scenario's beginning.
    package mutating func note(
        _ event: Event, _ actions: [Action], at now: Instant, _ engine: Engine
    ) {
        events += 1
        device = engine.deviceState
        isForced = false
        admits = false
        var submitted: String?
        switch event {
        case .trigger(let submission, _):
            isForced = true
            admits = true
            submitted = submission.identifier
        case .submit(let submission, _):
            admits = true
            submitted = submission.identifier
        case .start, .startOnce: admits = true
        case .attemptEnded(let attempt, let outcome): end(attempt, outcome, at: now.elapsed)
        default: break
        }
        for action in actions { note(action, submitted, at: now) }
        if configuration.policy.budget > .zero {
            budget.note(engine.appFacts.budget, policy: configuration.policy, at: now)
        }
        classify(engine, at: now)
    }

    private mutating func note(_ action: Action, _ submitted: String?, at now: Instant) {
        switch action {
        case .store(let request): store(request, at: now)
        case .remove(let request): remove(request, at: now.elapsed)
        case .launch(let attempt): launch(attempt, at: now)
        case .expire(let attempt, let reason, _, _): running[attempt]?.reason = reason
        case .record(.scheduling(let request)): accept(request, at: now.elapsed)
        case .record(.cancelled(let request)): tallies[index(of: request.identifier)].cancelled += 1
        case .record(.skipped(let request, _)): tallies[index(of: request.identifier)].skipped += 1
        case .record(.missed(let request, let next)):
            tallies[index(of: request.identifier)].missed += 1
            // The next one replaces it, which does not count as a replacement.
            if next != nil { remove(request, at: now.elapsed) }
        case .record(.retrying(let request, _)): tallies[index(of: request.identifier)].retries += 1
        case .record(.requeued(let request, _)):
            tallies[index(of: request.identifier)].requeues += 1
        case .record(.gaveUp(let request, _)): tallies[index(of: request.identifier)].gaveUp += 1
        case .reply(_, .refused(let refusal)):
            guard let submitted else { return }
            tallies[index(of: submitted)].refusals.countUp(refusal.message)
        default: break
        }
    }

    private mutating func accept(_ request: TaskRequest, at now: Int64) {
        tallies[index(of: request.identifier)].accepted += 1
        let pending = rows.count { $0.request?.kind == request.kind }
        // An ended attempt's request may exceed the limit when it returns: it was admitted before.
        if admits, pending > configuration.policy.pendingLimits[request.kind] {
            fault("\(pending) \(request.kind.name) requests are pending", at: now)
        }
    }

    private mutating func store(_ request: TaskRequest, at now: Instant) {
        let row = index(of: request.identifier)
        if let replaced = rows[row].request, replaced.id != request.id {
            open[replaced.id] = nil
            tallies[row].replaced += 1  // fits: events of one run
            admits = false
        }
        close(row, at: now.elapsed)
        open[request.id] = request.identifier
        let delay = request.earliest.map { max(.zero, now.wall.interval(until: $0)) } ?? .zero
        rows[row].request = request
        rows[row].stored = now.elapsed
        rows[row].due = now.elapsed.saturatingAdding(delay.nanoseconds)
    }

    private mutating func remove(_ request: TaskRequest, at now: Int64) {
        let row = index(of: request.identifier)
        if open.removeValue(forKey: request.id) == nil {
            fault("request \(request.id) was removed and is not there", at: now)
        }
        close(row, at: now)
        rows[row].request = nil
    }

    private mutating func launch(_ attempt: Attempt, at now: Instant) {
        let request = attempt.request
        let row = index(of: request.identifier)
        check(attempt, at: now)
        if open.removeValue(forKey: request.id) == nil || rows[row].request != request {
            fault("request \(request.id) was launched and is not pending", at: now.elapsed)
        }
        close(row, at: now.elapsed)
        tallies[row].launches += 1
        tallies[row].launched.append(now.elapsed)
        tallies[row].delays.append(now.elapsed.saturatingSubtracting(rows[row].stored))
        tallies[row].waits.append(max(0, now.elapsed.saturatingSubtracting(rows[row].due)))
        rows[row].request = nil
        running[attempt.id] = Running(row: row, launched: now.elapsed)
    }

    private mutating func check(_ attempt: Attempt, at now: Instant) {
        let identifier = attempt.request.identifier
        guard !isForced, let declaration = declaration(identifier) else { return }
        let missing = declaration.requires.subtracting(
            device.satisfiedConditions(policy: configuration.policy))
        if !missing.isEmpty {
            fault(
                "\(identifier) was launched without \(missing.names.joined(separator: ", "))",
                at: now.elapsed)
        }
        if let earliest = attempt.request.earliest, earliest > now.wall {
            fault("\(identifier) was launched before its earliest date", at: now.elapsed)
        }
        checkLimits(for: declaration, at: now.elapsed)
        if running.values.contains(where: { $0.row == indexByIdentifier[identifier] }) {
            fault("\(identifier) runs twice at once", at: now.elapsed)
        }
    }

    /// Continued work has a separate limit; the other kinds share one, and each also has its own.
    private mutating func checkLimits(for declaration: TaskDeclaration, at now: Int64) {
        let policy = configuration.policy
        let others = running.values.compactMap { self.declaration(tallies[$0.row].identifier) }
        let ofKind = others.count { $0.kind == declaration.kind }
        if ofKind >= policy.concurrencyLimits[declaration.kind] {
            fault("\(ofKind + 1) \(declaration.kind.name) attempts run at once", at: now)
        }
        let discretionary = others.count { $0.kind != .continued }
        if declaration.kind != .continued, discretionary >= policy.concurrentAttempts {
            fault("\(discretionary + 1) attempts run at once", at: now)
        }
        if let group = declaration.group,
            others.count(where: { $0.group == group }) >= group.limit
        {
            fault("\(group.name) runs more often at once than it allows", at: now)
        }
    }

    private mutating func end(_ attempt: Int64, _ outcome: Outcome, at now: Int64) {
        guard let ended = running.removeValue(forKey: attempt) else {
            return fault("attempt \(attempt) ended and was not running", at: now)
        }
        tallies[ended.row].count(outcome, ran: now.saturatingSubtracting(ended.launched))
        guard recordsSpans else { return }
        tallies[ended.row].spans.append(
            Span(from: ended.launched, to: now, state: .ran(attempt: attempt, outcome)))
    }

    /// Determines the reason why each pending request waits now.
    private mutating func classify(_ engine: Engine, at now: Instant) {
        for row in rows.indices {
            guard let request = rows[row].request else { continue }
            // Most requests wait for their date most of the time.
            if rows[row].state == .notBefore, let earliest = request.earliest,
                earliest > now.wall
            {
                continue
            }
            let state = waitState(of: request.identifier, engine, at: now.wall)
            guard state != rows[row].state else { continue }
            close(row, at: now.elapsed)
            rows[row].state = state
            rows[row].since = now.elapsed
        }
    }

    private func waitState(
        of identifier: String, _ engine: Engine, at wall: WallTime
    ) -> WaitState? {
        guard let reason = engine.pendingReason(identifier, at: wall) else { return nil }
        return switch reason {
        case .notBefore: .notBefore
        case .conditions(let missing): .conditions(missing)
        case .factor(let factor, _): .other(factor.cause)
        case .overlap: .other("its identifier is running")
        case .concurrency: .other("too many attempts are running")
        case .kindLimit(let kind, _): .other("too many \(kind.name) attempts are running")
        case .groupLimit(let group, _): .other("too many attempts of \(group) are running")
        default: .other(reason.text)
        }
    }

    private mutating func close(_ row: Int, at now: Int64) {
        guard let state = rows[row].state else { return }
        let since = rows[row].since
        rows[row].state = nil
        guard now > since else { return }
        for name in state.blockers {
            // fits: instants of one run
            tallies[row].blocked[name, default: 0] += now - since
        }
        if recordsSpans {
            tallies[row].spans.append(Span(from: since, to: now, state: .waited(state)))
        }
    }

    private func declaration(_ identifier: String) -> TaskDeclaration? {
        rule.declaration(for: identifier)
    }

    private mutating func index(of identifier: String) -> Int {
        if let index = indexByIdentifier[identifier] { return index }
        indexByIdentifier[identifier] = rows.count
        rows.append(Row())
        tallies.append(TaskTally(identifier: identifier, kind: declaration(identifier)?.kind))
        return rows.count - 1
    }

    /// Completes the records at the scenario's end.
    package mutating func result(
        scenario: Scenario, seed: UInt64, script: Script, engine: Engine,
        transfers: [TransferTally] = []
    ) -> SimulationResult {
        let end = scenario.duration.nanoseconds
        for row in rows.indices {
            guard rows[row].request != nil else { continue }
            close(row, at: end)
            tallies[row].pendingSince = rows[row].due
        }
        for attempt in running.sorted(by: { $0.key < $1.key }) {
            tallies[attempt.value.row].running += 1
            guard recordsSpans else { continue }
            tallies[attempt.value.row].spans.append(
                Span(from: attempt.value.launched, to: end, state: .runs(attempt: attempt.key)))
        }
        let pending = Set(engine.pendingRequests.map(\.id))
        if pending != Set(open.keys) {
            fault("a request was accepted and is neither launched, cancelled nor pending", at: end)
        }
        budget.finish(at: end, policy: configuration.policy)
        return SimulationResult(
            scenario: scenario, seed: seed, device: script.device,
            originMilliseconds: script.originMilliseconds, tallies: tallies, transfers: transfers,
            marks: marks,
            budget: budget, budgetLimit: configuration.policy.budget, events: events, faults: faults
        )
    }
}
