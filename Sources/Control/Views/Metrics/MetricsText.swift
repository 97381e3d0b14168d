// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The metrics of one app.
package struct AppMetrics: Codable, Sendable {
    package var overview: AppOverview
    package var tally: MetricsTally
    /// The tasks of the manifest; each has its series, even without events.
    var tasks: [String]
    /// Running attempts by task.
    private(set) var running: [String: Int] = [:]
    /// Pending requests by task.
    private(set) var pending: [String: Int]
    /// Nil for an app that never had a transfer.
    package var transfers: Transfers?

    /// The unfinished transfers, and the last finished ones.
    package struct Transfers: Codable, Sendable {
        /// By the word of their state, such as `running`.
        package var counts: [String: Int]
        /// The transferred bytes, by `download` and `upload`.
        package var bytes: [String: Int64]

        package init(counts: [String: Int], bytes: [String: Int64]) {
            self.counts = counts
            self.bytes = bytes
        }
    }

    /// The same with every number clamped to a range without overflow: it may come from another user's process.
    package var clamped: AppMetrics {
        var copy = self
        copy.overview = overview.clamped
        copy.tally = tally.clamped
        copy.running = running.mapValues(ReportLimits.count)
        copy.pending = pending.mapValues(ReportLimits.count)
        copy.transfers = transfers.map {
            Transfers(
                counts: $0.counts.mapValues(ReportLimits.count),
                bytes: $0.bytes.mapValues(ReportLimits.length))
        }
        return copy
    }

    /// - Parameter task: The task of an identifier.
    package init(
        overview: AppOverview, tally: MetricsTally, tasks: [String], pending: [String: Int],
        task: (String) -> String
    ) {
        self.overview = overview
        self.tally = tally
        self.tasks = tasks
        self.pending = pending
        for attempt in overview.running { running.countUp(task(attempt.identifier)) }
    }
}

