// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import CBGRunPlugin
import CBGRunShims

/// A handler under trial, and its results so far.
final class HandlerBench {
    let task: TrialTask
    let plugin: WorkerMessage.Loaded
    private let bench: PluginBench
    private var attempts: Int64 = 0
    private lazy var firstSeries = Result { try self.runSeries() }
    private lazy var firstPlain = Result { try self.trial(AttemptScript()) }
    private lazy var firstTold = Result { try self.trial(AttemptScript(told: .atFirstSign)) }

    /// Consecutive attempts in one worker.
    struct Series {
        var records: [AttemptRecord] = []
        /// Before the first attempt, and after each.
        var states: [ProcessState] = []
    }

    /// The maximum number of attempts in a series.
    private static let seriesLength = 100

    init(_ bench: PluginBench, _ task: TrialTask, _ plugin: WorkerMessage.Loaded) {
        self.bench = bench
        self.task = task
        self.plugin = plugin
    }

    func keeps(_ flag: UInt32) -> Bool { plugin.flags & flag != 0 }

    /// A hundred attempts with the declared inputs, fewer if they take longer than the limit
    /// together, or if one does not leave the worker idle.
    var series: Series { get throws { try firstSeries.get() } }

    /// An attempt with the declared inputs.
    var plain: AttemptRecord { get throws { try firstPlain.get() } }

    /// An attempt that was notified of its expiry at its first sign of activity.
    var told: AttemptRecord { get throws { try firstTold.get() } }

    private func runSeries() throws -> Series {
        let worker = try site.worker(environment: task.environment)
        defer { worker.end() }
        var series = Series()
        _ = worker.load(within: limit)
        series.states.append(ProcessState(of: worker.process.pid))
        let end = bgrun_monotonic_ns().saturatingAdding(limit)
        repeat {
            let record = attempt(worker, AttemptScript()) { _ in }
            series.records.append(record)
            guard record.isIdle, !record.isTold else { break }
            series.states.append(ProcessState(of: worker.process.pid))
        } while series.records.count < Self.seriesLength && bgrun_monotonic_ns() < end
        return series
    }

    /// The reason why a case with this need is not judged; nil: it is judged.
    func objection(_ need: ConformanceCase.Need) throws -> String? {
        guard need != .nothing else { return nil }
        guard let report = try plain.report, try !plain.cannotBeTold else {
            return "it does not complete an attempt"
        }
        guard need == .success, !report.isSuccess else { return nil }
        let message = report.message.map { ": \($0)" } ?? ""
        return task.isReal
            ? "it reports failure\(message)"
            : "it reports failure without parameters\(message); "
                + "give them with --manifest and --task"
    }

    /// One attempt in a separate worker.
    // Inlined, the copies of its result take 30 kB.
    @inline(never)
    func trial(
        _ script: AttemptScript, on host: HostMessage.Trial = .thisHost,
        _ change: (inout HostMessage.Launch) -> Void = { _ in }
    ) throws -> AttemptRecord {
        let worker = try site.worker(host, environment: task.environment)
        defer { worker.end() }
        switch worker.load(within: limit) {
        case .loaded: return attempt(worker, script, change)
        case .refused(let reason): return lost("it was refused: \(reason)")
        case .died(let how): return lost(how, isDead: true)
        case .hung: return lost("entry or init did not return")
        }
    }

    private func lost(_ why: String, isDead: Bool = false) -> AttemptRecord {
        var record = AttemptRecord(attempt: 0)
        record.death = why
        record.isDead = isDead
        return record
    }

    private func attempt(
        _ worker: TrialWorker, _ script: AttemptScript,
        _ change: (inout HostMessage.Launch) -> Void
    ) -> AttemptRecord {
        attempts += 1
        var launch = HostMessage.Launch(
            attempt: attempts, identifier: task.identifier, kind: task.kind.rawValue,
            attemptNumber: 1, action: .handler(task.handler), parameters: task.parameters,
            manifestDirectory: task.directory,
            deadlineBoottime: bgrun_boottime_ns().saturatingAdding(limit),
            assertionLimitNanoseconds: grace,
            device: HostMessage.Device(
                externalPower: 1, batteryPercent: 80, lowPowerMode: 0, network: 1,
                networkMetered: 0, userIdle: 1, thermalState: 0), checkpoint: nil)
        change(&launch)
        guard launch.fitsInFrame else {
            return lost("its parameters and checkpoint are over 4 MiB together")
        }
        var trial = TrialAttempt(
            worker, launch, script, limit: limit, grace: grace,
            permits: bench.options.permits ?? { _ in true })
        return trial.run()
    }

    var knowsPermitted: Bool { bench.options.permits != nil }
    var limit: Int64 { bench.options.limit.nanoseconds }
    var grace: Int64 { bench.options.grace.nanoseconds }
    private var site: TrialSite { bench.site }
}
