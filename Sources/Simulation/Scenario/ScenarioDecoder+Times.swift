// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// Times and durations.
extension ScenarioDecoder {
    func windowFields(_ field: Field) -> Fields? {
        Fields(
            field, ScenarioSections.window, bag, "{every: day, at: 22:30, for: 8h}")
    }

    /// Nil, after a report, if the window is invalid.
    func decodeWindow(_ fields: Fields) -> Window? {
        let jitter = fields["jitter"].flatMap(decodeJitter)
        guard fields["at"] != nil || fields["every"] != nil else {
            for field in fields.present(["for", "until"]) {
                bag.error(
                    .missingKey, at: field.span,
                    "a window with \(quoted(field.name)) needs the key `at`",
                    help: "add `at: ...`, or drop it for a window that covers the whole scenario")
            }
            return fields.present(["for", "until"]).isEmpty
                ? Window(begins: nil, end: .never, jitter: jitter) : nil
        }
        let begins = decodeRecurrence(fields)
        let end = decodeEnd(fields, isDaily: begins?.isDaily ?? namesDays(fields))
        guard let begins, let end else { return nil }
        return Window(begins: begins, end: end, jitter: jitter)
    }

    /// `at` alone, `every: day, at: 07:30`, or `every: 30s`.
    func decodeRecurrence(_ fields: Fields) -> Recurrence? {
        guard let every = fields["every"] else {
            guard let at = fields["at"] else {
                return bag.refuse(
                    .missingKey, at: fields.span, "there is neither `at` nor `every`",
                    help: "add `at: 26h`, `every: 30m`, or `every: day, at: 07:30`")
            }
            return decodeMoment(at).map { .once($0) }
        }
        if let text = every.scalar?.text, let length = Interval(manifestText: text) {
            guard length >= shortestRecurrence else {
                return bag.refuse(
                    .outOfRange, at: every.node.span, "`every` cannot be \(quoted(text))",
                    help: "write a length of at least \(Quantity.text(shortestRecurrence)): a "
                        + "scenario has at most a million of each event and window")
            }
            let from = fields["at"].map { bag.duration($0, in: .zero ... .days(3_660)) } ?? .zero
            return from.map { .every(length, from: $0) }
        }
        let weekdays = decodeWeekdays(every)
        guard let at = fields["at"] else {
            return bag.refuse(
                .missingKey, at: every.span, "`every` with days needs the key `at`",
                help: "add `at: 07:30`, a time of day")
        }
        guard let second = decodeTimeOfDay(at), let weekdays else { return nil }
        return .daily(weekdays, second: second)
    }

    private var shortestRecurrence: Interval {
        max(.milliseconds(1), .milliseconds(duration.nanoseconds / 1_000_000 / 1_000_000))
    }

    /// Whether `every` probably means days, so that a mistake there does not cause another report about
    /// `until`.
    private func namesDays(_ fields: Fields) -> Bool {
        guard let every = fields["every"] else { return false }
        return every.scalar?.text.first?.isNumber != true
    }

    private func decodeEnd(_ fields: Fields, isDaily: Bool) -> Window.End? {
        switch (fields["for"], fields["until"]) {
        case (let length?, nil):
            return bag.duration(length, in: Self.lengths).map { .lasting($0) }
        case (nil, let until?):
            if isDaily { return decodeTimeOfDay(until).map { .until(second: $0) } }
            return decodeMoment(until).map { .moment($0) }
        case (nil, nil):
            if !isDaily, fields["every"] == nil { return .never }
            return bag.refuse(
                .missingKey, at: fields.span, "a window that recurs needs `for` or `until`",
                help: "add `for: 8h`, or `until: 06:30`")
        case (_?, let until?):
            return bag.refuse(
                .ambiguousValue, at: until.span, "a window has `for` or `until`, not both",
                help: "drop one of them")
        }
    }

    private func decodeWeekdays(_ field: Field) -> Set<Weekday>? {
        let single = Weekday.allCases.flatMap {
            [($0.rawValue, [$0]), (String($0.rawValue.prefix(3)), [$0])]
        }
        let words: [(name: String, word: Set<Weekday>)] =
            [
                ("day", Set(Weekday.allCases)),
                ("weekday", Set(Weekday.allCases.filter { !$0.isWeekend })),
                ("weekend", Set(Weekday.allCases.filter(\.isWeekend))),
            ] + single.map { ($0.0, Set($0.1)) }
        if case .sequence = field.node.content {
            let days = bag.items(of: field, example: "every: [mon, thu]").map {
                bag.word($0, words)
            }
            return days.contains(nil) ? nil : Set(days.compactMap { $0 }.joined())
        }
        return bag.word(field, words)
    }

    func decodeTimeOfDay(_ field: Field) -> Int64? {
        guard let text = bag.verbatim(field, example: "\(field.name): 07:30") else { return nil }
        if let second = ClockText.timeOfDay(text) { return second }
        return bag.refuseType(
            field, expected: "a time of day",
            help: "write `\(field.name): 07:30`, from 00:00 to 23:59")
    }

    /// `26h` after the beginning, or a date.
    func decodeMoment(_ field: Field) -> Moment? {
        guard let text = bag.verbatim(field, example: "\(field.name): 26h") else { return nil }
        if let civil = ClockText.dateAndTime(text) { return .civil(civil) }
        if ClockText.timeOfDay(text) != nil {
            return bag.refuse(
                .missingKey, at: field.node.span, "a time of day needs the key `every`",
                help: "add `every: day`, or write a date: `\(field.name): 2026-03-02 \(text)`")
        }
        return bag.duration(field, in: .zero ... .days(3_660)).map { .offset($0) }
    }
}

extension Recurrence {
    fileprivate var isDaily: Bool {
        if case .daily = self { true } else { false }
    }
}
