// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy

/// A report for people: problems first, then a table that fits into a mail.
struct ReportText {
    let report: SpanReport

    var text: String {
        ([heading, attention] + tables + [journal]).compactMap { $0 }.joined(separator: "\n\n")
    }

    private var heading: String {
        let runs = report.tasks.map(\.runs).saturatingSum
        return "\(report.app), \(report.since.localText) to \(report.until.localText): "
            + runs.counted("attempt") + " of " + report.tasks.count.counted("task")
    }

    private var attention: String {
        guard !report.attention.isEmpty else { return "NEEDS ATTENTION\nnothing" }
        return "NEEDS ATTENTION\n"
            + report.attention.map { "\($0.identifier): \($0.text)" }.joined(separator: "\n")
    }

    private var tables: [String?] {
        guard !report.tasks.isEmpty else { return [] }
        var runs = Table("TASK", "RUNS", "OK", "FAILED", "EXPIRED", "OTHER", "SUCCESS", "PROMISE")
        var times = Table("TASK", "LATE P50", "P95", "MAX", "RAN P50", "P95", "MAX")
        var blockers = Table("TASK", "HELD BACK BY", "FOR")
        var energy = Table(
            "ENERGY OF TASK", "LAUNCHES A DAY", "RAN A DAY", "CPU A DAY", "CPU P50", "P95")
        var pushes = Table("TASK", "NEW DATA", "NO DATA", "FAILED")
        for task in report.tasks {
            if let fetched = task.fetched {
                pushes.add([task.identifier] + fetched.map { "\($0.count)" })
            }
            runs.add(
                task.identifier + (task.isDeclared ? "" : " (not declared)"), "\(task.runs)",
                "\(task.completed)", "\(task.failures)", "\(task.expired)", "\(task.interrupted)",
                task.success.map { "\(Int(clamping: $0 * 100))%" } ?? "-",
                task.promise.map { $0.expected == 0 ? "-" : "\($0.kept) of \($0.expected)" } ?? "-")
            if task.runs > 0 {
                times.add(
                    task.identifier, length(task.delay?.p50), length(task.delay?.p95),
                    length(task.delay?.max), length(task.runTime?.p50), length(task.runTime?.p95),
                    length(task.runTime?.max))
            }
            if let processor = task.processorTime {
                let days = days(of: task)
                energy.add(
                    task.identifier, days.map { (Double(task.runs) / $0).tenths } ?? "-",
                    aDay(task.runTime?.sum ?? 0, days), aDay(processor.sum, days),
                    length(processor.p50), length(processor.p95))
            }
            for blocker in task.blockers.prefix(3) {
                blockers.add(task.identifier, blocker.name, length(blocker.milliseconds))
            }
        }
        return [
            runs.text, times.isEmpty ? nil : times.text, pushes.isEmpty ? nil : pushes.text,
            blockers.isEmpty ? nil : blockers.text, energy.isEmpty ? nil : energy.text,
        ]
    }

    /// The days in which the task was known; nil for less than an hour, too short for a daily rate.
    private func days(of task: TaskReport) -> Double? {
        let since = max(report.since, task.knownSince ?? report.since)
        let length = report.until.milliseconds(since: since)
        return length < 3_600_000 ? nil : Double(length) / 86_400_000
    }

    private func aDay(_ sum: Int64, _ days: Double?) -> String {
        length(days.map { Int64(clamping: Double(sum) / $0) })
    }

    private var journal: String? {
        if let gap = report.journalGap { return "The reasons for waiting are incomplete: \(gap)." }
        guard let begins = report.journalBegins, begins > report.since.advanced(by: .minutes(1))
        else { return nil }
        return "The reasons for waiting are known since \(begins.localText)."
    }

    private func length(_ milliseconds: Int64?) -> String {
        milliseconds.map { Interval.milliseconds($0).text } ?? "-"
    }
}
