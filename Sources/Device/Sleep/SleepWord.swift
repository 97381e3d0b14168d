// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The sleep state of logind.
struct SleepNews: Equatable, Sendable {
    /// Whether the machine is about to sleep.
    var isPreparing: Bool
    /// Its wait for the programs that delay it; nil if it does not report that.
    var delay: Interval?
}

/// Whether the machine is about to sleep: logind's report, while it is plausible.
///
/// A machine that stays awake for logind's delay and `timeout` after the report does not sleep: the end
/// was lost. Time asleep does not count: a machine that wakes between suspend and hibernation is still
/// about to sleep.
struct SleepWord {
    /// The time beyond logind's delay. Our choice: writing a hibernation image takes as long.
    static let timeout = Interval.seconds(30)
    /// logind's default, if it does not report its delay.
    static let usualDelay = Interval.seconds(5)

    /// The instant of CLOCK_MONOTONIC at which the report expires; nil without one.
    private(set) var doubtedAt: Int64?
    private var isDoubted = false

    var isAboutToSleep: Bool { doubtedAt != nil && !isDoubted }

    /// Handles a report of logind; nil: no report.
    mutating func hear(_ news: SleepNews?, monotonic: Int64) {
        guard let news, news.isPreparing else {
            doubtedAt = nil
            isDoubted = false
            return
        }
        guard doubtedAt == nil else { return }
        // The setting may be "infinity".
        let delay = min(news.delay ?? Self.usualDelay, .days(1))
        // fits: a day at most
        doubtedAt = monotonic + delay.nanoseconds + Self.timeout.nanoseconds
    }

    /// Checks the expiry of the report.
    mutating func look(monotonic: Int64) {
        if let doubtedAt, doubtedAt <= monotonic { isDoubted = true }
    }
}
