// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import CBGRunShims
import Glibc

extension Supervisor {
    /// Keeps an idle worker for the next attempt, or ends it.
    func keep(_ worker: WorkerProcess) {
        worker.heldFor = nil
        guard worker.generation == generation,
            warm[worker.key, default: []].count < limits.warmWorkers || hold(worker)
        else {
            return retire(worker)
        }
        // A worker that goes on with the next attempt at once is not stopped in between.
        loop.afterThisRound { if worker.work == nil, worker.death == nil { worker.suspend() } }
        precondition(worker.death == nil && worker.work == nil, "process \(worker.pid) is not idle")
        worker.idleSince = bgrun_boottime_ns()
        warm[worker.key, default: []].append(worker)
        if !isIdleTimerArmed { armIdleTimer() }
    }

    /// Holds an idle worker while a pending request needs it; false if none does.
    private func hold(_ worker: WorkerProcess) -> Bool {
        worker.heldFor = pendingRequest(for: worker)
        return worker.heldFor != nil
    }

    package func pendingRequestsChanged() {
        var released: [WorkerProcess] = []
        for worker in warm.values.joined() {
            guard let identifier = worker.heldFor,
                pendingHandlers?.isPending(identifier, worker.key) != true, !hold(worker)
            else { continue }
            released.append(worker)
        }
        guard !released.isEmpty else { return }
        for worker in released where warm[worker.key, default: []].count > limits.warmWorkers {
            removeFromPool(worker)
            retire(worker)
        }
        retireIdleWorkers()
    }

    /// Takes a worker that has died out of the pool.
    func removeFromPool(_ worker: WorkerProcess) { warm[worker.key]?.removeAll { $0 === worker } }

    /// A worker whose plugin file is unchanged since it was loaded, if possible one that no continued
    /// task needs; workers of a changed file are ended.
    func takeWarmWorker(for key: WorkerKey) -> WorkerProcess? {
        while let pool = warm[key],
            let index = pool.lastIndex(where: { $0.dynamicIdentifiers.isEmpty })
                ?? pool.indices.last,
            let worker = warm[key]?.remove(at: index)
        {
            if worker.plugin.isUnchanged, !worker.isEnding, worker.death == nil { return worker }
            retire(worker)
        }
        return nil
    }

    private func armIdleTimer() {
        if idleTimer == nil {
            idleTimer = try? LoopTimer(loop) { [weak self] in self?.retireIdleWorkers() }
        }
        // The end of its request releases a worker that is held.
        let oldest = warm.values.joined().filter { $0.heldFor == nil }.map(\.idleSince).min()
        isIdleTimerArmed = oldest != nil
        idleTimer?.set(elapsed: oldest.map { $0.saturatingAdding(limits.warmIdle.nanoseconds) })
    }

    private func retireIdleWorkers() {
        let limit = bgrun_boottime_ns().saturatingSubtracting(limits.warmIdle.nanoseconds)
        for (key, pool) in warm {
            for worker in pool
            where worker.idleSince <= limit && worker.heldFor == nil && !hold(worker) {
                retire(worker)
            }
            warm[key] = pool.filter { !retired.contains($0.pid) }
        }
        armIdleTimer()
    }
}
