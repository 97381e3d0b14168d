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
        // The engine may not have received a request for its handlers yet: `pendingRequestsChanged` decides.
        guard worker.generation == generation, worker.handlerPid != nil,
            worker.key.confinement?.reuse != .never,
            // The limit counts the time of earlier attempts, too.
            worker.key.confinement?.processorTime == nil,
            warm[worker.key, default: []].count < limits.warmWorkers
                || !worker.dynamicIdentifiers.isEmpty
        else {
            return retire(worker)
        }
        // A worker that continues with the next attempt at once is not suspended in between.
        loop.afterThisRound { if worker.work == nil, worker.death == nil { worker.suspend() } }
        precondition(worker.death == nil && worker.work == nil, "process \(worker.pid) is not idle")
        worker.idleSince = bgrun_boottime_ns()
        warm[worker.key, default: []].append(worker)
        if !isIdleTimerArmed { armIdleTimer() }
    }

    /// Holds an idle worker while a pending request needs it; returns false if none does.
    private func hold(_ worker: WorkerProcess) -> Bool {
        worker.heldFor = pendingRequest(for: worker)
        return worker.heldFor != nil
    }

    package func pendingRequestsChanged() {
        var hasReleased = false
        for worker in warm.values.joined() {
            guard let identifier = worker.heldFor, !needs(worker, identifier), !hold(worker)
            else { continue }
            hasReleased = true
        }
        for pool in warm.values where pool.count > limits.warmWorkers { trim(pool) }
        if hasReleased { retireIdleWorkers() }
    }

    /// Whether `identifier` is pending and would run in this worker.
    private func needs(_ worker: WorkerProcess, _ identifier: String) -> Bool {
        pendingHandlers?.isPending(identifier, worker.key) == true && isHome(worker, of: identifier)
    }

    /// Ends the newest workers beyond the limit that were kept for their handlers and are not needed.
    private func trim(_ pool: [WorkerProcess]) {
        var excess = pool.count - limits.warmWorkers  // fits: the pool is larger
        for worker in pool.reversed() where excess > 0 && !worker.dynamicIdentifiers.isEmpty {
            guard worker.heldFor == nil, isHeard(worker), !hold(worker) else { continue }
            excess -= 1
            removeFromPool(worker)
            retire(worker)
        }
    }

    /// Whether all messages of the worker are read, and its calls, which may submit requests for its handlers, are
    /// answered. Reads at most the capacity of a channel.
    private func isHeard(_ worker: WorkerProcess) -> Bool {
        var reads = 0
        while reads < 32, receive(from: worker) == .bytes { reads += 1 }
        return reads < 32 && worker.open.count == 0
    }

    /// Removes a dead worker from the pool.
    func removeFromPool(_ worker: WorkerProcess) { warm[worker.key]?.removeAll { $0 === worker } }

    /// A worker whose plugin file is unchanged since it was loaded, preferably one that no continued task can need,
    /// else one that none needs now; ends workers of a changed file.
    func takeWarmWorker(for key: WorkerKey) -> WorkerProcess? {
        while let pool = warm[key],
            let index = pool.lastIndex(where: { $0.dynamicIdentifiers.isEmpty })
                ?? pool.lastIndex(where: { $0.heldFor == nil }) ?? pool.indices.last,
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
        // The end of its request releases a held worker.
        let oldest = warm.values.joined().filter { $0.heldFor == nil }.map(\.idleSince).min()
        isIdleTimerArmed = oldest != nil
        idleTimer?.set(elapsed: oldest.map { $0.saturatingAdding(limits.warmIdle.nanoseconds) })
    }

    private func retireIdleWorkers() {
        retireIdleWorkers(
            since: bgrun_boottime_ns().saturatingSubtracting(limits.warmIdle.nanoseconds))
        armIdleTimer()
    }

    /// Ends at most `count` workers, the longest idle first, that have been idle since `time` or longer and that no
    /// pending request needs.
    func retireIdleWorkers(since time: Int64, atMost count: Int = .max) {
        var rest = count
        let idle = warm.values.joined().filter { $0.idleSince <= time && $0.heldFor == nil }
        for worker in idle.sorted(by: { $0.idleSince < $1.idleSince }) where rest > 0 {
            guard isHeard(worker), !hold(worker) else { continue }
            rest -= 1
            removeFromPool(worker)
            retire(worker)
        }
    }

    /// Whether one more worker may start where `most` are permitted; ends idle ones until it may. One attempt can
    /// always run: those that remain may be needed by requests that wait for long.
    func makeCapacity(for most: Int) -> Bool {
        // fits: counts of processes
        var excess: Int { workers.count - retired.count + 1 - most }
        if excess > 0 { retireIdleWorkers(since: .max, atMost: excess) }
        return excess <= 0 || busy.isEmpty && prepared.isEmpty
    }
}
