// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Repeated launches of a task: `every`, `cron` or `calendar`, and their options.
extension ManifestDecoder {
    func decodeRecurrence(_ fields: Fields, of identifier: String) -> Schedule? {
        let schedules = fields.present(["every", "cron", "calendar"])
        checkCalendarKeys(fields, schedules.map(\.name))
        guard let field = schedules.first else { return nil }
        if schedules.count > 1 {
            bag.error(
                .notOneSchedule, at: schedules[1].span,
                "\(quoted(identifier)) has \(listed(schedules.map(\.name)))",
                help: "keep one of them; several dates go into one list of `calendar`")
        }
        if identifier.hasSuffix(".*") {
            bag.error(
                .wildcardLaunch, at: field.span,
                "a task with a wildcard cannot have `\(field.name)`: it has more than one identifier to "
                    + "launch",
                help: "drop `\(field.name)`, or declare a task without `*`")
        }
        let zone = fields["zone"].flatMap(decodeZone)
        // Reads all, to report the mistakes of each.
        let decoded = schedules.map { field -> Schedule? in
            switch field.name {
            case "every": decodePeriod(fields)
            case "cron": decodeCron(field, of: identifier, zone)
            default: decodeCalendar(field, zone)
            }
        }
        if !bag.hasErrors, let calendar = decoded[0]?.calendar,
            calendar.next(after: options.now) == nil
        {
            bag.warn(
                .pastSchedule, at: field.node.span,
                "`\(field.name)` has no date left: it makes no further request of "
                    + quoted(identifier),
                help: "write a later date, or drop `\(field.name)`")
        }
        return decoded[0]
    }

    /// Keys that only apply with another one.
    private func checkCalendarKeys(_ fields: Fields, _ schedules: [String]) {
        let isCalendar = schedules.contains("cron") || schedules.contains("calendar")
        if !isCalendar, !fields.misspells(["cron", "calendar"]) {
            for field in fields.present(["zone", "start_deadline"]) {
                bag.error(
                    .calendarOnly, at: field.span,
                    "`\(field.name)` goes with `cron` or `calendar`",
                    help: "drop it, or write the dates as `cron: \"30 2 * * *\"`")
            }
        }
        if let flex = fields["flex"], !schedules.contains("every"), !fields.misspells(["every"]) {
            bag.error(
                .calendarOnly, at: flex.span, "`flex` goes with `every`",
                help: "drop it; `jitter` spreads the dates of a calendar")
        }
    }

    private func decodePeriod(_ fields: Fields) -> Schedule? {
        guard let every = fields.duration("every") else { return nil }
        guard let flex = fields["flex"], let length = fields.duration("flex") else {
            return .every(every)
        }
        if length >= every {
            bag.error(
                .outOfRange, at: flex.node.span,
                "a `flex` of \(Quantity.text(length)) is not shorter than `every`, "
                    + Quantity.text(every),
                help: "write less; a sixth of `every` is a good part of it")
        }
        return .every(every, flex: length)
    }

    private func decodeCron(
        _ field: Field, of identifier: String, _ zone: ZoneRules?
    ) -> Schedule? {
        guard let text = bag.text(field, example: "cron: \"30 2 * * mon-fri\"") else { return nil }
        do throws(ScheduleProblem) {
            let seeds = CronSeeds(machine: options.machine, identifier: identifier)
            let cron = try CronSchedule(text, seeds: seeds)
            let entry = CalendarSchedule.Entry(
                .cron(cron), in: zone ?? options.zone, text: text)
            let calendar = CalendarSchedule([entry])
            if let step = CronSchedule.longStep(in: text) {
                bag.warn(
                    .longStep, at: place(step.place, in: field, text), step.message, help: step.help
                )
            }
            if zone == nil { noteSkippedHour(calendar, at: field.node.span) }
            return .calendar(calendar)
        } catch {
            report(error, in: field, text)
            return nil
        }
    }

