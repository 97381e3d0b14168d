// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import CBGRunShims

/// Continued tasks whose handler was registered while the plugin ran (Apple: when a button is tapped) run in the worker
/// that registered it: no other worker has the handler.
extension Supervisor {
    /// The only worker that can run `work`; nil if any worker can, or no live worker can.
    func home(of work: Work) -> WorkerProcess? {
        guard work.launch.kind == TaskKind.continued.rawValue else { return nil }
        return home(of: work.launch.identifier, work.key)
    }

    /// A pending request that would run in this worker, the first with its handler, or any if too many are pending to search; nil if the worker
    /// is not needed.
    func pendingRequest(for worker: WorkerProcess) -> String? {
        guard !worker.dynamicIdentifiers.isEmpty else { return nil }
        let ordered = candidates(worker.key)
        return pendingHandlers?.firstPending(worker.key) { identifier in
            ordered.first { $0.dynamicRule.permits(identifier) } === worker
        }
    }

    /// Whether the continued task `identifier` would run in this worker, the first with its handler.
    func isHome(_ worker: WorkerProcess, of identifier: String) -> Bool {
        home(of: identifier, worker.key) === worker
    }

    private func home(of identifier: String, _ key: WorkerKey) -> WorkerProcess? {
        candidates(key).first { $0.dynamicRule.permits(identifier) }
    }

    /// The workers that can run their own continued tasks, the preferred one first.
    private func candidates(_ key: WorkerKey) -> [WorkerProcess] {
        let candidates = workers.values.filter { worker in
            worker.key == key && worker.canContinue && !worker.dynamicIdentifiers.isEmpty
        }
        return candidates.sorted { left, right in
            // An idle one first, then the one that was started first.
            (left.work == nil ? 0 : 1, left.pid) < (right.work == nil ? 0 : 1, right.pid)
        }
    }

    package func handlerPlace(of identifier: String, _ key: WorkerKey) -> HandlerPlace {
        if let home = home(of: identifier, key) {
            return home.work.map { .busy(attempt: $0.attempt) } ?? .available
        }
        if lateHandlers.contains(identifier, key) { return .lost }
        let isAtInit = workers.values.contains { worker in
            key == worker.key && worker.death == nil
                && worker.registeredAtInit.coverContinued(identifier)
        }
        return !isAtInit && lateHandlers.isOnlyElsewhere(identifier, key)
            ? .otherEnvironment : .available
    }

    /// The message for people about a continued task whose handler has ended with its process.
    package static func lostHandler(of identifier: String) -> String {
        "No launch handler registered for task with identifier \(identifier): the process that "
            + "registered it has ended or is ending. Register it at launch, or register and submit it again"
    }

    /// The work begins when the worker is idle, with all of its time.
    func wait(_ work: Work, for worker: WorkerProcess) {
        var work = work
        precondition(
            busy[work.launch.attempt] == nil, "attempt \(work.launch.attempt) waits and runs")
        work.waitsSince = bgrun_boottime_ns()
        worker.waiting.append(work)
        notify(.waits(attempt: work.launch.attempt))
    }

    /// Starts the work that waits for a worker that has become idle; false if no work waits.
    func startWaiting(in worker: WorkerProcess) -> Bool {
        guard !worker.waiting.isEmpty else { return false }
        let work = worker.waiting.removeFirst().beginning(at: bgrun_boottime_ns())
        notify(.began(attempt: work.launch.attempt))
        start(work, in: worker)
        return true
    }

    /// Ends an attempt whose time is revoked before its worker could begin it.
    func endWaiting(_ attempt: Int64, _ reason: StopReason) {
        for worker in workers.values {
            guard let index = worker.waiting.firstIndex(where: { $0.launch.attempt == attempt })
            else { continue }
            worker.waiting.remove(at: index)
            notifyEnd(
                of: attempt,
                AttemptEnd(
                    outcome: .expired(reason, reported: false),
                    message: "its time was revoked before it could start"))
        }
    }

    /// The worker has ended, and with it the handlers that the waiting attempts need.
    func refuseWaiting(_ waiting: [Work]) {
        for work in waiting {
            let message = Self.lostHandler(of: work.launch.identifier)
            notifyEnd(of: work.launch.attempt, AttemptEnd(outcome: .refused, message: message))
        }
    }

    /// Attempts that have not begun start with the newest readings, regardless of how long they waited.
    package func tell(_ device: HostMessage.Device) {
        newestDevice = device
        for attempt in prepared.keys { prepared[attempt]?.work?.launch.device = device }
        for worker in workers.values {
            for index in worker.waiting.indices { worker.waiting[index].launch.device = device }
        }
        for worker in busy.values where worker.death == nil {
            worker.isDeviceDue = true
            tellDevice(worker)
        }
    }

    /// The worker can receive more data.
    func flushControl(of worker: WorkerProcess) {
        worker.control.flush()
        tellDevice(worker)
    }

    /// A worker that does not read gets no change before it has received earlier data, and then the newest state.
    private func tellDevice(_ worker: WorkerProcess) {
        guard worker.isDeviceDue, !worker.control.isBacklogged, let newestDevice else { return }
        worker.isDeviceDue = false
        worker.control.send(HostMessage.device(newestDevice).frame)
        updateInterest(worker)
    }
}

extension WorkerProcess {
    /// Whether it may run another attempt, as far as is known.
    fileprivate var canContinue: Bool {
        death == nil && !isTerminating && !isEnding && work?.isTold != true && signs.refusal == nil
    }
}
