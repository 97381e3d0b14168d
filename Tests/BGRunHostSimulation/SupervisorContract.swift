// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSimulation
import BGRunSupervisor
import BGRunSystem
import CBGRunShims
import Glibc

/// Checks the promises of a supervisor to its host, on `Supervisor` with workers that call C functions, or on
/// the simulated one.
package final class SupervisorContract {
    private enum ScenarioAction: CaseIterable {
        case succeeds, crashes, hangs, isRefused, prints
    }

    private let loop: EventLoop
    private let supervisor: any AttemptSupervisor
    private let work: (Int64, ScenarioAction) -> Work
    /// Runs the loop until no more events happen.
    private let rest: () -> Void
    /// Kills the process of a prepared attempt.
    private let slay: (Int64, ProcessIdentity) -> Void
    private var ends: [Int64: [Outcome]] = [:]
    /// The attempts that have printed before their end.
    private var printed: Set<Int64> = []
    private var isCalling = false
    private var isOver: () -> Bool = { true }
    private var hasGivenUp = false
    private var faults: [String] = []

    private init(
        _ loop: EventLoop, _ supervisor: any AttemptSupervisor,
        work: @escaping (Int64, ScenarioAction) -> Work, rest: @escaping () -> Void,
        slay: @escaping (Int64, ProcessIdentity) -> Void
    ) {
        self.loop = loop
        self.supervisor = supervisor
        self.work = work
        self.rest = rest
        self.slay = slay
        supervisor.onNotice = { [unowned self] in take($0) }
    }

    // MARK: the two implementations

    /// Checks the simulated supervisor. Returns the faults.
    package static func checkSimulated() -> [String] {
        let (time, poller, machine) = (SimulatedTime(), SimulatedPoller(), SimulatedMachine())
        let loop = EventLoop(poller)
        var agenda = Agenda()
        var supervisor: SimulatedSupervisor?
        let plan = { (delay: Int64, body: @escaping () -> Void) in
            agenda.plan(at: time.active + delay, body)
        }
        let simulated = SimulatedSupervisor(
            SimulatedSupervisor.Environment(
                loop: loop, machine: machine, host: 1, now: { time.elapsed }, later: plan,
                laterAnyway: plan,
                signal: { supervisor?.childrenEnded() },
                stream: { SeededGenerator(seed: UInt64(bitPattern: $0), stream: $1) },
                isCalm: { true }, isDead: { false }, note: { _ in },
                submission: { _ in WorkerMessage.Request(identifier: "a") }))
        supervisor = simulated
        poller.idle = {
            guard let next = agenda.next else { return loop.stop() }
            time.pass(max(0, next - time.active))
            agenda.takeNext()?()
        }
        let contract = SupervisorContract(
            loop, simulated,
            work: { attempt, deed in
                simulated.script[attempt] = behaviour(deed)
                return work(attempt, .handler("h"))
            }, rest: { loop.run() }, slay: { attempt, _ in simulated.lose(attempt) })
        return contract.check()
    }

    private static func behaviour(_ deed: ScenarioAction) -> Behaviour? {
        switch deed {
        case .succeeds: Behaviour(outcome: .completed, length: 1_000_000)
        case .crashes: Behaviour(outcome: .crashed(signal: SIGABRT), length: 1_000_000)
        case .hangs: Behaviour()
        case .isRefused: nil
        // Its line takes up to three seconds.
        case .prints:
            Behaviour(
                outcome: .completed, length: 5_000_000_000, deeds: [(after: 0, deed: .line)])
        }
    }

    /// Checks the real one, in a process without other children: the supervisor kills unknown children. Returns the
    /// faults.
    package static func checkReal(worker: String) throws -> [String] {
        bgrun_become_subreaper()
        let loop = try EventLoop()
        let real = Supervisor(
            loop, executable: worker, limits: SupervisorLimits(.server),
            app: app)
        let signals = try SignalSource(loop, [SIGCHLD]) { _ in real.childrenEnded() }
        let timer = try LoopTimer(loop) { loop.stop() }
        let rest = {
            timer.set(elapsed: bgrun_boottime_ns() + 200_000_000)
            loop.run()
        }
        let contract = SupervisorContract(
            loop, real,
            work: { attempt, deed in
                let call = ForeignCall(
                    library: "libc.so.6", function: function(deed),
                    arguments: deed == .prints ? [ForeignArgument(value: .string("a line"))] : [])
                return work(attempt, .foreign(ForeignProgram(calls: [call])))
            },
            rest: rest,
            slay: { _, worker in
                kill(worker.pid, SIGKILL)
                // An ended process exists until it is reaped.
                while kill(worker.pid, 0) == 0 { rest() }
            })
        let watchdog = try LoopTimer(loop) { [unowned contract] in
            contract.hasGivenUp = true
            loop.stop()
        }
        watchdog.set(elapsed: bgrun_boottime_ns() + 60_000_000_000)
        return withExtendedLifetime((signals, watchdog)) {
            contract.check() + reserveFaults(of: real)
        }
    }

    /// Checks that workers leave the last descriptors to their host.
    private static func reserveFaults(of supervisor: Supervisor) -> [String] {
        let limit: Int32 = 200
        let usual = bgrun_limit_descriptors(0, UInt64(limit))
        var taken: [Int32] = []
        defer {
            for descriptor in taken { close(descriptor) }
            bgrun_limit_descriptors(0, UInt64(clamping: usual))
        }
        // A worker needs nine descriptors.
        while taken.last ?? 0 < limit - 30 {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return ["there are too few descriptors for the test"] }
            taken.append(descriptor)
        }
        let call = ForeignCall(library: "libc.so.6", function: function(.succeeds))
        let preparation = supervisor.prepare(
            work(4_712, .foreign(ForeignProgram(calls: [call]))))
        return preparation == .short(.descriptors)
            ? [] : ["a worker takes the last descriptors: \(preparation)"]
    }

    private static func function(_ deed: ScenarioAction) -> String {
        switch deed {
        case .succeeds: "sync"
        case .crashes: "abort"
        case .hangs: "pause"
        case .isRefused: "no_such_function_of_libc"
        case .prints: "perror"
        }
    }

    private static var app: HostMessage.App {
        HostMessage.App(
            identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: [])
    }

    private static func work(_ attempt: Int64, _ action: HostMessage.Launch.Action) -> Work {
        Work(
            key: WorkerKey(plugin: nil, environment: [:]),
            launch: HostMessage.Launch(
                attempt: attempt, identifier: "org.test.a\(attempt)", kind: 2, attemptNumber: 1,
                action: action, parameters: "{}", manifestDirectory: "/",
                deadlineBoottime: .max, assertionLimitNanoseconds: 0,
                device: .unknown, checkpoint: nil))
    }

    // MARK: the promises

    private func check() -> [String] {
        expect("an attempt that succeeds", .succeeds) { $0 == .completed }
        expect("one that crashes", .crashes) { $0 == .crashed(signal: SIGABRT) }
        expect("one that is refused", .isRefused) { $0 == .refused }
        expect("one after that", .succeeds) { $0 == .completed }
        expect("one that is told, terminated and killed", .hangs) { [self] attempt in
            call {
                supervisor.expire(attempt, .time, grace: .zero, deadlineElapsed: 0)
                supervisor.terminate(attempt)
                supervisor.kill(attempt)
            }
        } is: {
            if case .expired(.time, _) = $0 { true } else { false }
        }
        expect("one that is killed", .hangs) { [self] attempt in
            call { supervisor.kill(attempt) }
        } is: {
            $0 != .completed
        }
        slain()
        withdrawn()
        idle()
        severalAtOnce()
        prints()
        changes()
        call {
            supervisor.expire(4_711, .time, grace: .zero, deadlineElapsed: 0)
            supervisor.terminate(4_711)
            supervisor.kill(4_711)
            supervisor.childrenEnded()
        }
        var isRetired = false
        supervisor.retireWarmWorkers { [self] in
            isRetired = true
            loop.stop()
        }
        wait("the end of the warm workers") { isRetired }
        if supervisor.hasWarmWorkers { faults.append("there are warm workers after their end") }
        rest()
        for (attempt, outcomes) in ends.sorted(by: { $0.key < $1.key }) where outcomes.count != 1 {
            faults.append("attempt \(attempt) has ended \(outcomes.count) times: \(outcomes)")
        }
        return faults
    }

    /// Kills the worker between `prepare` and `launch`.
    private func slain() {
        let text = "one whose worker has died before its launch"
        let attempt = begin(.hangs) { [self] in slay($0, $1) }
        rest()
        if ends[attempt] != nil { faults.append("\(text): it ends before it is launched") }
        call { supervisor.launch(attempt) }
        wait(text) { [self] in ends[attempt] != nil }
        let outcome = ends[attempt]?.first
        if let outcome, outcome != .crashed(signal: SIGKILL) {
            faults.append("\(text): \(outcome)")
        }
        // The attempt has ended: these calls do not end it a second time.
        call {
            supervisor.terminate(attempt)
            supervisor.kill(attempt)
        }
    }

    /// A prepared attempt that is withdrawn never ends, and its worker ends.
    private func withdrawn() {
        var worker: ProcessIdentity?
        let attempt = begin(.hangs) { worker = $1 }
        call { supervisor.withdraw(attempt) }
        rest()
        if ends[attempt] != nil { faults.append("one that is withdrawn has ended") }
        if worker?.isAlive == true { faults.append("the worker of one withdrawn is alive") }
    }

    /// A worker that dies while it is idle runs no further attempt.
    private func idle() {
        var worker: ProcessIdentity?
        let attempt = begin(.succeeds) { worker = $1 }
        call { supervisor.launch(attempt) }
        wait("one before its worker dies") { [self] in ends[attempt] != nil }
        rest()
        if let worker { slay(attempt, worker) }
        if supervisor.hasWarmWorkers { faults.append("an idle worker that has died is still warm") }
        expect("one after an idle worker has died", .succeeds) { $0 == .completed }
    }

    private func severalAtOnce() {
        let attempts = (0..<4).map { _ in begin(.succeeds) } + [begin(.crashes)]
        call { for attempt in attempts.reversed() { supervisor.launch(attempt) } }
        wait("several at once") { [self] in attempts.allSatisfy { ends[$0] != nil } }
        let outcomes = attempts.map { ends[$0]?.first }
        if outcomes.dropLast() != Array(repeating: .completed, count: 4)[...] {
            faults.append("several at once: \(outcomes)")
        }
    }

    /// The lines of an attempt come before its end, which does not wait for held output.
    private func prints() {
        for isHeld in [true, false] {
            let text = "one that prints, held: \(isHeld)"
            call { supervisor.holdOutput(isHeld) }
            expect(text, .prints) { $0 == .completed }
            if !printed.contains(lastAttempt) { faults.append("\(text): no line before its end") }
        }
    }

    /// New limits and readings disturb no running attempt, and no later one runs in a worker of the earlier limits.
    private func changes() {
        let hanging = begin(.hangs)
        call { supervisor.launch(hanging) }
        var workers: [ProcessIdentity] = []
        for isRunning in [false, true, false] {
            let text = "one at a change, running: \(isRunning)"
            let attempt = begin(.succeeds) { workers.append($1) }
            call {
                supervisor.launch(attempt)
                if isRunning { change() }
            }
            wait(text) { [self] in ends[attempt] != nil }
            if ends[attempt]?.first != .completed { faults.append("\(text): \(ends)") }
            if !isRunning { call { change() } }
        }
        if Set(workers).count != 3 { faults.append("a worker is kept after a change") }
        if ends[hanging] != nil { faults.append("one that hangs has ended at a change") }
        call { supervisor.kill(hanging) }
        wait("one that was running at changes") { [self] in ends[hanging] != nil }
    }

    private func change() {
        supervisor.tell(HostMessage.Device(batteryPercent: 50, network: 1))
        supervisor.change(SupervisorLimits(.server), app: Self.app)
    }

    private var lastAttempt: Int64 = 0

    private func begin(
        _ deed: ScenarioAction, then: (Int64, ProcessIdentity) -> Void = { _, _ in }
    ) -> Int64 {
        lastAttempt += 1
        let work = work(lastAttempt, deed)
        let preparation = call { supervisor.prepare(work) }
        switch preparation {
        case .ready(let worker): then(lastAttempt, worker)
        case .refused: break
        case .short(let resource): faults.append("short of \(resource.name)")
        }
        if ends[lastAttempt] != nil { faults.append("it ends before it is launched") }
        return lastAttempt
    }

    private func expect(
        _ text: String, _ deed: ScenarioAction, then: (Int64) -> Void = { _ in },
        is expected: (Outcome) -> Bool
    ) {
        let attempt = begin(deed)
        rest()
        if ends[attempt] != nil { faults.append("\(text): it ends before it is launched") }
        call { supervisor.launch(attempt) }
        then(attempt)
        wait(text) { [self] in ends[attempt] != nil }
        guard let outcome = ends[attempt]?.first, !expected(outcome) else { return }
        faults.append("\(text): \(outcome)")
    }

    @discardableResult
    private func call<Value>(_ body: () -> Value) -> Value {
        isCalling = true
        defer { isCalling = false }
        return body()
    }

    private func wait(_ text: String, until isOver: @escaping () -> Bool) {
        self.isOver = isOver
        if !isOver(), !hasGivenUp { loop.run() }
        if !isOver() { faults.append("\(text): waited for in vain") }
        self.isOver = { false }
    }

    private func take(_ notice: AttemptNotice) {
        if isCalling { faults.append("a notice comes from within a call: \(notice)") }
        if case .line(let attempt, _) = notice, ends[attempt] == nil { printed.insert(attempt) }
        guard case .ended(let attempt, let end) = notice else { return }
        ends[attempt, default: []].append(end.outcome)
        if isOver() { loop.stop() }
    }
}
