// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads crontab(5): the crontabs of users, and those of the system, whose lines name a user.
package struct CrontabReader {
    private let namesUsers: Bool
    private let home: String?
    private var reading: CronReading
    private var mailsNobody = false

    /// Reads `text`, the contents of `file`.
    ///
    /// - Parameters:
    ///   - namesUsers: Whether each line names a user: /etc/crontab and /etc/cron.d.
    ///   - home: The directory where cron starts commands: the user's home; nil if unknown.
    package static func read(
        _ text: String, file: String, app: String, namesUsers: Bool = false, home: String? = nil
    ) -> PortableApp {
        var reader = CrontabReader(
            namesUsers: namesUsers, home: home, reading: CronReading(app: app, file: file))
        for (index, line) in text.fileLines.enumerated() {
            let place = SourcePlace(file: file, line: index + 1)
            switch reader.reading.take(line) {
            case .assignment(let variable)?: reader.noteAssignment(variable, place)
            case .entry(let entry)?: reader.takeEntry(entry, place)
            case nil: break
            }
        }
        return reader.finished(SourcePlace(file: file))
    }

    private mutating func noteAssignment(
        _ variable: PortableCommand.Variable, _ place: SourcePlace
    ) {
        switch variable.name {
        case "MAILTO":
            mailsNobody = variable.value.isEmpty
            if mailsNobody { return }
            reading.result.notes.add(
                .lost, place, "MAILTO=\(variable.value)",
                "no mail is sent; output is kept with each attempt",
                "write a hook on `failed`, which may mail (Docs/hooks.md)")
        case "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING":
            reading.result.notes.add(.lost, place, variable.name, "no mail is sent")
        case "RANDOM_DELAY" where Int(variable.value) == nil:
            reading.result.notes.add(
                .lost, place, "RANDOM_DELAY=\(variable.value)", "it is not a number of minutes")
        case "RANDOM_DELAY":
            reading.result.notes.add(
                .changed, place, "RANDOM_DELAY",
                "`jitter`: drawn for each launch, not once when cron starts")
        default: break
        }
    }

    private mutating func takeEntry(_ line: String, _ place: SourcePlace) {
        let entry: CrontabLine
        do throws(CronFault) {
            entry = try CrontabLine(line, namesUser: namesUsers)
        } catch {
            return reading.result.notes.add(
                .lost, place, line, "\(error.problem), and the entry is left out", error.remedy)
        }
        var task = reading.task(
            TaskNames.program(ofShellLine: entry.command), place, command(of: entry))
        if let user = entry.user, user != "root" { task.user = user }
        if entry.isReboot {
            task.triggers.launch = true
            reading.result.notes.add(
                .changed, place, "@reboot",
                "`on: {launch: true}`: each start of the host, not only the machine's")
        } else {
            task.schedule = .cron(entry.schedule)
            task.zone = reading.environment["CRON_TZ"]
            task.catchUp = CatchUp.none
            task.jitter = reading.jitter
        }
        if entry.isQuiet {
            reading.result.notes.add(.changed, place, "-", "the launch is logged like any other")
        }
        reading.result.noteDetachment(of: entry.command, place)
        reading.result.tasks.append(task)
    }

    private func command(of entry: CrontabLine) -> PortableCommand {
        var command = reading.command(entry.command, without: Self.ours)
        command.input = entry.input
        command.directory = reading.environment["HOME"] ?? homeDirectory(of: entry.user)
        return command
    }

    /// Variables for cron itself; SHELL reaches the command through its first word.
    private static let ours: Set<String> = [
        "MAILTO", "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING", "CRON_TZ",
        "RANDOM_DELAY", "SHELL",
    ]

    private func homeDirectory(of user: String?) -> String? {
        guard let user else { return home }
        return user == "root" ? "/root" : nil
    }

    private mutating func finished(_ place: SourcePlace) -> PortableApp {
        reading.flushComments()
        var result = reading.result
        guard !result.tasks.isEmpty else { return result }
        if !mailsNobody {
            result.notes.add(
                .changed, place, "output",
                "cron mails what a command prints; bgrun keeps it with the attempt")
        }
        if reading.environment["PATH"] == nil {
            result.notes.add(
                .changed, place, "PATH",
                "cron's is /usr/bin:/bin; the commands now have the host's")
        }
        result.notes.add(
            .changed, place, "overlap",
            "cron starts a command that still runs a second time; here the second one waits",
            "`overlap: skip` leaves it out")
        if result.tasks.contains(where: { $0.command.directory == nil }) {
            result.notes.add(
                .changed, place, "directory",
                "cron starts in the user's home; here it is the manifest's directory",
                "give `directory` where a command minds")
        }
        return result
    }
}
