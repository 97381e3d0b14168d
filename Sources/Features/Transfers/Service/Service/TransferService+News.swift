// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import CBGRunShims

/// Stores and reports changes, also while bytes move.
extension TransferService {
    /// Nanoseconds between two progress reports.
    private static let tellPause: Int64 = 200_000_000
    /// Nanoseconds between two writes of the progress.
    private static let storePause: Int64 = 1_000_000_000
    /// Nanoseconds after which received data is synced.
    private static let syncPause: Int64 = 30_000_000_000
    /// Nanoseconds after which a failed write to the database is retried.
    private static let storeRetry: Int64 = 5_000_000_000

    /// The row has changes for recipients: stores and reports it at the end of this round.
    func changed(_ entry: Entry) {
        news.insert(entry.id)
        planRound()
    }

    /// The row has a change for which no recipient waits.
    func note(_ entry: Entry) {
        moving.insert(entry.id)
        armTick(at: storedAt + Self.storePause)
    }

    /// Calls `then` when the row is stored.
    func commit(_ entry: Entry, then: @escaping () -> Void) {
        commits[entry.id] = then
        changed(entry)
    }

    func moved(_ entry: Entry, _ count: Int) {
        moving.insert(entry.id)
        if untold.insert(entry.id).inserted { armTick(at: bgrun_boottime_ns() + Self.tellPause) }
        guard conditions.metered == .yes else { return }
        let now = Self.now.wall
        budget.count(Int64(count), policy, at: now)
        isBudgetStored = false
        if budget.closedUntil(policy, at: now) != nil { evaluateSoon() }
    }

    /// Stores changes, then reports them. Retries failed writes: no change is lost while the process lives.
    func storeNews() {
        guard !news.isEmpty else { return }
        let ids = news.sorted()
        let ends = ids.contains { entries[$0]?.transfer.isFinished == true }
        guard save(ids, ends ? .full : .normal) else {
            return armTick(at: bgrun_boottime_ns() + Self.storeRetry)
        }
        news = []
        for id in ids where entries[id]?.transfer.isFinished == true { entries[id] = nil }
        tell(.changed(ids))
        for id in ids { commits.removeValue(forKey: id)?() }
        if isIdle { evaluateSoon() }
    }

    /// The row is on the disk on return.
    func storeNow(_ entry: Entry) throws(TransferProblem) {
        guard save([entry.id], .full) else {
            throw TransferProblem(
                .noSpace, "\(store.path) cannot be written; it continues when it can")
        }
    }

    private func save(_ ids: [Int64], _ durability: Durability) -> Bool {
        let elapsed = bgrun_boottime_ns()
        let rows = ids.compactMap { id in
            entries[id].map { entry in
                entry.countTime(to: elapsed, boot)
                return (id: id, entry.progress)
            }
        }
        do throws(StoreError) {
            try store.save(rows, metered: isBudgetStored ? nil : budget, durability)
            isBudgetStored = true
            moving.subtract(ids)
            isStoring = true
            return true
        } catch {
            // What it has received is kept: the next service continues as after a kill.
            if case .replaced = error { ServiceMain.exit(error) }
            if isStoring { ServiceMain.say("\(error.message); it is tried again") }
            isStoring = false
            return false
        }
    }

    func armTick(at due: Int64) {
        guard due < tickAt else { return }
        tickAt = due
        tickTimer?.set(elapsed: due)
    }

    func tick() {
        tickAt = .max
        let now = bgrun_boottime_ns()
        if !untold.isEmpty {
            let progress = untold.sorted().compactMap { id in
                entries[id].map {
                    ServiceNotice.Progress(
                        id: id, bytes: $0.progress.bytes, total: $0.progress.total)
                }
            }
            untold = []
            tell(.progress(progress))
        }
        if now >= storedAt + Self.storePause, !moving.isEmpty { storeProgress(at: now) }
        for entry in entries.values {
            guard let run = entry.run, !run.isFinishing else { continue }
            let due = run.lastActivity + run.timeout
            if due > now { armTick(at: due) } else { timeOut(run) }
        }
        if !moving.isEmpty { armTick(at: storedAt + Self.storePause) }
        storeNews()
    }

    private func storeProgress(at now: Int64) {
        storedAt = now
        let moved = moving
        _ = save(moved.sorted(), .normal)
        for id in moved { (entries[id]?.run as? DownloadRun)?.syncIfDue(now, Self.syncPause) }
    }

    private func timeOut(_ run: TransferRun) {
        let seconds = Double(run.entry.request.requestTimeout.nanoseconds) / 1e9
        failed(run, TransferProblem(.timedOut, "the server was silent for \(seconds) s"))
    }
}