/// Metrics in the text format of Prometheus, version 0.0.4.
package struct MetricsText: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let apps: [AppMetrics]
    private let version: String

    package init(_ apps: [AppMetrics], version: String) {
        self.apps = apps
        self.version = version
    }

    package var text: String {
        var families: [Family] = []
        var info = Family("bgrun_info", .gauge, "The version of bgrun that tells this.")
        info.add(1, [("version", version)])
        families.append(info)
        families += hostFamilies
        families += attemptFamilies
        families += histograms
        families += slotFamilies
        families += transferFamilies
        return families.filter { !$0.samples.isEmpty }.map(\.text).joined()
    }

    // MARK: families

    private var hostFamilies: [Family] {
        var up = Family("bgrun_up", .gauge, "Whether a host of the app runs.")
        var started = Family(
            "bgrun_host_start_time_seconds", .gauge, "When the host started, since 1970.")
        var waits = Family(
            "bgrun_store_busy", .gauge,
            "Whether the host waits for another program that writes to its store.")
        for metrics in apps {
            let app = ("app", metrics.overview.app)
            let host = metrics.overview.host
            up.add(host == nil ? 0 : 1, [app])
            if let since = host?.since { started.add(seconds: since.milliseconds, [app]) }
            if let host { waits.add(host.waitsForStoreSince == nil ? 0 : 1, [app]) }
        }
        return [up, started, waits]
    }

    private var attemptFamilies: [Family] {
        var launches = Family("bgrun_launches_total", .counter, "Attempts that were launched.")
        var ended = Family(
            "bgrun_attempts_ended_total", .counter, "Attempts that ended, by how and why.")
        var running = Family("bgrun_running_attempts", .gauge, "Attempts that run.")
        var pending = Family("bgrun_pending_requests", .gauge, "Requests that wait.")
        var failures = Family(
            "bgrun_failures_in_a_row", .gauge, "Failures since the last attempt that completed.")
        var success = Family(
            "bgrun_last_success_timestamp_seconds", .gauge,
            "When the last attempt completed, since 1970.")
        for metrics in apps {
            for task in names(metrics) {
                let labels = [("app", metrics.overview.app), ("task", task)]
                let tally = metrics.tally.tasks[task] ?? .init()
                let over = tally.ended.values.saturatingSum
                let now = metrics.running[task] ?? 0
                launches.add(over.saturatingAdding(now), labels)
                for (key, count) in tally.ended.sorted(by: { $0.key < $1.key }) {
                    let parts = key.split(
                        separator: "/", maxSplits: 1, omittingEmptySubsequences: false
                    ).map(String.init)
                    ended.add(
                        count,
                        labels + [
                            ("outcome", parts[0]), ("reason", parts.count > 1 ? parts[1] : ""),
                        ])
                }
                running.add(now, labels)
                pending.add(metrics.pending[task] ?? 0, labels)
                failures.add(tally.failuresInARow, labels)
                if let date = tally.lastSuccess {
                    success.add(seconds: date.milliseconds, labels)
                }
            }
        }
        return [launches, ended, running, pending, failures, success]
    }

    private var histograms: [Family] {
        var ran = Family("bgrun_run_seconds", .histogram, "How long attempts ran.")
        var late = Family(
            "bgrun_launch_delay_seconds", .histogram,
            "From the date at which a request was due to its first launch.")
        for metrics in apps {
            for task in names(metrics) {
                let labels = [("app", metrics.overview.app), ("task", task)]
                guard let tally = metrics.tally.tasks[task] else { continue }
                ran.add(tally.runTime, labels)
                late.add(tally.delay, labels)
            }
        }
        return [ran, late]
    }

    private var slotFamilies: [Family] {
        var left = Family(
            "bgrun_budget_left_ratio", .gauge, "Which part of a budget is left, 0 to 1.")
        var time = Family(
            "bgrun_running_time_budget_left_seconds", .gauge, "Running time that is left.")
        var device = Family(
            "bgrun_device_condition", .gauge,
            "1: permits discretionary work; 0: does not. Unknown conditions are omitted.")
        var battery = Family("bgrun_device_battery_ratio", .gauge, "The charge, 0 to 1.")
        for metrics in apps {
            let app = ("app", metrics.overview.app)
            for budget in metrics.overview.budgets where budget.limit > 0 {
                let rest = max(0, budget.limit.saturatingSubtracting(budget.used))
                left.add(Double(rest) / Double(budget.limit), [app, ("budget", budget.name)])
                if budget.isTime { time.add(seconds: rest, [app]) }
            }
            for band in metrics.overview.device {
                if let isGood = band.isGood {
                    device.add(isGood ? 1 : 0, [app, ("condition", band.name)])
                }
                if band.name == "battery", band.value.hasSuffix("%"),
                    let percent = Double(band.value.dropLast())
                {
                    battery.add(percent / 100, [app])
                }
            }
        }
        return [left, time, device, battery]
    }

    private var transferFamilies: [Family] {
        var counts = Family("bgrun_transfers", .gauge, "Transfers, by state.")
        var bytes = Family("bgrun_transfer_bytes", .gauge, "Bytes moved of these transfers.")
        for metrics in apps {
            guard let transfers = metrics.transfers else { continue }
            let app = ("app", metrics.overview.app)
            for (state, count) in transfers.counts.sorted(by: { $0.key < $1.key }) {
                counts.add(count, [app, ("state", state)])
            }
            for (direction, moved) in transfers.bytes.sorted(by: { $0.key < $1.key }) {
                bytes.add(Int(moved), [app, ("direction", direction)])
            }
        }
        return [counts, bytes]
    }

    /// The tasks of the manifest, then others that were counted.
    private func names(_ metrics: AppMetrics) -> [String] {
        let known = Set(metrics.tasks)
        return metrics.tasks + metrics.tally.tasks.keys.filter { !known.contains($0) }.sorted()
    }
}

/// A metric with its samples.
private struct Family {
    enum Sort: String {
        case counter, gauge, histogram
    }

    let name: String
    private let sort: Sort
    private let help: String
    private(set) var samples: [String] = []

    init(_ name: String, _ sort: Sort, _ help: String) {
        self.name = name
        self.sort = sort
        self.help = help
    }

    var text: String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(sort.rawValue)\n" + samples.joined()
    }

    mutating func add(
        _ value: some Numeric & CustomStringConvertible, _ labels: [(String, String)]
    ) {
        add("", "\(value)", labels)
    }

    /// Adds a date or a duration, in milliseconds.
    mutating func add(seconds milliseconds: Int64, _ labels: [(String, String)]) {
        add("", Self.seconds(milliseconds), labels)
    }

    mutating func add(_ histogram: MetricsTally.Histogram, _ labels: [(String, String)]) {
        var below = 0
        let bounds = MetricsTally.Histogram.bounds.map(Self.seconds) + ["+Inf"]
        for (bound, count) in zip(bounds, histogram.counts) {
            below = below.saturatingAdding(count)
            add("_bucket", "\(below)", labels + [("le", bound)])
        }
        add("_sum", Self.seconds(histogram.sum), labels)
        add("_count", "\(below)", labels)
    }

    private mutating func add(_ suffix: String, _ value: String, _ labels: [(String, String)]) {
        let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        samples.append("\(name)\(suffix){\(list)} \(value)\n")
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        let rest = milliseconds % 1_000
        guard rest != 0 else { return "\(milliseconds / 1_000)" }
        return "\(milliseconds / 1_000)." + rest.magnitude.digits(3)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
