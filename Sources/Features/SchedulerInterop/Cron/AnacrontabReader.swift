// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads anacrontab(5): period in days, delay in minutes, name of the job, command.
package struct AnacrontabReader {
    private var reading: CronReading

    /// Reads `text`, the contents of `file`.
    package static func read(_ text: String, file: String, app: String) -> PortableApp {
        var reader = AnacrontabReader(reading: CronReading(app: app, file: file))
        for (index, line) in text.fileLines.enumerated() {
            let place = SourcePlace(file: file, line: index + 1)
            switch reader.reading.take(line) {
            case .assignment(let variable)?: reader.noteAssignment(variable, place)
            case .entry(let entry)?: reader.takeEntry(entry, place)
            case nil: break
            }
        }
        reader.reading.flushComments()
        return reader.reading.result
    }

    private mutating func noteAssignment(
        _ variable: PortableCommand.Variable, _ place: SourcePlace
    ) {
        switch variable.name {
        case "MAILTO" where !variable.value.isEmpty, "MAILFROM":
            reading.result.notes.add(
                .lost, place, variable.name, "no mail is sent; output is kept with each attempt")
        case "START_HOURS_RANGE":
            reading.result.notes.add(
                .changed, place, "START_HOURS_RANGE",
                "jobs are due at its beginning; one that is made up for may start later",
                "`start_deadline` ends the wait")
        case "PREFERRED_HOUR":
            reading.result.notes.add(
                .lost, place, variable.name, "the hour is the beginning of the range")
        default: break
        }
    }

    private mutating func takeEntry(_ line: String, _ place: SourcePlace) {
        let words = line.words
        let delay: Int64
        let schedule: PortableSchedule
        do throws(CronFault) {
            (delay, schedule) = try timing(of: words)
        } catch {
            return reading.result.notes.add(
                .lost, place, line, "\(error.problem), and the entry is left out", error.remedy)
        }
        var rest = Substring(line)
        for word in words.prefix(3) {
            rest = rest.drop { $0 == " " || $0 == "\t" }.dropFirst(word.count)
        }
        var command = reading.command(rest.trimmed, without: Self.ours)
        command.directory = reading.environment["HOME"] ?? "/"
        var task = reading.task(words[2], place, command)
        task.schedule = schedule
        if case .every = schedule, delay > 0 { task.earliest = .minutes(delay) }
        task.catchUp = .one
        task.jitter = reading.jitter
        reading.result.notes.add(
            .changed, place, words[2],
            "anacron counts days since the last run; here a missed one is made up for as soon as "
                + "the host runs, and jobs do not wait for each other")
        reading.result.noteDetachment(of: rest.trimmed, place)
        reading.result.tasks.append(task)
    }

    private static let ours: Set<String> = [
        "SHELL", "MAILTO", "MAILFROM", "RANDOM_DELAY", "START_HOURS_RANGE", "PREFERRED_HOUR",
        "NO_MAIL_OUTPUT",
    ]

    private func timing(of words: [String]) throws(CronFault) -> (Int64, PortableSchedule) {
        let names = ["period", "delay", "name of the job", "command"]
        guard words.count >= names.count else { throw .missing(names, after: words.count) }
        guard let delay = Int64(words[1]), (0..<1440).contains(delay) else {
            throw .field("delay", words[1], "write minutes from 0 to 1439")
        }
        return (delay, try schedule(words[0], delay))
    }

    /// A daily or monthly job has a date; others only have a length.
    private func schedule(
        _ period: String, _ delay: Int64
    ) throws(CronFault) -> PortableSchedule {
        let hours = reading.environment["START_HOURS_RANGE"] ?? "0"
        let first = hours.split(separator: "-").first.flatMap { Int64($0) } ?? 0
        guard (0...23).contains(first) else {
            throw .field("START_HOURS_RANGE", hours, "write hours from 0 to 23, such as 3-22")
        }
        let minutes = first * 60 + delay  // fits: a day at most
        guard minutes < 1440 else {
            throw CronFault(
                problem:
                    "delay \"\(delay)\" after hour \(first) of START_HOURS_RANGE is on the next day",
                remedy: "write a shorter delay or an earlier hour")
        }
        let time = "\(minutes % 60) \(minutes / 60)"
        switch period {
        case "1", "@daily": return .cron("\(time) * * *")
        case "@weekly": return .every(.days(7))
        case "@monthly": return .cron("\(time) 1 * *")
        case "@yearly", "@annually": return .cron("\(time) 1 1 *")
        default:
            guard let days = Int64(period), (1...366).contains(days) else {
                throw .field(
                    "period", period,
                    "write days from 1 to 366, or @daily, @weekly, @monthly or @yearly")
            }
            return .every(.days(days))
        }
    }
}
