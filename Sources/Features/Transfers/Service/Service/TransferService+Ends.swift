// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// How transfers begin, fail and end.
extension TransferService {
    func begun(_ run: TransferRun) {
        let entry = run.entry
        if entry.progress.began == nil {
            entry.progress.began = Self.now.wall
            // Its resource timeout starts now.
            evaluateSoon()
        }
        entry.progress.isRunning = true
        entry.progress.retryAt = nil
        changed(entry)
        armTick(at: run.lastActivity + run.timeout)
    }

    /// A try has failed: retries, or ends the transfer.
    func failed(_ run: TransferRun, _ problem: TransferProblem) {
        let entry = run.entry
        guard entry.run === run else { return }
        if run.isServed {
            discard(entry)
            return finished(run, .completed)
        }
        entry.run = nil
        let now = Self.now.wall
        let verdict = TransferRetryRule.verdict(
            on: problem.failure, status: problem.status, retryAfter: problem.retryAfter,
            // fits: at most 2^32
            failures: entry.progress.failures + 1, retry: entry.request.retry,
            network: conditions.network, at: now)
        entry.highWater = max(entry.highWater, entry.progress.bytes)
        var progress = entry.progress
        progress.isRunning = false
        progress.failure = problem.failure
        progress.problem = problem.sentence
        switch verdict {
        case .retry(let date):
            if problem.failure != .noSpace { progress.failures += 1 }  // fits: at most 2^32
            progress.retryAt = date
        case .waitForNetwork(let date):
            progress.retryAt = date
        case .fail:
            return give(up: entry, problem)
        }
        entry.progress = progress
        changed(entry)
        evaluateSoon()
    }

    /// Its file is in its place.
    func finished(_ run: TransferRun, _ result: TransferResult) {
        let entry = run.entry
        if result == .unchanged {
            discard(entry)
            entry.progress.file = entry.request.file
        }
        if entry.request.direction == .upload { entry.progress.bytes = entry.progress.total ?? 0 }
        end(entry, result)
    }

    func give(up entry: Entry, _ problem: TransferProblem) {
        discard(entry)
        entry.progress.failure = problem.failure
        entry.progress.problem = problem.sentence
        end(entry, .failed)
    }

    /// - Parameter force: Also while its file is being moved to its place.
    func cancel(_ entry: Entry, force: Bool = false) {
        guard force || entry.run?.isFinishing != true else { return }
        entry.run?.sync()
        let isKept =
            entry.transfer.wanted == .cancelledResumable && entry.request.direction == .download
            && entry.progress.validator != nil && entry.progress.bytes > 0
        if !isKept { discard(entry) }
        entry.progress.file = isKept ? entry.places.partial : nil
        entry.progress.failure = .cancelled
        entry.progress.problem = "it was cancelled"
        end(entry, .cancelled)
    }

    /// Removes the partial file; also the one that a run is about to create.
    private func discard(_ entry: Entry) {
        let places = entry.places
        places.removePartial()
        guard entry.run != nil else { return }
        disk.run(for: entry.id) {
            places.removePartial()
        } then: { _ in
        }
    }

    func end(_ entry: Entry, _ result: TransferResult) {
        var progress = entry.progress
        progress.isRunning = false
        progress.retryAt = nil
        progress.result = result
        progress.finished = Self.now.wall
        if result == .completed || result == .unchanged {
            progress.failures = 0
            progress.failure = nil
            progress.problem = nil
        }
        entry.progress = progress
        entry.run = nil
        changed(entry)
        evaluateSoon()
    }
}