    private func decodeCalendar(_ field: Field, _ zone: ZoneRules?) -> Schedule? {
        let example = "calendar: \"Mon..Fri 09:00\""
        var fields = [field]
        if case .sequence = field.node.content {
            fields = bag.items(of: field, example: "calendar: [\"Mon 09:00\", \"Fri 17:00\"]")
        }
        let entries = fields.compactMap { item -> CalendarSchedule.Entry? in
            guard let text = bag.text(item, example: example) else { return nil }
            do throws(ScheduleProblem) {
                let expression = try SystemdCalendar.Expression(text)
                var rules = zone ?? options.zone
                if let name = expression.zone {
                    let span = place(expression.zonePlace ?? 0..<0, in: item, text)
                    guard let named = self.zone(name, at: span) else { return nil }
                    rules = named
                }
                return CalendarSchedule.Entry(.systemd(expression.calendar), in: rules, text: text)
            } catch {
                report(error, in: item, text)
                return nil
            }
        }
        return entries.isEmpty ? nil : .calendar(CalendarSchedule(entries))
    }

    private func report(_ problem: ScheduleProblem, in field: Field, _ text: String) {
        bag.error(
            .badSchedule, at: place(problem.place, in: field, text), problem.message,
            help: problem.help)
    }

    /// The place of some characters of a scalar; the whole scalar if its text differs from its value.
    private func place(_ range: Range<Int>, in field: Field, _ text: String) -> SourceSpan {
        let span = field.node.span
        guard let end = span.endColumn, !range.isEmpty else { return span }
        let quotes = end - span.start.column - text.count
        guard quotes == 0 || quotes == 2 else { return span }
        let start = span.start.column + quotes / 2
        return SourceSpan(
            start: SourceMark(line: span.start.line, column: start + range.lowerBound),
            end: SourceMark(line: span.start.line, column: start + range.upperBound))
    }

    // MARK: zones

    private func decodeZone(_ field: Field) -> ZoneRules? {
        guard let name = bag.text(field, example: "zone: Europe/Berlin") else { return nil }
        return zone(name, at: field.node.span)
    }

    private func zone(_ name: String, at span: SourceSpan) -> ZoneRules? {
        do throws(ZoneRules.Failure) {
            return try ZoneRules.named(name)
        } catch {
            let similar = ZoneRules.names().filter { $0.prefix(2) == name.prefix(2) }
            return bag.refuse(
                .unknownZone, at: span,
                error == .unknown
                    ? "this machine knows no time zone \(quoted(name))"
                    : "the rules of the time zone \(quoted(name)) are damaged",
                help: bag.remedy(for: name, among: similar)
                    ?? "write a name of \(ZoneRules.directory), for example `Europe/Berlin`, or "
                    + "install the package tzdata")
        }
    }

    /// The clocks skip one of its dates within a year, and the manifest does not set a time zone.
    private func noteSkippedHour(_ calendar: CalendarSchedule, at span: SourceSpan) {
        let end = options.now.advanced(by: .days(366))
        var date = options.now
        for _ in 0..<400 {
            guard let next = calendar.occurrence(after: date), next.date < end else { return }
            guard let skipped = next.skipped, let zone = calendar.entries.first?.zone else {
                date = next.date
                continue
            }
            let runs = zone.civil(at: next.date.milliseconds / 1_000)
            bag.warn(
                .skippedHour, at: span,
                "on \(skipped.text.prefix(10)) clocks of \(zone.name) show no \(skipped.timeOfDay); "
                    + "it comes at \(runs.timeOfDay)",
                help: "choose another hour, or write `zone: \(zone.name)` if that is right")
            return
        }
    }

    // MARK: triggers

    /// `on`: the other triggers of the task.
    func decodeTriggers(
        _ field: Field?, of identifier: String
    ) -> (triggers: TaskDeclaration.Triggers, path: String?, socket: SocketAddress?) {
        guard let field,
            let fields = Fields(field, .on, bag, "on: {launch: true}")
        else { return ([], nil, nil) }
        if identifier.hasSuffix(".*") {
            bag.error(
                .wildcardLaunch, at: field.span,
                "a task with a wildcard cannot have `on`: it has more than one identifier",
                help: "drop `on`, or declare a task without `*`")
        }
        var triggers: TaskDeclaration.Triggers = []
        if fields.flag("launch") == true { triggers.insert(.launch) }
        if fields.flag("resume") == true { triggers.insert(.resume) }
        fields["path"].map(warnOfTilde)
        let path = fields["path"].flatMap { bag.text($0, example: "path: ./inbox") }
        return (triggers, path.map(base.resolve), fields["socket"].flatMap(decodeSocket))
    }
}
