// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Starts and stops transfers to match the present conditions.
extension TransferService {
    /// Returns when to check again, on the elapsed clock; nil: at the next event.
    func settle(at now: Instant) -> Int64? {
        var next: Int64?
        func wake(at date: WallTime) {
            let delay = max(0, date.milliseconds(since: now.wall))
            let due = Interval.milliseconds(delay).nanoseconds.addingReportingOverflow(now.elapsed)
            if !due.overflow { next = min(next ?? .max, due.partialValue) }
        }
        var candidates: [ConnectionRule.Candidate] = []
        var running: [String: Int] = [:]
        order.removeAll { entries[$0] == nil }
        for entry in order.lazy.compactMap({ self.entries[$0] }) where !entry.transfer.isFinished {
            if entry.transfer.wanted.isCancelled {
                cancel(entry)
                continue
            }
            if let deadline = entry.deadline(asOf: now.elapsed, boot: boot),
                entry.run?.isFinishing != true
            {
                guard now.elapsed < deadline else {
                    expire(entry)
                    continue
                }
                next = min(next ?? .max, deadline)
            }
            let wait = TransferGate.wait(
                of: entry.transfer, under: conditions, budget: budget, policy: policy,
                at: now.wall)
            if let date = wait?.until { wake(at: date) }
            guard let run = entry.run else {
                entry.wait = wait
                guard wait == nil else { continue }
                candidates.append(
                    ConnectionRule.Candidate(
                        id: entry.id, host: entry.host ?? "", limit: entry.request.connections))
                continue
            }
            guard !run.isFinishing else { continue }
            if let wait {
                halt(entry)
                entry.wait = wait
            } else {
                running[entry.host ?? "", default: 0] += 1
            }
        }
        admit(candidates, running)
        return next
    }

    private func admit(_ candidates: [ConnectionRule.Candidate], _ running: [String: Int]) {
        let outcome = ConnectionRule.admit(candidates, running: running, policy: policy)
        for (id, wait) in outcome.waiting { entries[id]?.wait = wait }
        moverCount = running.values.reduce(outcome.admitted.count, +)
        for id in outcome.admitted {
            guard let entry = entries[id] else { continue }
            entry.wait = nil
            guard entry.host != nil else {
                give(
                    up: entry,
                    TransferProblem(
                        .badURL,
                        "\"\(entry.request.url)\" is not an http or https address; correct it"))
                continue
            }
            let run =
                entry.request.direction == .upload
                ? UploadRun(entry, self) : DownloadRun(entry, self)
            entry.run = run
            run.start()
        }
    }

    /// Stops a run; the received part stays.
    func halt(_ entry: Entry) {
        guard let run = entry.run else { return }
        guard !run.isServed else { return finished(run, .completed) }
        entry.run = nil
        entry.progress.isRunning = false
        changed(entry)
    }

    private func expire(_ entry: Entry) {
        let seconds = entry.request.resourceTimeout.nanoseconds / 1_000_000_000
        let last = entry.progress.problem.map { " (last: \($0))" } ?? ""
        give(
            up: entry,
            TransferProblem(.timedOut, "it was not done \(seconds) s after it had begun\(last)"))
    }
}
