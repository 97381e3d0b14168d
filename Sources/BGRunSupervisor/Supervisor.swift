// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunLoop
public import BGRunProcess
public import BGRunWire
import CBGRunShims
import Glibc

/// Runs attempts in worker processes: one attempt in one worker at a time, a warm worker where one
/// is at hand. Decides nothing: when an attempt is launched, told or killed is the engine's.
///
/// Belongs to the loop's thread. The process must be a child subreaper and must have SIGCHLD
/// delivered to `childrenEnded`.
public final class Supervisor {
    let loop: EventLoop
    private var spawn: WorkerSpawn
    private(set) var limits: SupervisorLimits
    /// Rises with `change`; workers of an earlier one are not kept.
    private var generation = 0
    /// Checks a plugin's file and opens it; asked once for each worker that is started.
    public var image: (_ plugin: String) -> Result<PluginImage, PluginRefusal> = {
        .failure(PluginRefusal(message: "nobody knows the plugin \"\($0)\""))
    }
    /// Called on the loop's thread; never from within a call of the supervisor's own.
    public var onNotice: (AttemptNotice) -> Void = { _ in }
    /// By pid: every worker that has not been reaped, or whose descendants have not.
    var workers: [pid_t: WorkerProcess] = [:]
    /// Children of the host's own that belong to no attempt, and who hears what `waitpid` gave of each.
    var companions: [pid_t: (_ status: Int32) -> Void] = [:]
    /// By attempt.
    var busy: [Int64: WorkerProcess] = [:]
    private var warm: [WorkerKey: [WorkerProcess]] = [:]
    private var prepared: [Int64: Preparation] = [:]
    private var idleTimer: LoopTimer?
    private var isIdleTimerArmed = false
    /// Where bytes are read to; the loop's thread reads one descriptor at a time.
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    private enum Preparation {
        case ready(WorkerProcess, Work)
        case refused(String)
    }

    /// - Parameters:
    ///   - executable: The `bgrun-worker` executable.
    ///   - app: What plugins are told of the app.
    public init(
        _ loop: EventLoop, executable: String, limits: SupervisorLimits, app: HostMessage.App
    ) {
        self.loop = loop
        spawn = WorkerSpawn(executable: executable, lineLimit: limits.outputLineBytes, app: app)
        self.limits = limits
    }

    deinit {
        chunk.deallocate()
    }

    func notify(_ notice: AttemptNotice) {
        loop.afterThisRound { [weak self] in self?.onNotice(notice) }
    }

    /// Leaves a child alone that no attempt has started, until it has ended by itself.
    public func accompany(_ pid: pid_t, ended: @escaping (_ status: Int32) -> Void = { _ in }) {
        companions[pid] = ended
    }

    /// Finds or starts the worker for an attempt and says which process it is, so that it can be
    /// stored before the handler is entered. Nil when there is none; `launch` then says why.
    public func prepare(_ work: Work) -> ProcessIdentity? {
        let attempt = work.launch.attempt
        if let worker = warm[work.key]?.popLast() {
            prepared[attempt] = .ready(worker, work)
            return worker.identity
        }
        do {
            let image = try work.key.plugin.map { try self.image($0).get() }
            let worker = try withExtendedLifetime(image) { try spawn.start(work.key, image) }
            worker.generation = generation
            do { try watch(worker) } catch {
                worker.killEverything()
                throw error
            }
            prepared[attempt] = .ready(worker, work)
            return worker.identity
        } catch let refusal as PluginRefusal {
            prepared[attempt] = .refused(refusal.message)
        } catch {
            prepared[attempt] = .refused("no worker could be started: \(error)")
        }
        return nil
    }

    /// Enters the handler of a prepared attempt.
    public func launch(_ attempt: Int64) {
        switch prepared.removeValue(forKey: attempt) {
        case .ready(let worker, let work):
            worker.work = RunningWork(attempt: attempt)
            busy[attempt] = worker
            worker.launch.send(HostMessage.launch(work.launch).frame, passing: work.socket)
            worker.resume()
            updateInterest(worker)
        case .refused(let message):
            notify(.ended(attempt: attempt, AttemptEnd(outcome: .refused, message: message)))
        case nil:
            preconditionFailure("attempt \(attempt) was not prepared")
        }
    }

    /// Tells the handler that its time is revoked.
    public func expire(
        _ attempt: Int64, _ reason: StopReason, grace: Interval, deadlineElapsed: Int64
    ) {
        guard let worker = busy[attempt] else { return }
        worker.work?.tell(reason)
        worker.control.send(
            HostMessage.expire(
                HostMessage.Expiration(
                    attempt: attempt, reason: reason.rawValue, reasonText: reason.name,
                    graceNanoseconds: grace.nanoseconds, deadlineBoottime: deadlineElapsed)
            ).frame)
        updateInterest(worker)
    }

