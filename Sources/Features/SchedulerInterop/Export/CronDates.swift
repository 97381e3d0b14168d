// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// A task's schedule as cron expressions.
struct CronDates {
    /// Empty if only a trigger or a person starts it.
    var expressions: [String] = []
    var zone: String?

    /// Why there are no expressions.
    struct Failure: Error {
        var message: String
    }

    /// - Parameters:
    ///   - keepsRanges: Whether the target resolves `a~b` itself.
    ///   - notes: Receives notes about differences.
    init(
        _ task: PortableTask, keepsRanges: Bool, _ notes: inout Exported
    ) throws(Failure) {
        zone = task.zone
        switch task.schedule {
        case .manual: break
        case .every(let interval):
            guard let expression = Self.expression(interval) else {
                throw Failure(
                    message: "no cron expression has this spacing: \(Quantity.text(interval))")
            }
            expressions = [expression]
            notes.note(
                .changed, task, "every: \(Quantity.text(interval))",
                "it is launched at round times, not counted from the last launch")
        case .cron(let text): expressions = [try Self.settled(text, task, keepsRanges, &notes)]
        case .calendar(let all):
            for one in all {
                guard let (fields, zone) = CronFields.fields(ofCalendar: one) else {
                    throw Failure(message: "cron cannot say \"\(one)\"")
                }
                if let zone {
                    guard all.count == 1 else {
                        throw Failure(message: "several zones in one list")
                    }
                    self.zone = zone
                }
                expressions.append(fields.text)
            }
        }
    }

    /// The expressions for cron readers written in Go: Sunday is 0, and a step after `*` is a restriction, so that with
    /// both kinds of days either counts.
    init(forCluster task: PortableTask, _ notes: inout Exported) throws(Failure) {
        try self.init(task, keepsRanges: false, &notes)
        for index in expressions.indices where !expressions[index].hasPrefix("@") {
            guard var fields = CronFields(expressions[index]) else { continue }
            let isStepped = fields.day.hasPrefix("*/") || fields.weekday.hasPrefix("*/")
            guard !isStepped || fields.day == "*" || fields.weekday == "*" else {
                throw Failure(
                    message:
                        "both kinds of days of \"\(expressions[index])\" would count, each alone")
            }
            if fields.weekday.contains("7") {
                fields.weekday = CronFields.numbers(fields.weekday, .weekday)
                    .map { String($0 % 7) }.joined(separator: ",")
            }
            expressions[index] = fields.text
        }
    }

    private static func settled(
        _ text: String, _ task: PortableTask, _ keepsRanges: Bool, _ notes: inout Exported
    ) throws(Failure) -> String {
        if text.hasPrefix("@") { return text }
        guard var fields = CronFields(text) else {
            throw Failure(message: "\"\(text)\" is not a cron expression")
        }
        guard fields.isSpread else { return fields.text }
        if keepsRanges, !text.contains("H") {
            notes.note(.changed, task, "cron: \(text)", "only cronie 1.6 and later reads `~`")
            return fields.text
        }
        fields.settle(for: task.identifier)
        notes.note(
            .changed, task, "cron: \(text)", "what is spread there is fixed: \(fields.text)")
        return fields.text
    }

    /// An interval that divides the hour, the day or the week.
    private static func expression(_ interval: Interval) -> String? {
        let seconds = interval.nanoseconds / 1_000_000_000
        guard seconds > 0, interval == .seconds(seconds), seconds % 60 == 0 else { return nil }
        let minutes = seconds / 60
        if minutes == 1 { return "* * * * *" }
        if minutes < 60, 60 % minutes == 0 { return "*/\(minutes) * * * *" }
        guard minutes % 60 == 0 else { return nil }
        let hours = minutes / 60
        if hours == 1 { return "0 * * * *" }
        if hours < 24, 24 % hours == 0 { return "0 */\(hours) * * *" }
        return hours == 24 ? "0 0 * * *" : hours == 168 ? "0 0 * * 0" : nil
    }
}

extension Interval {
    /// At least 1.
    var wholeSeconds: Int64 { max(1, nanoseconds / 1_000_000_000) }
}

extension CronFields {
    /// Replaces each `H` and each range with `~` by a number that depends only on the task.
    mutating func settle(for identifier: String) {
        second = Self.settled(second, .minutes, identifier + "/second")
        minute = Self.settled(minute, .minutes, identifier + "/minute")
        hour = Self.settled(hour, Unit.all[2], identifier + "/hour")
        // The days that every month has.
        day = Self.settled(day, Unit.all[3], last: 28, identifier + "/day")
        month = Self.settled(month, .month, identifier + "/month")
        weekday = Self.settled(weekday, .weekday, last: 6, identifier + "/weekday")
    }

    /// - Parameter last: The end of a range that does not state one; default: that of the unit.
    private static func settled(
        _ field: String, _ unit: Unit, last: Int? = nil, _ seed: String
    ) -> String {
        field.split(separator: ",").map { element -> String in
            let halves = element.split(separator: "/", maxSplits: 1)
            let range = halves[0]
            let step = halves.count > 1 ? Int(halves[1]) : nil
            guard let ends = unit.spread(range, last: last) else { return String(element) }
            let size = step.map { min($0, ends.high - ends.low + 1) } ?? ends.high - ends.low + 1
            let first = ends.low + Int(seed.fnv1a % UInt64(size))
            // Sunday is 0 where 7 is unknown.
            return step.map { "\(first)-\(ends.high)/\($0)" }
                ?? "\(unit.high == 7 ? first % 7 : first)"
        }.joined(separator: ",")
    }
}
