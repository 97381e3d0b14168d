// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One attempt of a simulated handler.
struct HandlerRun {
    let attempt: Attempt
    private let model: HandlerModel
    private let begun: Int64
    /// The work of the request at the start of the attempt, and the part that a checkpoint had
    /// kept.
    private let work: RequestWork
    /// Its end without further events, in nanoseconds after the scenario's beginning.
    private(set) var endsAt: Int64
    private(set) var outcome: Outcome
    /// The time of its next progress report; nil without one.
    private(set) var nextProgress: Int64?
    private var told: (reason: StopReason, at: Int64)?
    private var wasKilled = false

    struct RequestWork {
        let total: Int64
        var kept: Int64 = 0
    }

    init(
        _ attempt: Attempt, _ model: HandlerModel, _ work: RequestWork, fails: Bool, at now: Int64,
        on device: SimulatedDevice
    ) {
        self.attempt = attempt
        self.model = model
        self.work = work
        begun = now
        let left = work.total.saturatingSubtracting(work.kept)
        endsAt = device.end(of: max(1_000_000, left), from: now)
        outcome = fails ? .failed : .completed
        // Others may report, but the policy uses it for continued work only.
        if attempt.request.kind == .continued, let step = model.progress {
            nextProgress = now.saturatingAdding(step.nanoseconds)
        }
    }

    /// Reports its progress, in milliseconds of work.
    mutating func makeProgress(
        at now: Int64, on device: SimulatedDevice
    ) -> (completed: Int64, total: Int64) {
        nextProgress = model.progress.map { now.saturatingAdding($0.nanoseconds) }
        let done = done(at: now, on: device)
        return (done / 1_000_000, work.total / 1_000_000)
    }

    /// The part of the request's work that is done at `instant`.
    private func done(at instant: Int64, on device: SimulatedDevice) -> Int64 {
        min(work.total, work.kept.saturatingAdding(device.work(from: begun, to: instant)))
    }

    /// Notifies it that its time is over. One that finishes before it would have stopped reports
    /// its result.
    mutating func tell(_ reason: StopReason, at now: Int64, on device: SimulatedDevice) {
        told = (reason, now)
        nextProgress = nil
        let stop = model.stopsIn.map { device.end(of: $0.nanoseconds, from: now) }
        if let stop, stop < endsAt {
            endsAt = stop
            outcome = .expired(reason, reported: false)
        } else {
            outcome = .expired(reason, reported: outcome == .completed)
        }
    }

    /// SIGTERM and SIGKILL: a simulated handler catches neither.
    mutating func kill(at now: Int64) {
        wasKilled = true
        endsAt = now
        if let told { outcome = .expired(told.reason, reported: nil) }
    }

    /// The remaining work of the request, for a possible next attempt.
    func workAfterwards(on device: SimulatedDevice) -> RequestWork {
        var left = work
        switch model.checkpoint {
        case .never: break
        case .whenTold:
            if let told, !wasKilled {
                left.kept = done(at: told.at, on: device)
            }
        case .every(let step):
            let done = done(at: endsAt, on: device)
            left.kept = done - done % step.nanoseconds  // fits: at most `done`
        }
        return left
    }
}
