// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads anacrontab(5): period in days, delay in minutes, name of the job, command.
package enum AnacrontabReader {
    /// Reads `text`, the contents of `file`.
    package static func read(_ text: String, file: String, app: String) -> PortableApp {
        var reading = Reading(file: file, app: app)
        for (index, line) in text.fileLines.enumerated() {
            reading.take(line.trimmed, SourcePlace(file: file, line: index + 1))
        }
        return reading.finished()
    }

    private struct Reading {
        var result: PortableApp
        var names: TaskNames
        var environment: [PortableCommand.Variable] = []
        var comments: [String] = []

        init(file: String, app: String) {
            result = PortableApp(app: app, origin: file)
            names = TaskNames(app: app)
        }

        mutating func take(_ line: String, _ place: SourcePlace) {
            if line.isEmpty {
                if result.tasks.isEmpty { flushComments() }
            } else if line.hasPrefix("#") {
                comments.append(line.dropFirst().trimmed)
            } else if let variable = CrontabLine.variable(line) {
                assign(variable, place)
            } else {
                takeEntry(line, place)
            }
        }

        mutating func flushComments() {
            result.comments += comments
            comments = []
        }

        mutating func assign(_ variable: PortableCommand.Variable, _ place: SourcePlace) {
            environment[variable.name] = variable.value
            switch variable.name {
            case "MAILTO" where !variable.value.isEmpty, "MAILFROM":
                note(
                    .lost, place, variable.name,
                    "no mail is sent; output is kept with each attempt")
            case "START_HOURS_RANGE":
                note(
                    .changed, place, "START_HOURS_RANGE",
                    "jobs are due at its beginning; one that is made up for may start later",
                    "`start_deadline` ends the wait")
            case "PREFERRED_HOUR":
                note(.lost, place, variable.name, "the hour is the beginning of the range")
            default: break
            }
        }

        mutating func takeEntry(_ line: String, _ place: SourcePlace) {
            let words = line.words
            let delay: Int64
            let schedule: PortableSchedule
            do throws(CronFault) {
                (delay, schedule) = try timing(of: words)
            } catch {
                note(
                    .lost, place, line, "\(error.problem), and the entry is left out", error.remedy)
                return
            }
            var rest = Substring(line)
            for word in words.prefix(3) {
                rest = rest.drop { $0 == " " || $0 == "\t" }.dropFirst(word.count)
            }
            var task = PortableTask(
                identifier: names.identifier(words[2]), place: place,
                command: command(rest.trimmed))
            task.comments = comments
            comments = []
            task.schedule = schedule
            if case .every = schedule, delay > 0 { task.earliest = .minutes(delay) }
            task.catchUp = .one
            if let minutes = environment["RANDOM_DELAY"].flatMap({ Int64($0) }), minutes > 0 {
                task.jitter = .minutes(minutes)
            }
            note(
                .changed, place, words[2],
                "anacron counts days since the last run; here a missed one is made up for as soon as "
                    + "the host runs, and jobs do not wait for each other")
            result.noteDetachment(of: rest.trimmed, place)
            result.tasks.append(task)
        }

        func command(_ line: String) -> PortableCommand {
            let shell = environment["SHELL"] ?? "/bin/sh"
            var command = PortableCommand(
                shell == "/bin/sh" ? .shell(line) : .program([shell, "-c", line]))
            let ours: Set<String> = [
                "SHELL", "MAILTO", "MAILFROM", "RANDOM_DELAY", "START_HOURS_RANGE",
                "PREFERRED_HOUR", "NO_MAIL_OUTPUT",
            ]
            command.environment = environment.filter { !ours.contains($0.name) }
            command.directory = environment["HOME"] ?? "/"
            return command
        }

        private func timing(of words: [String]) throws(CronFault) -> (Int64, PortableSchedule) {
            let names = ["period", "delay", "name of the job", "command"]
            guard words.count >= names.count else { throw .missing(names, after: words.count) }
            guard let delay = Int64(words[1]), (0..<1440).contains(delay) else {
                throw .field("delay", words[1], "write minutes from 0 to 1439")
            }
            return (delay, try schedule(words[0], delay))
        }

        /// A daily or monthly job has its date; others only have a length.
        private func schedule(
            _ period: String, _ delay: Int64
        ) throws(CronFault) -> PortableSchedule {
            let hours = environment["START_HOURS_RANGE"] ?? "0"
            let first = hours.split(separator: "-").first.flatMap { Int64($0) } ?? 0
            guard (0...23).contains(first) else {
                throw .field("START_HOURS_RANGE", hours, "write hours from 0 to 23, such as 3-22")
            }
            let minutes = first * 60 + delay  // fits: a day at most
            guard minutes < 1440 else {
                throw CronFault(
                    "delay \"\(delay)\" after hour \(first) of START_HOURS_RANGE is on the next day",
                    "write a shorter delay or an earlier hour")
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

        mutating func finished() -> PortableApp {
            flushComments()
            return result
        }

        mutating func note(
            _ weight: ConversionNote.Weight, _ place: SourcePlace, _ word: String,
            _ instead: String,
            _ remedy: String = ""
        ) {
            result.notes.append(ConversionNote(weight, place, word, instead, remedy: remedy))
        }
    }
}
