// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import CBGRunShims
import Glibc

/// Runs attempts in worker processes: one attempt in one worker at a time, in a warm worker if there is one. Decides
/// nothing: the engine decides when an attempt is launched, told or killed. Belongs to the loop's thread. The process
/// must be a child subreaper and must pass SIGCHLD to `childrenEnded`.
package final class Supervisor: AttemptSupervisor {
    let loop: EventLoop
    private var spawn: WorkerSpawn
    /// Nil without a store.
    private let workersFile: WorkersFile?
    /// The number of workers that a limit of the operating system allows. Beyond it workers would still start, but the
    /// commands of their handlers would fail.
    private let bound: (workers: Int, resource: Resource)?
    private(set) var limits: SupervisorLimits
    /// Increases with `change`; workers of an earlier generation are not kept.
    var generation = 0
    package var image: (_ plugin: String) -> Result<PluginImage, PluginRefusal> = {
        .failure(PluginRefusal(message: "unknown plugin \"\($0)\""))
    }
    /// Nil: every worker has the rights of the user.
    private let confiner: (any WorkerConfiner)?
    /// Whether a confined worker was started.
    private(set) var hasConfined = false
    package var onNotice: (AttemptNotice) -> Void = { _ in }
    package weak var pendingHandlers: (any PendingHandlers)?
    /// By pid: every worker that has not been reaped, or whose descendants have not.
    var workers: [pid_t: WorkerProcess] = [:]
    /// The host's own children that belong to no attempt, each with the receiver of its `waitpid` status.
    var helperProcesses: [pid_t: (_ status: Int32) -> Void] = [:]
    /// By attempt.
    var busy: [Int64: WorkerProcess] = [:]
    /// The newest readings for workers.
    var newestDevice: HostMessage.Device?
    var warm: [WorkerKey: [WorkerProcess]] = [:]
    var prepared: [Int64: Prepared] = [:]
    var idleTimer: LoopTimer?
    var isIdleTimerArmed = false
    /// The handlers that workers registered after their init, including those of ended workers.
    var lateHandlers = LateHandlers()
    /// Warm workers that were ended and have not exited yet, and the callbacks that wait for it.
    var retired: Set<pid_t> = []
    private var whenRetired: [() -> Void] = []
    private var retireTimer: LoopTimer?
    /// Whether the output of attempts stays in its pipes.
    private var isOutputHeld = false
    /// Workers whose processes are being killed in parts.
    var sweeps: [pid_t: KillSweep] = [:]
    /// The same for processes left behind by dead workers.
    var straySweep: KillSweep?
    var strayTimer: LoopTimer?
    /// By stray: workers that were sent SIGTERM before it was found, and not yet SIGKILL.
    var strayWaits: [pid_t: Set<pid_t>] = [:]
    /// The children that existed before the process executed bgrun could not be listed.
    private var areEarlierUnknown = false
    /// A live worker's attempt has ended while the host had children that it had not started.
    var hasStrays = false
    let memoryWatch = MemoryWatch()
    /// Makes the sweep of all processes below a process, except some of its children.
    var makeSweep: (_ root: pid_t, _ spared: @escaping () -> Set<pid_t>) -> KillSweep = {
        KillSweep(below: $0, sparing: $1)
    }
    /// The children of a process; nil if they cannot be listed now.
    var listChildren: (_ parent: pid_t) -> [pid_t]? = { ProcessTree.knownChildren(of: $0) }
    /// The read buffer; the loop's thread reads one descriptor at a time.
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// - Parameters:
    ///   - executable: The `bgrun-worker` executable.
    ///   - app: The data about the app for plugins.
    ///   - store: The file that records the attempts: their processes are marked with it so that the
    ///     next host can find them. Nil: no mark.
    ///   - descriptorLimit: The soft limit of open descriptors for workers; nil: this process's.
    ///   - confiner: For keys with a confinement.
    ///   - bound: The maximum number of workers, idle ones included; nil: unlimited.
    package init(
        _ loop: EventLoop, executable: String, limits: SupervisorLimits, app: HostMessage.App,
        store: String? = nil, descriptorLimit: UInt64? = nil,
        bound: (workers: Int, resource: Resource)? = nil,
        confiner: (any WorkerConfiner)? = nil
    ) {
        precondition(bound.map { $0.workers > 0 } ?? true, "no attempt runs without a worker")
        self.bound = bound
        self.confiner = confiner
        self.loop = loop
        spawn = WorkerSpawn(executable: executable, lineLimit: limits.outputLineBytes, app: app)
        spawn.mark = store.flatMap { ProcessMark(store: $0) }
        workersFile = store.map { WorkersFile(store: $0) }
        spawn.descriptorLimit = descriptorLimit
        self.limits = limits
    }

    deinit { chunk.deallocate() }

    func notify(_ notice: AttemptNotice) {
        loop.afterThisRound { [weak self] in self?.onNotice(notice) }
    }

    func notifyEnd(of attempt: Int64, _ end: AttemptEnd) { notify(.ended(attempt: attempt, end)) }

    package func addHelper(_ pid: pid_t, ended: @escaping (_ status: Int32) -> Void) {
        precondition(
            pid > 1 && workers[pid].map { $0.death != nil } ?? true, "process \(pid) is a worker")
        helperProcesses[pid] = ended
    }

    package func spareChildren() {
        let earlier = listStrays()
        areEarlierUnknown = earlier == nil
        for pid in earlier ?? [] { addHelper(pid) }
    }

    package func prepare(_ work: Work) -> Preparation {
        var work = work
        let attempt = work.launch.attempt
        precondition(attempt != 0, "0 is the number of no attempt")
        precondition(
            prepared[attempt] == nil && busy[attempt] == nil, "attempt \(attempt) is prepared twice"
        )
        if let failure = complete(&work) { return failure }
        if let worker = home(of: work) {
            if worker.work == nil {
                removeFromPool(worker)
                prepared[attempt] = .ready(worker, work)
            } else {
                prepared[attempt] = .behind(worker, work)
            }
            return .ready(worker.identity)
        }
        if let worker = takeWarmWorker(for: work.key) {
            prepared[attempt] = .ready(worker, work)
            return .ready(worker.identity)
        }
        if let bound, !makeCapacity(for: bound.workers) { return .short(bound.resource) }
        let preparation = startWorker(for: work)
        if case .short = preparation { retireIdleWorkers(since: .max) }
        return preparation
    }

    /// Starts the worker of a launch.
    private func startWorker(for work: Work) -> Preparation {
        let attempt = work.launch.attempt
        // Later, they could not be distinguished from processes left by workers.
        if areEarlierUnknown { spareChildren() }
        guard !areEarlierUnknown, canReadMemory(for: work.key) else { return .short(.descriptors) }
        do {
            let image = try work.key.plugin.map { try self.image($0).get() }
            let plan = try work.key.confinement.map { confinement in
                guard let confiner else { preconditionFailure("workers are confined by nothing") }
                return try confiner.plan(confinement, plugin: image).get()
            }
            // The worker exists before its attempt is stored, and after the attempt's end.
            workersFile?.create()
            if plan != nil { hasConfined = true }
            let worker = try withExtendedLifetime(image) {
                try spawn.start(work.key, image, device: work.launch.device, plan: plan)
            }
            worker.generation = generation
            worker.plugin = LoadedFile(image?.displayPath)
            do { try watch(worker) } catch {
                end(worker)
                // More watches than the user may have: /proc/sys/fs/epoll/max_user_watches.
                if (error as? SystemFailure)?.code == ENOSPC { return .short(.descriptors) }
                throw error
            }
            prepared[attempt] = .ready(worker, work)
            return .ready(worker.identity)
        } catch let refusal as PluginRefusal {
            if let resource = refusal.shortage { return .short(resource) }
            prepared[attempt] = .refused(refusal.message)
        } catch {
            if let resource = (error as? SystemFailure).flatMap({ Resource(code: $0.code) }) {
                return .short(resource)
            }
            prepared[attempt] = .refused("no worker could be started: \(error)")
        }
        return .refused
    }

    package func launch(_ attempt: Int64, deadlineElapsed: Int64?) {
        // The state may have changed since `prepare`: a launch may have waited for the store.
        switch prepared.removeValue(forKey: attempt) {
        case .ready(let worker, let work) where worker.work == nil:
            start(work.ending(at: deadlineElapsed), in: worker)
            if isGone(worker) { endWork(of: worker) }
        case .behind(let worker, let work) where isGone(worker):
            refuseWaiting([work])
        case .behind(let worker, let work) where worker.work == nil && worker.death == nil:
            start(work.ending(at: deadlineElapsed), in: worker)
        case .ready(let worker, let work), .behind(let worker, let work):
            wait(work.ending(at: deadlineElapsed), for: worker)
        case .refused(let message):
            notifyEnd(of: attempt, AttemptEnd(outcome: .refused, message: message))
        case nil:
            preconditionFailure("attempt \(attempt) was not prepared")
        }
    }

    package func withdraw(_ attempt: Int64) {
        switch prepared.removeValue(forKey: attempt) {
        case .ready(let worker, _), .behind(let worker, _):
            guard worker.work == nil, worker.death == nil, !isAwaited(worker) else { return }
            retire(worker)
        case .refused, nil: return
        }
    }

    func start(_ work: Work, in worker: WorkerProcess) {
        let attempt = work.launch.attempt
        precondition(worker.work == nil, "process \(worker.pid) runs two attempts")
        precondition(busy[attempt] == nil, "attempt \(attempt) runs twice")
        worker.work = RunningWork(
            attempt: attempt, signs: worker.earlySigns, processorBefore: worker.processorAtEnd)
        worker.earlySigns = RunningWork.Signs()
        busy[attempt] = worker
        updateMemoryWatch()
        send(work, to: worker)
        worker.resume()
        updateInterest(worker)
        if isOutputHeld { updateOutputInterest(worker) }
    }

    package func holdOutput(_ isHeld: Bool) {
        guard isHeld != isOutputHeld else { return }
        isOutputHeld = isHeld
        for worker in workers.values { updateOutputInterest(worker) }
    }

    /// Whether the host cannot accept more lines of the worker's attempt. Those of hooks and visits are not stored.
    func holdsOutput(of worker: WorkerProcess) -> Bool {
        isOutputHeld && worker.work.map { $0.attempt > 0 } ?? false
    }

    private func updateOutputInterest(_ worker: WorkerProcess) {
        let interest: EventLoop.Readiness = holdsOutput(of: worker) ? [] : .read
        for descriptor in [worker.output, worker.error] { loop.change(descriptor, to: interest) }
    }

    package func plugin(of attempt: Int64) -> AttemptPlugin {
        guard let worker = busy[attempt], let name = worker.key.plugin else { return .none }
        return worker.loaded.map { .loaded(name, $0) } ?? .loading
    }

    package func expire(
        _ attempt: Int64, _ reason: StopReason, grace: Interval, deadlineElapsed: Int64
    ) {
        precondition(grace >= .zero, "attempt \(attempt) has \(grace) to end")
        guard let worker = busy[attempt] else { return endWaiting(attempt, reason) }
        precondition(worker.work?.attempt == attempt, "process \(worker.pid) runs another attempt")
        worker.work?.tell(reason)
        worker.control.send(
            HostMessage.expire(
                HostMessage.Expiration(
                    attempt: attempt, reason: reason.told, reasonText: reason.name,
                    graceNanoseconds: grace.nanoseconds, deadlineBoottime: deadlineElapsed)
            ).frame)
        updateInterest(worker)
    }

    package func terminate(_ attempt: Int64) {
        guard let worker = busy[attempt] else { return }
        precondition(worker.work?.attempt == attempt, "process \(worker.pid) runs another attempt")
        worker.isTerminating = true
        worker.signalEverything(SIGTERM)
        guard worker.death != nil else { return }
        for stray in strayWaits.keys { strayWaits[stray]?.insert(worker.pid) }
        ProcessTree.signal(SIGTERM, below: getpid(), sparing: livePids)
    }

    package func kill(_ attempt: Int64) {
        guard let worker = busy[attempt] else { return endWaiting(attempt, .shutdown) }
        precondition(worker.work?.attempt == attempt, "process \(worker.pid) runs another attempt")
        guard !isGone(worker) else { return endWork(of: worker) }
        worker.isTerminating = false
        end(worker)
        collectStrays()
    }

    /// Running workers continue, and are not kept after that.
    package func change(_ limits: SupervisorLimits, app: HostMessage.App) {
        self.limits = limits
        spawn.lineLimit = limits.outputLineBytes
        spawn.app = app
        generation += 1
        lateHandlers = LateHandlers()
        // The newest last, as they were added.
        for worker in workers.values.sorted(by: { $0.pid < $1.pid }) where stillHasPlugin(worker) {
            for identifier in worker.dynamicIdentifiers { lateHandlers.add(identifier, by: worker) }
        }
        for worker in warm.values.joined() { retire(worker) }
        warm.removeAll()
    }

    /// Whether a live worker has registered handlers of the plugin that a new worker would load.
    private func stillHasPlugin(_ worker: WorkerProcess) -> Bool {
        guard worker.death == nil, !worker.dynamicIdentifiers.isEmpty, worker.plugin.isUnchanged,
            let name = worker.key.plugin, case .success(let current) = image(name)
        else { return false }
        return current.displayPath == worker.plugin.path
    }

    package var hasWarmWorkers: Bool { !warm.values.joined().isEmpty || !retired.isEmpty }

    package var hasWorkers: Bool { !workers.isEmpty || hasStrays }

    package func retireWarmWorkers(_ done: @escaping () -> Void) {
        for worker in warm.values.joined() { retire(worker) }
        warm.removeAll()
        guard !retired.isEmpty else { return done() }
        whenRetired.append(done)
        // A worker that the kernel does not release must not block the shutdown.
        retireTimer = try? LoopTimer(loop) { [weak self] in self?.giveUpRetired() }
        guard let retireTimer else { return giveUpRetired() }
        let wait = limits.endWait.nanoseconds
        retireTimer.set(elapsed: bgrun_boottime_ns() + wait)
    }

    /// Ends an idle worker.
    func retire(_ worker: WorkerProcess) {
        precondition(
            worker.work == nil && worker.waiting.isEmpty, "process \(worker.pid) is not idle")
        retired.insert(worker.pid)
        end(worker)
    }

    private func giveUpRetired() {
        retired.removeAll()
        retireTimer = nil
        let waiting = whenRetired
        whenRetired.removeAll()
        for done in waiting { done() }
    }

    /// Whether a prepared launch waits for this worker.
    func isAwaited(_ worker: WorkerProcess) -> Bool {
        prepared.values.contains {
            switch $0 {
            case .ready(let other, _), .behind(let other, _): other === worker
            case .refused: false
            }
        }
    }

    /// Whether it and everything it started was reaped: no further events come from it.
    func isGone(_ worker: WorkerProcess) -> Bool { workers[worker.pid] !== worker }

    func forget(_ worker: WorkerProcess) {
        for descriptor in worker.descriptors { loop.forget(descriptor) }
        workers[worker.pid] = nil
        if retired.remove(worker.pid) != nil, retired.isEmpty { giveUpRetired() }
    }

    /// Watches for the socket to be writable only while data waits.
    func updateInterest(_ worker: WorkerProcess) {
        for outlet in [worker.launch, worker.control] {
            loop.change(outlet.descriptor, to: outlet.isBacklogged ? [.read, .write] : .read)
        }
    }

    private func watch(_ worker: WorkerProcess) throws {
        precondition(
            worker.pid > 1 && helperProcesses[worker.pid] == nil,
            "process \(worker.pid) cannot be a worker")
        workers[worker.pid] = worker
        try loop.watch(worker.control.descriptor) { [weak self, weak worker] readiness in
            guard let self, let worker else { return }
            if readiness.contains(.write) { flushControl(of: worker) }
            if readiness.contains(.read) { receive(from: worker) }
            sendPartNextRound(worker)
            updateInterest(worker)
        }
        try loop.watch(worker.launch.descriptor) { [weak self, weak worker] readiness in
            guard let self, let worker else { return }
            if readiness.contains(.write) { worker.launch.flush() }
            // The worker sends nothing here: readable means that it has ended.
            if readiness.contains(.read) { loop.forget(worker.launch.descriptor) }
            updateInterest(worker)
        }
        for descriptor in [worker.output, worker.error] {
            try loop.watch(descriptor) { [weak self, weak worker] readiness in
                guard let self, let worker else { return }
                // No data follows a hang-up, which would wake the loop without end.
                guard !holdsOutput(of: worker) || readiness.contains(.hungUp) else { return }
                receiveOutput(of: worker, descriptor)
            }
        }
    }
}
