// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

extension Supervisor {
    /// Call it on SIGCHLD: reaps every child that has ended, then handles the processes left by dead workers.
    package func childrenEnded() {
        var status: Int32 = 0
        var usage = rusage()
        while true {
            let pid = wait4(-1, &status, WNOHANG, &usage)
            if pid < 0, errno == EINTR { continue }
            guard pid > 0 else { break }
            helperProcesses.removeValue(forKey: pid)?(status)
            // A leftover may have the pid of a dead worker whose strays are still being ended.
            guard let worker = workers[pid], worker.death == nil else { continue }
            worker.death = RunningWork.Death(status: status)
            worker.processorAtDeath = ProcessorTime.milliseconds(of: usage)
            worker.parts.dropAll()
            removeFromPool(worker)
        }
        collectStrays()
    }

    /// A closed channel is the first sign of a worker's death, or the work of a handler that closes descriptors it does
    /// not own. Such a worker cannot report anything any more.
    func lostChannel(of worker: WorkerProcess) {
        guard worker.death == nil, worker.isHandlerAlive else { return }
        worker.signs.hasLostChannel = true
        end(worker)
    }

    /// The host's own children, and its workers.
    var knownPids: Set<pid_t> { Set(helperProcesses.keys).union(workers.keys) }

    var livePids: Set<pid_t> {
        Set(helperProcesses.keys).union(workers.values.filter { $0.death == nil }.map(\.pid))
    }

    /// Children that the host has not started; nil if they cannot be listed now.
    func listStrays() -> [pid_t]? {
        let known = knownPids
        return listChildren(getpid())?.filter { !known.contains($0) }
    }

    /// Lists the strays, and records for each new one for which workers it waits; nil if they cannot be listed.
    @discardableResult
    func noteStrays() -> [pid_t]? {
        // The kernel may omit a child from a list while another one ends. If it is found again, it has no more time
        // than before.
        guard let first = listStrays(), let strays = first.isEmpty ? listStrays() : first else {
            return nil
        }
        let terminating = Set(workers.values.filter(\.isTerminating).map(\.pid))
        let waits = strays.map { stray in
            (stray, strayWaits[stray]?.intersection(terminating) ?? terminating)
        }
        strayWaits = Dictionary(waits) { first, _ in first }
        return strays
    }

    /// Processes started by a dead worker are now the host's children, since the host is a child subreaper. The attempt
    /// ends when none of them remains. A handler of a live worker can make its processes the host's children, too. They
    /// have the time of the workers that were sent SIGTERM before they were found, which may have died without being
    /// reaped.
    func collectStrays() {
        let dead = workers.values.filter { $0.death != nil }
        guard !dead.isEmpty || hasStrays else { return }
        guard let strays = noteStrays() else { return lookForStraysLater() }
        if strays.isEmpty {
            hasStrays = false
            for worker in dead { finish(worker) }
        } else if strayWaits.values.contains(where: \.isEmpty) {
            endStrays()
        }
    }

    /// No process remains that could write to its channel: its messages end.
    func finish(_ worker: WorkerProcess) {
        while receive(from: worker) == .bytes {}
        worker.takeInitFailure()
        finishOutput(of: worker)
        forget(worker)
        refuseWaiting(worker.waiting)
        worker.waiting = []
        endWork(of: worker)
    }

    /// Ends the attempt of a worker that has ended.
    func endWork(of worker: WorkerProcess) {
        guard let work = worker.work else { return }
        precondition(busy[work.attempt] === worker, "attempt \(work.attempt) runs elsewhere")
        worker.work = nil
        busy[work.attempt] = nil
        updateMemoryWatch()
        if let resource = work.signs.shortage, work.report == nil {
            return notify(.deferred(attempt: work.attempt, resource))
        }
        notifyEnd(
            of: work.attempt,
            work.end(
                worker.death, hasLoaded: worker.hasLoaded, processor: worker.processorAtDeath,
                confinement: worker.key.confinement))
    }
}
