// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor

/// Revokes a task's time at every checkpoint and at random moments, and examines the results.
package struct Exercise {
    private let handler: HandlerBench
    private let rounds: Int
    private let prepare: () throws -> Void

    /// The maximum number of checkpoints at which an attempt is notified: the first ones.
    private static let mostCheckpoints = 50

    /// The maximum number of attempts that have to be killed: each takes the grace period.
    private static let mostHangs = 3

    /// A fault, with its moment.
    package struct Finding: Equatable, Sendable {
        package var rule: Rule
        /// The moment of the notification.
        package var moment: String
        package var message: String
    }

    package struct Report: Sendable {
        package var checkpoints = 0
        package var moments = 0
        /// The number of attempts that were notified before they had reported.
        package var told = 0
        /// Whether any attempt stored something.
        var hasStored = false
        /// The number of attempts that had to be killed.
        var hangs = 0
        /// The shortest time to a report without a notification, in nanoseconds: the machine may have been busy before.
        var shortest: Int64
        /// One of each rule: the first one found.
        package var findings: [Finding] = []
        /// Notes for the author, a sentence each.
        package var notes: [String] = []

        init(shortest: Int64) { self.shortest = shortest }
    }

    /// - Parameters:
    ///   - rounds: The number of random moments.
    ///   - prepare: Undoes the work, before each first attempt.
    package init(
        _ site: TrialSite, _ options: TrialOptions, task: TrialTask, rounds: Int,
        prepare: @escaping () throws -> Void
    ) throws {
        let bench = PluginBench(site, options)
        guard case .loaded(let loaded) = try bench.loading.0 else {
            let isDeath = if case .died = try bench.loading.0 { true } else { false }
            throw Problem(message: try bench.loading.0.text, isDeath: isDeath)
        }
        handler = HandlerBench(bench, task, loaded)
        self.rounds = rounds
        self.prepare = prepare
    }

    /// The reason why the task cannot be exercised.
    package struct Problem: Error {
        package var message: String
        /// Whether its worker died.
        package var isDeath: Bool

        package init(message: String, isDeath: Bool = false) {
            self.message = message
            self.isDeath = isDeath
        }
    }

    /// Blocks; runs the task about twice for each moment.
    package func run(using random: inout some RandomNumberGenerator) throws -> Report {
        try prepare()
        let plain = try handler.plain
        var report = Report(shortest: max(1, plain.nanoseconds))
        guard let ending = plain.report, !plain.cannotBeTold else {
            throw Problem(
                message: "without being told it does not complete: \(plain.silence)",
                isDeath: plain.isDead)
        }
        guard !plain.isOverdue else {
            throw Problem(message: "it takes longer than the time limit; raise --timeout")
        }
        guard ending.isSuccess else {
            throw Problem(message: "without being told it reports failure: \(plain.message)")
        }
        try exerciseCheckpoints(plain, &report)
        for _ in 0..<rounds where report.hangs < Self.mostHangs {
            let nanoseconds = Int64.random(in: 0...report.shortest, using: &random)
            let moment = "after \(nanoseconds / 1_000) us"
            try exercise(AttemptScript(told: .after(nanoseconds)), moment, plain, &report)
            report.moments += 1
        }
        if report.hangs == Self.mostHangs {
            report.notes.append("given up after \(report.hangs) attempts that had to be ended")
        }
        if report.told == 0 {
            report.notes.append("it always ended before it could be told: give it more to do")
        }
        if try handler.told.cannotBeTold {
            report.notes.append("it has no expire callback: it is ended at once, unsaved")
        } else if !report.hasStored, plain.checkpointCount == 0 {
            report.notes.append(
                "it stores no checkpoint: the next attempt must see from the work itself what is done"
            )
        }
        return report
    }

    private func exerciseCheckpoints(_ plain: AttemptRecord, _ report: inout Report) throws {
        let count = min(plain.checkpointCount, Self.mostCheckpoints)
        for number in stride(from: 1, through: count, by: 1)
        where report.hangs < Self.mostHangs {
            let script = AttemptScript(told: .atCheckpoint(number))
            try exercise(script, "at checkpoint \(number)", plain, &report)
            report.checkpoints += 1
        }
        if count > 1, report.hangs < Self.mostHangs { try exercisePieces(plain, &report) }
    }

    /// Notifies one attempt, then lets the next continue from its checkpoint.
    private func exercise(
        _ script: AttemptScript, _ moment: String, _ plain: AttemptRecord, _ report: inout Report
    ) throws {
        try prepare()
        let told = try handler.trial(script)
        func add(_ rule: Rule, _ message: String) {
            guard !report.findings.contains(where: { $0.rule == rule }) else { return }
            report.findings.append(Finding(rule: rule, moment: moment, message: message))
        }
        if told.isTold, !told.wasTooQuick {
            report.told += 1
        } else if told.report != nil {
            report.shortest = min(report.shortest, max(1, told.nanoseconds))
        }
        if told.checkpointCount > 0 { report.hasStored = true }
        if !told.isIdle, told.death == nil, !told.cannotBeTold { report.hangs += 1 }
        judgeEnd(of: told, add)
        guard told.report?.isSuccess != true, let checkpoint = told.checkpoint,
            !checkpoint.data.isEmpty
        else { return }
        let next = try handler.trial(AttemptScript()) { launch in
            launch.checkpoint = checkpoint
            launch.attemptNumber = 2
        }
        guard next.report?.isSuccess == true else {
            return add(
                .resume,
                "given the checkpoint, the next attempt did not succeed: "
                    + (next.report == nil ? next.silence : next.message))
        }
        if let loss = loss(told, next, plain) { add(.lostWork, loss) }
    }

    private func judgeEnd(of told: AttemptRecord, _ add: (Rule, String) -> Void) {
        if let death = told.death {
            add(.crash, told.report == nil ? death : "it reported, and then \(death)")
        } else if told.report == nil {
            add(.grace, "no report: \(told.silence)")
        } else if !told.isIdle, !told.cannotBeTold, told.heldAssertions.isEmpty {
            add(.returns, "it reported, and then \(told.silence)")
        }
        // For a handler without `expire`, bgrun makes the first report.
        if !told.cannotBeTold, told.hasCompletedAgain {
            add(.twice, "complete was called again after the report")
        }
        if !told.heldAssertions.isEmpty {
            add(.assertion, "held to the end: \(told.heldAssertions.joined(separator: ", "))")
        }
    }

    /// The work that the second attempt repeated although the first had stored it.
    private func loss(
        _ told: AttemptRecord, _ next: AttemptRecord, _ plain: AttemptRecord
    ) -> String? {
        // Many report 0 before they have read the checkpoint.
        let first = next.progress.first { $0.completed > 0 }
        if let stored = told.progressAtCheckpoint, let first {
            // A step may be reported before or after it is done.
            let tolerance = max(1, stored.total / 20)
            guard first.completed < stored.completed.saturatingSubtracting(tolerance),
                first.total == stored.total
            else { return nil }
            return "it had stored a checkpoint at \(stored.completed) of \(stored.total); "
                + "the next attempt began at \(first.completed)"
        }
        guard told.checkpointCount > 1, next.checkpointCount >= plain.checkpointCount else {
            return nil
        }
        return "it had stored \(told.checkpointCount) checkpoints; the next attempt stored all "
            + "\(plain.checkpointCount) again"
    }

    /// Notifies every attempt at its first checkpoint: the task must finish within as many attempts as there are
    /// checkpoints.
    private func exercisePieces(_ plain: AttemptRecord, _ report: inout Report) throws {
        let most = min(plain.checkpointCount, Self.mostCheckpoints) + 5
        var checkpoint: HostMessage.Checkpoint?
        try prepare()
        for number in 1...most {
            let script = AttemptScript(told: .atCheckpoint(1))
            let record = try handler.trial(script) { launch in
                launch.checkpoint = checkpoint
                launch.attemptNumber = UInt32(number)  // fits: at most 55
            }
            guard record.report?.isSuccess == false else { return }
            guard let newest = record.checkpoint else { continue }
            if newest == checkpoint, !newest.data.isEmpty {
                let message = "attempt \(number) stored what attempt \(number - 1) had stored"
                report.findings.append(
                    Finding(
                        rule: .standstill, moment: "at the first checkpoint of each attempt",
                        message: message))
                return
            }
            checkpoint = newest
        }
    }
}
