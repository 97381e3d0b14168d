// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSimulation
import BGRunSupervisor
import BGRunSystem

/// The supervisor of one host: its workers are processes of a simulated machine, and their messages arrive
/// late, twice, out of order or not at all.
final class SimulatedSupervisor: AttemptSupervisor {
    /// The parts of the simulation that the supervisor uses.
    struct Environment {
        var loop: EventLoop
        var machine: SimulatedMachine
        /// The number of this host.
        var host: Int
        /// The elapsed clock.
        var now: () -> Int64
        /// Runs an action after the given nanoseconds of active time, unless the host has died by then.
        var later: (Int64, @escaping () -> Void) -> Void
        /// Like `later`, but also after the death of the host.
        var laterAnyway: (Int64, @escaping () -> Void) -> Void
        /// Delivers SIGCHLD.
        var signal: () -> Void
        /// A stream of random numbers for an attempt.
        var stream: (Int64, String) -> SeededGenerator
        var isCalm: () -> Bool
        /// Whether the process of the host has died: its actions have no effect.
        var isDead: () -> Bool
        var note: (Call) -> Void
        /// Returns the request of a handler's call that drew this number.
        var submission: (Int) -> WorkerMessage.Request
    }

    enum Call {
        /// - Parameter lost: Nanoseconds that it has lost since it was prepared.
        case launch(Int64, ProcessIdentity, lost: Int64)
        case expire(Int64, isAgain: Bool)
        case terminate(Int64, mayBe: Bool)
        case kill(Int64, isTerminated: Bool)
        case answered(Int64, WorkerMessage.Call, Int32)
        /// A fault has occurred, which only counts.
        case fault(WritableKeyPath<Ledger.Counts, Int>)
    }

    var image: (String) -> Result<PluginImage, PluginRefusal> = {
        .failure(PluginRefusal(message: $0))
    }
    var onNotice: (AttemptNotice) -> Void = { _ in }
    let hasWarmWorkers = false
    private let around: Environment
    /// The pids of prepared and running attempts.
    private var pids: [Int64: Int32] = [:]
    /// The ends of prepared attempts at their launch: their plugins cannot be used, or their workers have died.
    private var lost: [Int64: AttemptEnd] = [:]
    /// The time when an attempt was prepared, and its deadline.
    private var terms: [Int64: (prepared: Int64, deadline: Int64)] = [:]
    /// The behaviour of attempts for which it is not random; nil: they are refused.
    var script: [Int64: Behaviour?] = [:]
    /// Ended attempts that have not been reported to the host.
    private var dead: [(attempt: Int64, end: AttemptEnd)] = []
    /// The number of sent messages.
    private var sent = 0
    /// The number of the newest message that has arrived, by attempt; `max`: its end has.
    private var newest: [Int64: Int] = [:]

    init(_ around: Environment) {
        self.around = around
    }

    /// The machine has no processes but those of attempts.
    func addHelper(_ pid: Int32, ended: @escaping (Int32) -> Void) {}
    /// Handlers do not read the device.
    func tell(_ device: HostMessage.Device) {}
    /// Handlers send single lines, which may arrive nevertheless, as the last ones of a real handler do at its end.
    func holdOutput(_ isHeld: Bool) {}
    /// Every attempt has its own worker, so that none is of earlier limits.
    func change(_ limits: SupervisorLimits, app: HostMessage.App) {}
    func retireWarmWorkers(_ done: @escaping () -> Void) { done() }
    func plugin(of attempt: Int64) -> AttemptPlugin { .none }

    // MARK: calls of the host

    func prepare(_ work: Work) -> Preparation {
        let attempt = work.launch.attempt
        guard !around.isDead() else { return .refused }
        terms[attempt] = (around.now(), work.launch.deadlineBoottime)
        var random = around.stream(attempt, "behaviour")
        let isCalm = around.isCalm()
        if let behaviour = script[attempt] {
            return prepare(attempt, of: work.launch.identifier, behaviour)
        }
        if !isCalm, random.once(in: 30) { return .short(.processes) }
        if !isCalm, random.once(in: 40) {
            return prepare(attempt, of: work.launch.identifier, nil)
        }
        return prepare(
            attempt, of: work.launch.identifier,
            isCalm ? Behaviour.calm(&random) : .random(&random))
    }

    /// - Parameter behaviour: nil: the plugin cannot be used.
    private func prepare(
        _ attempt: Int64, of task: String, _ behaviour: Behaviour?
    ) -> Preparation {
        guard let behaviour else {
            lost[attempt] = Self.refusal
            return .refused
        }
        let identity = around.machine.start(attempt, of: task, host: around.host, behaviour)
        pids[attempt] = identity.pid
        var random = around.stream(attempt, "early")
        if !around.isCalm(), random.once(in: 8) {
            let end = random.once(in: 2) ? Self.refusal : Self.crash
            later(random.nanoseconds(0...300)) { $0.lose(attempt, end) }
        }
        return .ready(identity)
    }

