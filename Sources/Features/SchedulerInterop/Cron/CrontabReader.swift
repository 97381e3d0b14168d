// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads crontab(5): those of users, and those of the system, whose lines name a user.
package struct CrontabReader {
    package struct Options: Sendable {
        /// The app's identifier.
        package var app: String
        /// Whether each line names a user: /etc/crontab and /etc/cron.d.
        package var namesUsers: Bool
        /// Where cron starts commands: the user's home; nil when it is not known.
        package var home: String?

        package init(app: String, namesUsers: Bool = false, home: String? = nil) {
            self.app = app
            self.namesUsers = namesUsers
            self.home = home
        }
    }

    private let file: String
    private let options: Options
    private var names: TaskNames
    private var result: PortableApp
    private var environment: [PortableCommand.Variable] = []
    private var comments: [String] = []
    private var mailsNobody = false

    /// Reads `text`, the contents of `file`.
    package static func read(_ text: String, file: String, options: Options) -> PortableApp {
        var reader = CrontabReader(file: file, options: options)
        for (index, line) in text.fileLines.enumerated() { reader.take(line, index + 1) }
        return reader.finished()
    }

    private init(file: String, options: Options) {
        self.file = file
        self.options = options
        names = TaskNames(app: options.app)
        result = PortableApp(app: options.app, origin: file)
    }

    private mutating func take(_ raw: String, _ number: Int) {
        let line = raw.trimmed
        if line.isEmpty {
            if result.tasks.isEmpty { flushComments() }
        } else if line.hasPrefix("#") {
            comments.append(line.dropFirst().trimmed)
        } else if let variable = CrontabLine.variable(line) {
            assign(variable, number)
        } else {
            takeEntry(line, number)
        }
    }

    private mutating func flushComments() {
        result.comments += comments
        comments = []
    }

    private mutating func assign(_ variable: PortableCommand.Variable, _ number: Int) {
        let place = SourcePlace(file: file, line: number)
        if variable.name == "MAILTO" {
            mailsNobody = variable.value.isEmpty
            if !mailsNobody {
                note(
                    .lost, place, "MAILTO=\(variable.value)",
                    "no mail is sent; output is kept with each attempt",
                    "write a hook on `failed`, which may mail (Docs/hooks.md)")
            }
        } else if ["MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING"].contains(variable.name)
        {
            note(.lost, place, variable.name, "no mail is sent")
        } else if variable.name == "RANDOM_DELAY" {
            if Int(variable.value) == nil {
                note(
                    .lost, place, "RANDOM_DELAY=\(variable.value)", "it is not a number of minutes")
            } else {
                note(
                    .changed, place, "RANDOM_DELAY",
                    "`jitter`: drawn for each launch, not once when cron starts")
            }
        }
        environment[variable.name] = variable.value
    }

    private mutating func takeEntry(_ line: String, _ number: Int) {
        let place = SourcePlace(file: file, line: number)
        let entry: CrontabLine
        do throws(CronFault) {
            entry = try CrontabLine(line, namesUser: options.namesUsers)
        } catch {
            note(.lost, place, line, "\(error.problem), and the entry is left out", error.remedy)
            return
        }
        let program = TaskNames.program(ofShellLine: entry.command)
        var task = PortableTask(
            identifier: names.identifier(program), place: place,
            command: command(of: entry))
        task.comments = comments
        comments = []
        if let user = entry.user, user != "root" { task.user = user }
        if entry.isReboot {
            task.triggers.launch = true
            note(
                .changed, place, "@reboot",
                "`on: {launch: true}`: each start of the host, not only the machine's")
        } else {
            task.schedule = .cron(entry.schedule)
            task.zone = environment["CRON_TZ"]
            task.catchUp = CatchUp.none
            if let minutes = environment["RANDOM_DELAY"].flatMap({ Int64($0) }), minutes > 0 {
                task.jitter = .minutes(minutes)
            }
        }
        if entry.isQuiet {
            note(.changed, place, "-", "the launch is logged like any other")
        }
        result.noteDetachment(of: entry.command, place)
        result.tasks.append(task)
    }

    private func command(of entry: CrontabLine) -> PortableCommand {
        let shell = environment["SHELL"] ?? "/bin/sh"
        var command = PortableCommand(
            shell == "/bin/sh"
                ? .shell(entry.command) : .program([shell, "-c", entry.command]))
        command.input = entry.input
        command.environment = environment.filter { !Self.ours.contains($0.name) }
        command.directory = environment["HOME"] ?? home(of: entry.user)
        return command
    }

    /// They speak to cron; SHELL reaches the command through its first word.
    private static let ours: Set<String> = [
        "MAILTO", "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING", "CRON_TZ",
        "RANDOM_DELAY", "SHELL",
    ]

    private func home(of user: String?) -> String? {
        guard let user else { return options.home }
        return user == "root" ? "/root" : nil
    }

    private mutating func finished() -> PortableApp {
        flushComments()
        guard !result.tasks.isEmpty else { return result }
        let place = SourcePlace(file: file)
        if !mailsNobody {
            note(
                .changed, place, "output",
                "cron mails what a command prints; bgrun keeps it with the attempt")
        }
        if environment["PATH"] == nil {
            note(
                .changed, place, "PATH",
                "cron's is /usr/bin:/bin; the commands now have the host's")
        }
        note(
            .changed, place, "overlap",
            "cron starts a command that still runs a second time; here the second one waits",
            "`overlap: skip` leaves it out")
        if result.tasks.contains(where: { $0.command.directory == nil }) {
            note(
                .changed, place, "directory",
                "cron starts in the user's home; here it is the manifest's directory",
                "give `directory` where a command minds")
        }
        return result
    }

    private mutating func note(
        _ weight: ConversionNote.Weight, _ place: SourcePlace, _ word: String, _ instead: String,
        _ remedy: String = ""
    ) {
        result.notes.append(ConversionNote(weight, place, word, instead, remedy: remedy))
    }
}
