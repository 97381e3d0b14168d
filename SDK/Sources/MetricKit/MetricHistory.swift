// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The resources used by one attempt, measured in its process.
package struct AttemptFigures: Hashable, Sendable {
    /// Seconds from its start to its end, without the time the machine was asleep.
    package var seconds: Double
    /// Seconds of processor time of the process, user and system.
    package var cpuSeconds: Double
    /// The peak resident memory since the start of the process, in KiB.
    package var peakMemory: Int
    /// Its time was revoked.
    package var isExpired: Bool
    /// The version of the app; empty if unknown.
    package var version: String

    package init(
        seconds: Double, cpuSeconds: Double, peakMemory: Int, isExpired: Bool = false,
        version: String = ""
    ) {
        self.seconds = seconds
        self.cpuSeconds = cpuSeconds
        self.peakMemory = peakMemory
        self.isExpired = isExpired
        self.version = version
    }
}

/// The sums of the attempts that ended on one UTC day.
package struct MetricDay: Codable, Hashable, Sendable {
    /// Days since 1970-01-01.
    package let day: Int
    /// See `AttemptFigures`, as for the next two.
    package private(set) var seconds = 0.0
    package private(set) var cpuSeconds = 0.0
    package private(set) var peakMemory = 0
    package private(set) var normalExits = 0
    package private(set) var expirations = 0
    /// The version of the last attempt.
    package private(set) var version = ""
    package private(set) var hasSeveralVersions = false
    fileprivate(set) var isDelivered = false

    package init(day: Int) {
        self.day = day
    }

    mutating func add(_ attempt: AttemptFigures) {
        let isFirst = normalExits + expirations == 0
        if !isFirst, attempt.version != version { hasSeveralVersions = true }
        version = attempt.version
        seconds += max(0, attempt.seconds)
        cpuSeconds += max(0, attempt.cpuSeconds)
        peakMemory = max(peakMemory, attempt.peakMemory)
        if attempt.isExpired { expirations += 1 } else { normalExits += 1 }
    }

    /// Whether it can be the sum of a day; the file could contain anything.
    fileprivate var isPlausible: Bool {
        let times = 0...1e9
        let counts = 0...1_000_000_000
        return times.contains(seconds) && times.contains(cpuSeconds)
            && (0...(1 << 40)).contains(peakMemory) && counts.contains(normalExits)
            && counts.contains(expirations) && (0...10_000_000).contains(day)
    }

    /// The first instant of the day, and of the next.
    package var begin: Date { Date(timeIntervalSince1970: Double(day) * Self.length) }
    package var end: Date { Date(timeIntervalSince1970: Double(day + 1) * Self.length) }

    /// The day of a date.
    static func number(of date: Date) -> Int {
        Int((date.timeIntervalSince1970 / length).rounded(.down))
    }

    /// Seconds of a UTC day.
    private static let length: TimeInterval = 86_400
}

/// The days of the last week with attempts, in order.
package struct MetricHistory: Codable, Hashable, Sendable {
    package private(set) var days: [MetricDay] = []

    package init() {}

    /// The number of days before the current one that are kept.
    private static let longest = 7

    /// Adds an attempt that ended at `date`.
    package mutating func record(_ attempt: AttemptFigures, at date: Date) {
        forget(at: date)
        let number = MetricDay.number(of: date)
        let index = days.firstIndex { $0.day >= number } ?? days.endIndex
        if index == days.endIndex || days[index].day != number {
            days.insert(MetricDay(day: number), at: index)
        }
        days[index].add(attempt)
    }

    /// The days before that of `date` that were not returned before.
    package mutating func takeUndelivered(at date: Date) -> [MetricDay] {
        forget(at: date)
        let today = MetricDay.number(of: date)
        var taken: [MetricDay] = []
        for index in days.indices where days[index].day < today && !days[index].isDelivered {
            days[index].isDelivered = true
            taken.append(days[index])
        }
        return taken
    }

    /// The days of the last week that `takeUndelivered` has returned.
    package func delivered(at date: Date) -> [MetricDay] {
        var history = self
        history.forget(at: date)
        return history.days.filter(\.isDelivered)
    }

    /// Removes days over a week old, days after tomorrow because of a wrong clock, and implausible
    /// sums.
    private mutating func forget(at date: Date) {
        let today = MetricDay.number(of: date)
        let known = today - Self.longest...today + 1
        days.removeAll { !known.contains($0.day) || !$0.isPlausible }
    }
}