    private static let refusal = AttemptEnd(
        outcome: .refused, message: "refused by the simulation")
    private static let crash = AttemptEnd(outcome: .crashed(signal: 9))

    /// Lets the worker of a prepared attempt die, unless the attempt has been launched.
    func lose(_ attempt: Int64, _ end: AttemptEnd = crash) {
        guard let process = process(of: attempt), !process.isEntered else { return }
        around.machine.end(pid: process.identity.pid)
        pids[attempt] = nil
        lost[attempt] = end
    }

    func launch(_ attempt: Int64, deadlineElapsed: Int64?) {
        guard !around.isDead() else { return }
        if let end = lost.removeValue(forKey: attempt) {
            return notify(.ended(attempt: attempt, end))
        }
        guard let pid = pids[attempt], let process = around.machine.processes[pid] else { return }
        let term = terms[attempt] ?? (around.now(), .max)
        let deadline = deadlineElapsed ?? term.deadline
        let lost = term.deadline.saturatingSubtracting(term.prepared)
            .saturatingSubtracting(deadline.saturatingSubtracting(around.now()))
        around.note(.launch(attempt, process.identity, lost: lost))
        var random = around.stream(attempt, "launch")
        if !around.isCalm(), random.once(in: 40) {
            around.machine.end(pid: pid)
            pids[attempt] = nil
            return later(random.nanoseconds(0...500)) {
                $0.notify(.deferred(attempt: attempt, .memory))
            }
        }
        around.machine.change(pid) { $0.isEntered = true }
        let behaviour = process.behaviour
        for deed in behaviour.deeds {
            around.laterAnyway(deed.after) { [weak self] in self?.perform(deed.deed, pid, attempt) }
        }
        guard let length = behaviour.length else { return }
        around.laterAnyway(length) { [machine = around.machine, weak self] in
            // The worker of a dead host ends, too.
            if let self { finish(pid, attempt) } else { machine.end(pid: pid) }
        }
    }

    func withdraw(_ attempt: Int64) {
        guard !around.isDead() else { return }
        lost[attempt] = nil
        if let pid = pids.removeValue(forKey: attempt) { around.machine.end(pid: pid) }
    }

    func expire(
        _ attempt: Int64, _ reason: StopReason, grace: Interval, deadlineElapsed: Int64
    ) {
        guard !around.isDead() else { return }
        guard let process = process(of: attempt) else { return }
        around.note(.expire(attempt, isAgain: process.told != nil))
        let pid = process.identity.pid
        around.machine.change(pid) { $0.told = reason }
        guard let delay = process.behaviour.obeys else { return }
        around.laterAnyway(delay) { [weak self] in
            self?.around.machine.change(pid) {
                if $0.reported == nil { $0.reported = $0.behaviour.reportsWhenTold }
            }
            self?.die(pid, attempt)
        }
    }

    func terminate(_ attempt: Int64) {
        guard !around.isDead(), let process = process(of: attempt) else { return }
        around.note(
            .terminate(attempt, mayBe: process.told != nil || process.reported != nil))
        around.machine.change(process.identity.pid) { $0.isTerminated = true }
        guard let delay = process.behaviour.yields else { return }
        let pid = process.identity.pid
        around.laterAnyway(delay) { [weak self] in self?.die(pid, attempt) }
    }

    func kill(_ attempt: Int64) {
        guard !around.isDead(), let process = process(of: attempt) else { return }
        around.note(.kill(attempt, isTerminated: process.isTerminated))
        let pid = process.identity.pid
        around.machine.change(pid) { $0.isKilled = true }
        around.laterAnyway(process.behaviour.dies) { [weak self] in self?.die(pid, attempt) }
    }

    /// Reports ended attempts in random order.
    func childrenEnded() {
        guard !around.isDead() else { return }
        var random = around.stream(dead.first?.attempt ?? 0, "order")
        var rest = dead
        dead = []
        if rest.count > 1 { count(\.batchedSignals) }
        while !rest.isEmpty {
            let index = random.below(rest.count)
            if index > 0 { count(\.reorderedEnds) }
            let next = rest.remove(at: index)
            newest[next.attempt] = Int.max
            notify(.ended(attempt: next.attempt, next.end))
            guard !around.isCalm(), random.once(in: 12) else { continue }
            // Reports the same end again.
            later(random.nanoseconds(0...5_000)) {
                $0.notify(.ended(attempt: next.attempt, next.end))
            }
        }
    }

