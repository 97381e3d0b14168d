// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Counts an app's attempts from one read of its store to the next, so that a counter never decreases:
/// neither when the store drops old attempts, nor when the counting process is restarted.
package struct MetricsTally: Codable, Equatable, Sendable {
    /// By task identifier in the manifest.
    private(set) var tasks: [String: Task] = [:]
    /// Every attempt up to this one has been counted.
    package private(set) var through: Int64
    /// Counted attempts after it, which follow one that was still running.
    private var counted: Set<Int64> = []
    /// Counts further tasks as `other`: very many series would be expensive to store.
    private let maximum: Int

    struct Task: Codable, Equatable, Sendable {
        /// Finished attempts, by outcome and reason: `completed`, `expired/power-lost`.
        var ended: [String: Int] = [:]
        var runTime = Histogram()
        var delay = Histogram()
        var failuresInARow = 0
        var lastSuccess: WallTime?
    }

    /// The number of durations up to each bound.
    struct Histogram: Codable, Equatable, Sendable {
        /// Upper bounds in milliseconds.
        static let bounds: [Int64] = [
            100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000,
        ]
        /// One count for each bound, and one for longer durations.
        private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
        /// Milliseconds.
        private(set) var sum: Int64 = 0

        mutating func add(_ milliseconds: Int64) {
            let index = Self.bounds.firstIndex { milliseconds <= $0 } ?? Self.bounds.count
            counts[index] = counts[index].saturatingAdding(1)
            sum = sum.saturatingAdding(milliseconds)
        }

        fileprivate mutating func clamp() {
            let all = Self.bounds.count + 1
            counts = counts.prefix(all).map(ReportLimits.count)
            counts += [Int](repeating: 0, count: all - counts.count)
            sum = ReportLimits.length(sum)
        }
    }

    /// The name that further tasks are counted as.
    package static let other = "other"

    /// - Parameters:
    ///   - through: The attempt after which counting begins.
    ///   - maximum: The maximum number of separately counted tasks.
    package init(through: Int64, maximum: Int = 500) {
        self.through = through
        self.maximum = maximum
    }

    /// Counts an attempt, once.
    /// - Parameters:
    ///   - task: The task it is counted for.
    ///   - isFirst: Whether it is the first one of its request, so that its delay counts.
    package mutating func add(_ run: Run, as task: String, isFirst: Bool) {
        guard run.attempt > through, counted.insert(run.attempt).inserted else { return }
        let isKnown = tasks[task] != nil || tasks.count < maximum
        var entry = tasks[isKnown ? task : Self.other] ?? Task()
        var key = run.outcome.name
        if let reason = run.outcome.reason { key += "/" + reason }
        entry.ended.countUp(key)
        if let duration = run.duration { entry.runTime.add(duration.nanoseconds / 1_000_000) }
        if isFirst { entry.delay.add(run.late) }
        switch run.outcome.isFailure {
        case true?: entry.failuresInARow = entry.failuresInARow.saturatingAdding(1)
        case false?:
            entry.failuresInARow = 0
            entry.lastSuccess = max(entry.lastSuccess ?? run.ended, run.ended)
        case nil: break
        }
        tasks[isKnown ? task : Self.other] = entry
    }

    /// All attempts up to `newest` were passed to `add`, except those in `running`.
    package mutating func settle(newest: Int64, running: [Int64]) {
        through = max(through, min(newest, (running.min() ?? .max).saturatingSubtracting(1)))
        counted = counted.filter { $0 > through }
    }

    /// The same with every number clamped to a range without overflow, and a count for each bound: a tally
    /// comes from a file, or from another user's process.
    package var clamped: MetricsTally {
        var copy = self
        copy.tasks = tasks.mapValues { task in
            var task = task
            task.ended = task.ended.mapValues(ReportLimits.count)
            task.runTime.clamp()
            task.delay.clamp()
            task.failuresInARow = ReportLimits.count(task.failuresInARow)
            task.lastSuccess = task.lastSuccess.map(ReportLimits.date)
            return task
        }
        return copy
    }
}
