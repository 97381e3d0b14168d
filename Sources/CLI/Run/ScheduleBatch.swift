// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import FoundationEssentials

/// Schedules outside a manifest.
enum ExpressionSource {
    static let counts = 1...10_000
    static let countProblem = "count must be from \(counts.lowerBound) to \(counts.upperBound)"

    static func zone(_ name: String?) throws(ScheduleProblem) -> ZoneRules {
        guard let name else { return .local }
        do throws(ZoneRules.Failure) {
            return try ZoneRules.named(name)
        } catch {
            throw ScheduleProblem(
                0..<0, "this machine knows no time zone \"\(name)\"",
                help: "write a name of \(ZoneRules.directory), for example `Europe/Berlin`")
        }
    }

    /// The schedule of a cron expression, or else of a calendar expression of systemd.
    static func schedule(
        cron: String?, calendar: String?, in zone: ZoneRules
    ) throws(ScheduleProblem) -> CalendarSchedule {
        guard let cron else { return try systemd(calendar ?? "", in: zone) }
        let seeds = CronSeeds(machine: Machine.id, identifier: "")
        let dates = try CronSchedule(cron, seeds: seeds)
        return CalendarSchedule([CalendarSchedule.Entry(.cron(dates), in: zone, text: cron)])
    }

    private static func systemd(
        _ text: String, in zone: ZoneRules
    ) throws(ScheduleProblem) -> CalendarSchedule {
        let expression = try SystemdCalendar.Expression(text)
        let named = try expression.zone.map { (name) throws(ScheduleProblem) in
            try Self.zone(name)
        }
        return CalendarSchedule([
            CalendarSchedule.Entry(.systemd(expression.calendar), in: named ?? zone, text: text)
        ])
    }
}

/// Answers many questions in one process, each one line of JSON with one line in answer.
enum ScheduleBatch {
    private struct Question: Decodable {
        var cron: String?
        var calendar: String?
        var zone: String?
        var from: WallTime?
        var count: Int?
    }

    private struct Answer: Encodable {
        var dates: [WallTime]?
        var error: String?
    }

    static func answer() throws {
        var zones: [String: ZoneRules] = [:]
        while let line = readLine() {
            print(try JSONOutput.line(answer(line, &zones)))
            // The asking program may wait for the answer.
            try flushOutput()
        }
    }

    private static func answer(_ line: String, _ zones: inout [String: ZoneRules]) -> Answer {
        guard let question = try? JSONDecoder().decode(Question.self, text: line.utf8) else {
            return Answer(error: "the line is not a question")
        }
        guard question.cron == nil || question.calendar == nil else {
            return Answer(error: "the line has both `cron` and `calendar`")
        }
        let count = question.count ?? 1
        guard ExpressionSource.counts.contains(count) else {
            return Answer(error: ExpressionSource.countProblem)
        }
        do throws(ScheduleProblem) {
            let name = question.zone ?? ""
            if zones[name] == nil { zones[name] = try ExpressionSource.zone(question.zone) }
            let schedule = try ExpressionSource.schedule(
                cron: question.cron, calendar: question.calendar, in: zones[name] ?? .utc)
            var date = question.from ?? .epoch
            var dates: [WallTime] = []
            while dates.count < count, let next = schedule.next(after: date) {
                dates.append(next)
                date = next
            }
            return Answer(dates: dates)
        } catch {
            return Answer(error: error.message)
        }
    }
}