    // MARK: actions of the workers

    private func process(of attempt: Int64) -> SimulatedMachine.Process? {
        pids[attempt].flatMap { around.machine.processes[$0] }
    }

    private func later(_ delay: Int64, _ body: @escaping (SimulatedSupervisor) -> Void) {
        around.later(delay) { [weak self] in if let self { body(self) } }
    }

    private func notify(_ notice: AttemptNotice) {
        around.loop.afterThisRound { [weak self] in self?.onNotice(notice) }
    }

    /// Sends a message that is not essential: late, twice or not at all.
    private func send(
        _ notice: AttemptNotice, of attempt: Int64, _ random: inout SeededGenerator
    ) {
        if !around.isCalm(), random.once(in: 10) { return count(\.lostMessages) }
        sent += 1
        let number = sent
        var arrivals = 0
        for _ in 0..<(random.once(in: 10) ? 2 : 1) {
            let delay = random.once(in: 3) ? random.nanoseconds(0...3_000) : 0
            later(delay) {
                arrivals += 1
                if delay > 0 { $0.count(\.lateMessages) }
                if arrivals == 2 { $0.count(\.doubledMessages) }
                if arrivals == 1 { $0.countOrder(of: number, from: attempt) }
                $0.notify(notice)
            }
        }
    }

    private func countOrder(of number: Int, from attempt: Int64) {
        let last = newest[attempt] ?? 0
        if number < last { count(\.reorderedMessages) }
        newest[attempt] = max(number, last)
    }

    private func count(_ fault: WritableKeyPath<Ledger.Counts, Int>) {
        if !around.isDead() { around.note(.fault(fault)) }
    }

    private func finish(_ pid: Int32, _ attempt: Int64) {
        guard let process = around.machine.processes[pid], process.reported == nil else { return }
        var random = around.stream(attempt, "end")
        guard process.behaviour.outcome == .completed || process.behaviour.outcome == .failed
        else { return die(pid, attempt) }
        around.machine.change(pid) { $0.reported = process.behaviour.outcome == .completed }
        guard let lingers = process.behaviour.lingers else { return die(pid, attempt) }
        send(.reported(attempt: attempt), of: attempt, &random)
        around.laterAnyway(lingers) { [machine = around.machine, weak self] in
            if let self { die(pid, attempt) } else { machine.end(pid: pid) }
        }
    }

    private func die(_ pid: Int32, _ attempt: Int64) {
        guard let process = around.machine.processes[pid], process.attempt == attempt else {
            return
        }
        around.machine.end(pid: pid)
        guard !around.isDead() else { return }
        pids[attempt] = nil
        dead.append((attempt, AttemptEnd(outcome: outcome(of: process))))
        var random = around.stream(attempt, "death")
        later(random.once(in: 2) ? 0 : random.nanoseconds(0...200)) { $0.around.signal() }
    }

    private func outcome(of process: SimulatedMachine.Process) -> Outcome {
        if let told = process.told { return .expired(told, reported: process.reported) }
        if let reported = process.reported { return reported ? .completed : .failed }
        if process.isKilled { return .crashed(signal: 9) }
        return process.behaviour.outcome
    }

    private func perform(_ deed: Behaviour.ScenarioAction, _ pid: Int32, _ attempt: Int64) {
        guard let process = around.machine.processes[pid], !around.isDead() else { return }
        var random = around.stream(attempt, "deed")
        switch deed {
        case .progress(let part):
            send(.progress(attempt: attempt, completed: part, total: 10), of: attempt, &random)
        case .line:
            let line = HandlerLine(source: .standardOutput, text: "a line of \(attempt)")
            send(.line(attempt: attempt, line), of: attempt, &random)
        case .assertionBegins:
            send(.assertionBegan(attempt: attempt, id: 1), of: attempt, &random)
        case .assertionEnds:
            send(.assertionEnded(attempt: attempt, id: 1), of: attempt, &random)
        case .submit(let which): call(.submit(around.submission(which)), process, &random)
        case .checkpoint(let byte):
            call(.putCheckpoint(version: 1, data: [byte]), process, &random)
        case .pushResult: call(.pushes(.result(UInt8(random.below(3)))), process, &random)
        }
    }

    private func call(
        _ call: WorkerMessage.Call, _ process: SimulatedMachine.Process,
        _ random: inout SeededGenerator
    ) {
        let attempt = process.attempt
        let answer = CallAnswer(
            whole: { [weak self] answer in
                guard let self, !around.isDead() else { return }
                around.note(.answered(attempt, call, answer.status))
            }, parts: { _ in })
        send(.call(attempt: attempt, call, answer: answer), of: attempt, &random)
    }
}
