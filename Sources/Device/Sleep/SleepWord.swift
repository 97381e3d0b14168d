// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What logind says of sleep.
struct SleepNews: Hashable, Sendable {
    /// Whether the machine is about to sleep.
    var isPreparing: Bool
    /// How long it waits for the programs that delay it; nil if it does not say.
    var delay: Interval?
}

/// Whether the machine is about to sleep: logind's word, for as long as it can be believed.
///
/// A machine awake for logind's delay and `timeout` since the word does not sleep: the end was lost. Time
/// asleep does not count: one that wakes between suspend and hibernation is still about to sleep.
struct SleepWord {
    /// Beyond logind's delay. Ours: writing a hibernation image takes as long.
    static let timeout = Interval.seconds(30)
    /// logind's default, when it does not say.
    static let usualDelay = Interval.seconds(5)

    /// The instant of CLOCK_MONOTONIC at which the word is doubted; nil when none is given.
    private(set) var doubtedAt: Int64?
    private var isDoubted = false

    var isAboutToSleep: Bool { doubtedAt != nil && !isDoubted }

    /// logind says so, or nothing: nil.
    mutating func hear(_ news: SleepNews?, monotonic: Int64) {
        guard let news, news.isPreparing else {
            doubtedAt = nil
            isDoubted = false
            return
        }
        guard doubtedAt == nil else { return }
        // "infinity" is a setting, too.
        let delay = min(news.delay ?? Self.usualDelay, .days(1))
        // fits: a day at most
        doubtedAt = monotonic + delay.nanoseconds + Self.timeout.nanoseconds
    }

    /// Time has passed.
    mutating func look(monotonic: Int64) {
        if let doubtedAt, doubtedAt <= monotonic { isDoubted = true }
    }
}
