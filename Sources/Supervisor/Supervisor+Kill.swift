// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunSystem
import CBGRunShims
import Glibc

/// Killing processes that fork fast takes long: it is done in parts, one per round of the loop.
extension Supervisor {
    /// The number of parts done immediately: sufficient for processes that do not fork meanwhile.
    private static let partsAtOnce = 2

    /// Kills a worker and all processes it started. Processes started in the meantime become
    /// children of the host, where they are found.
    func end(_ worker: WorkerProcess) {
        worker.parts.dropAll()
        guard worker.death == nil, sweeps[worker.pid] == nil else { return }
        worker.isEnding = true
        if worker.killNamespace() { return }
        sweeps[worker.pid] = worker.beginKilling { makeSweep($0, { [] }) }
        repeatInRounds { [weak self] in self?.advance(worker) ?? true }
    }

    /// Calls `step` until it returns true: `partsAtOnce` times at once, then once per round.
    private func repeatInRounds(_ step: @escaping () -> Bool) {
        for _ in 0..<Self.partsAtOnce where step() { return }
        continueNextRound(step)
    }

    private func continueNextRound(_ step: @escaping () -> Bool) {
        loop.inNextRound { [weak self] in if !step() { self?.continueNextRound(step) } }
    }

    /// One part; true if there is no more to do.
    private func advance(_ worker: WorkerProcess) -> Bool {
        guard worker.death == nil, sweeps[worker.pid]?.step() == false else {
            sweeps[worker.pid] = nil
            worker.kill()
            return true
        }
        return false
    }

    /// Kills the processes left behind by dead workers.
    func endStrays() {
        guard straySweep == nil else { return }
        // Between two parts of the sweep a worker may be started, and one that was sent SIGTERM may die.
        straySweep = makeSweep(getpid()) { [unowned self] in
            noteStrays()
            return knownPids.union(strayWaits.filter { !$0.value.isEmpty }.keys)
        }
        repeatInRounds { [weak self] in self?.advanceStrays() ?? true }
    }

    private func advanceStrays() -> Bool {
        guard straySweep?.step() == false else {
            straySweep = nil
            return true
        }
        return false
    }

    /// Retries later to find the processes of dead workers, because they cannot be listed now.
    func lookForStraysLater() {
        strayTimer = try? LoopTimer(loop) { [weak self] in self?.collectStrays() }
        guard let strayTimer else {
            return loop.inNextRound { [weak self] in self?.collectStrays() }
        }
        strayTimer.set(elapsed: bgrun_boottime_ns() + 50_000_000)
    }
}
