// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The tasks and comments read from a crontab or an anacrontab.
struct CronReading {
    var result: PortableApp
    private(set) var environment: [PortableCommand.Variable] = []
    private var names: TaskNames
    private var comments: [String] = []

    enum Line {
        case assignment(PortableCommand.Variable)
        case entry(String)
    }

    init(app: String, file: String) {
        result = PortableApp(app: app, origin: file)
        names = TaskNames(app: app)
    }

    /// Takes a line; nil for a comment or a blank line.
    mutating func take(_ raw: String) -> Line? {
        let line = raw.trimmed
        if line.isEmpty {
            if result.tasks.isEmpty { flushComments() }
            return nil
        } else if line.hasPrefix("#") {
            comments.append(line.dropFirst().trimmed)
            return nil
        }
        guard let variable = CrontabLine.variable(line) else { return .entry(line) }
        environment[variable.name] = variable.value
        return .assignment(variable)
    }

    /// Comments without a task.
    mutating func flushComments() {
        result.comments += comments
        comments = []
    }

    /// A task named after `name`, with the comments above it.
    mutating func task(
        _ name: String, _ place: SourcePlace, _ command: PortableCommand
    ) -> PortableTask {
        var task = PortableTask(identifier: names.identifier(name), place: place, command: command)
        task.comments = comments
        comments = []
        return task
    }

    /// A command that passes the line to SHELL, with the variables other than `ours`.
    func command(_ line: String, without ours: Set<String>) -> PortableCommand {
        let shell = environment["SHELL"] ?? "/bin/sh"
        var command = PortableCommand(
            shell == "/bin/sh" ? .shell(line) : .program([shell, "-c", line]))
        command.environment = environment.filter { !ours.contains($0.name) }
        return command
    }

    /// RANDOM_DELAY, in minutes.
    var jitter: Interval? {
        let minutes = environment["RANDOM_DELAY"].flatMap { Int64($0) } ?? 0
        return minutes > 0 ? .minutes(minutes) : nil
    }
}