    /// Sends SIGTERM to everything the attempt started.
    public func terminate(_ attempt: Int64) {
        guard let worker = busy[attempt] else { return }
        worker.isTerminating = true
        worker.signalEverything(SIGTERM)
        if worker.death != nil {
            ProcessTree.signal(SIGTERM, below: getpid(), sparing: livePids)
        }
    }

    /// Sends SIGKILL to everything the attempt started.
    public func kill(_ attempt: Int64) {
        guard let worker = busy[attempt] else { return }
        worker.isTerminating = false
        if worker.death == nil { worker.killEverything() }
        collectStrays()
    }

    /// Other limits, plugins and facts of the app count from here on. Workers that run go on, and are not
    /// kept after that.
    public func change(_ limits: SupervisorLimits, app: HostMessage.App) {
        self.limits = limits
        spawn.lineLimit = limits.outputLineBytes
        spawn.app = app
        generation += 1
        retireWarmWorkers()
    }

    /// Ends every warm worker, and returns when they are gone.
    public func retireWarmWorkers() {
        let retired = Array(warm.values.joined())
        for worker in retired { worker.killEverything() }
        for worker in retired {
            while waitpid(worker.pid, nil, 0) < 0, errno == EINTR {}
            forget(worker)
        }
        warm.removeAll()
    }

    /// Keeps an idle worker for the next attempt, or ends it.
    func keep(_ worker: WorkerProcess) {
        guard worker.generation == generation,
            warm[worker.key, default: []].count < limits.warmWorkers
        else {
            return worker.killEverything()
        }
        // A worker that goes on with the next attempt at once is not stopped in between.
        loop.afterThisRound { if worker.work == nil, worker.death == nil { worker.suspend() } }
        worker.idleSince = bgrun_boottime_ns()
        warm[worker.key, default: []].append(worker)
        if !isIdleTimerArmed { armIdleTimer() }
    }

    /// Takes a worker that has died out of the pool.
    func removeFromPool(_ worker: WorkerProcess) {
        warm[worker.key]?.removeAll { $0 === worker }
    }

    func forget(_ worker: WorkerProcess) {
        for descriptor in worker.descriptors { loop.forget(descriptor) }
        workers[worker.pid] = nil
    }

    /// Waits for the socket to take what is left, only while something is.
    func updateInterest(_ worker: WorkerProcess) {
        for outlet in [worker.launch, worker.control] {
            loop.change(outlet.descriptor, to: outlet.isBacklogged ? [.read, .write] : .read)
        }
    }

    private func watch(_ worker: WorkerProcess) throws {
        workers[worker.pid] = worker
        try loop.watch(worker.control.descriptor) { [weak self, weak worker] readiness in
            guard let self, let worker else { return }
            if readiness.contains(.write) { worker.control.flush() }
            if readiness.contains(.read) { receive(from: worker) }
            updateInterest(worker)
        }
        try loop.watch(worker.launch.descriptor) { [weak self, weak worker] readiness in
            guard let self, let worker else { return }
            if readiness.contains(.write) { worker.launch.flush() }
            // The worker says nothing here: readable means that it has gone.
            if readiness.contains(.read) { loop.forget(worker.launch.descriptor) }
            updateInterest(worker)
        }
        for descriptor in [worker.output, worker.error] {
            try loop.watch(descriptor) { [weak self, weak worker] _ in
                guard let self, let worker else { return }
                receiveOutput(of: worker, descriptor)
            }
        }
    }

    private func armIdleTimer() {
        if idleTimer == nil {
            idleTimer = try? LoopTimer(loop) { [weak self] in self?.retireIdleWorkers() }
        }
        let oldest = warm.values.joined().map(\.idleSince).min()
        isIdleTimerArmed = oldest != nil
        idleTimer?.set(elapsed: oldest.map { $0 + limits.warmIdle.nanoseconds })
    }

    private func retireIdleWorkers() {
        let limit = bgrun_boottime_ns() - limits.warmIdle.nanoseconds
        for (key, pool) in warm {
            for worker in pool where worker.idleSince <= limit { worker.killEverything() }
            warm[key] = pool.filter { $0.idleSince > limit }
        }
        armIdleTimer()
    }

    var livePids: Set<pid_t> {
        Set(companions.keys).union(workers.values.filter { $0.death == nil }.map(\.pid))
    }
}
