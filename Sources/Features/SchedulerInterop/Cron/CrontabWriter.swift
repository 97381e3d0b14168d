// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Writes a crontab(5) of a user.
package struct CrontabWriter {
    private let options: ExportOptions
    private var exported: Exported
    private var lines: [String] = []
    /// The assignments in effect.
    private var assigned: [PortableCommand.Variable] = []

    /// One file, `crontab`.
    package static func write(_ app: PortableApp, options: ExportOptions) -> Exported {
        var writer = CrontabWriter(options: options, exported: Exported(app))
        for task in inOrder(writer.exported.exportable(app)) { writer.add(task) }
        writer.exported.add("crontab", writer.lines)
        return writer.exported
    }

    /// CRON_TZ cannot be unset, so dates without a zone come before those with one.
    private static func inOrder(_ tasks: [PortableTask]) -> [PortableTask] {
        let afterZone = tasks.drop { $0.zone == nil }
        guard afterZone.contains(where: { $0.zone == nil && $0.schedule != .manual }) else {
            return tasks
        }
        return tasks.filter { $0.zone == nil } + tasks.filter { $0.zone != nil }
    }

    private mutating func add(_ task: PortableTask) {
        var known: Set<TaskFeature> = [.launch, .zone, .jitter, .timeLimit, .input, .user]
        // timeout(1) supports these only with a limit.
        if task.timeLimit != nil { known.formUnion([.grace, .expireSignal]) }
        exported.noteLost(task, "cron", has: known)
        if let user = task.user {
            exported.note(
                .changed, task, "user: \(user)", "it runs as the owner of the crontab",
                "install it with `crontab -u \(user)`")
        }
        if let description = task.description { lines.append("# \(description)") }
        lines.append("# \(task.identifier)")
        do throws(CronDates.Failure) {
            let dates = try CronDates(task, keepsRanges: true, &exported)
            let isShort = dates.expressions.allSatisfy { CronFields($0)?.second == "0" }
            guard isShort else { throw CronDates.Failure(message: "cron has no seconds") }
            var preface: [String] = []
            let command = try self.command(task, &preface)
            preface += assignments(task, dates.zone)
            lines += preface
            if task.startsAtLaunch { lines.append("@reboot \(command)") }
            exported.noteBoot(task)
            lines += dates.expressions.map { "\($0) \(command)" }
            if !dates.expressions.isEmpty, task.catchUp != CatchUp.none {
                exported.note(
                    .changed, task, "schedule",
                    "runs missed while the machine is off are lost",
                    "anacron makes up for them, and so do timers with Persistent=true")
            }
            if dates.expressions.isEmpty, !task.startsAtLaunch {
                lines.append("# is started by nothing")
                exported.note(.lost, task, task.startWord, "cron has no jobs without a date")
            }
        } catch {
            lines.append("# cannot be said: \(error.message)")
            exported.note(.lost, task, "schedule", error.message, "the task is not exported")
        }
    }

    /// The lines for variables that are not set yet.
    private mutating func assignments(_ task: PortableTask, _ zone: String?) -> [String] {
        var wanted = task.command.environment
        if let zone {
            wanted.append(PortableCommand.Variable("CRON_TZ", zone))
            if assigned["CRON_TZ"] != zone {
                exported.note(.changed, task, "zone: \(zone)", "only cronie knows CRON_TZ")
            }
        }
        if assigned["HOME"] != nil, wanted["HOME"] == nil, let home = options.home {
            wanted.append(PortableCommand.Variable("HOME", home))
        }
        let jitter = task.jitter?.nanoseconds.saturatingAdding(59_999_999_999) ?? 0
        let minutes = jitter / 60_000_000_000
        if let jitter = task.jitter, jitter != .zero {
            exported.note(
                .changed, task, "jitter", "only cronie knows RANDOM_DELAY, drawn when it starts")
        }
        if minutes > 0 || assigned["RANDOM_DELAY"] ?? "0" != "0" {
            wanted.append(PortableCommand.Variable("RANDOM_DELAY", String(minutes)))
        }
        let shell = Self.shell(task.command)?.shell ?? "/bin/sh"
        if shell != assigned["SHELL"] ?? "/bin/sh" {
            wanted.append(PortableCommand.Variable("SHELL", shell))
        }
        var lines: [String] = []
        for variable in wanted where assigned[variable.name] != variable.value {
            assigned[variable.name] = variable.value
            let needsQuotes =
                variable.value.isEmpty || variable.value.trimmed != variable.value
                || variable.value.hasPrefix("\"") || variable.value.hasPrefix("'")
            let quote = variable.value.contains("\"") ? "'" : "\""
            lines.append(
                "\(variable.name)="
                    + (needsQuotes ? quote + variable.value + quote : variable.value))
        }
        return lines
    }

    private mutating func command(
        _ task: PortableTask, _ before: inout [String]
    ) throws(CronDates.Failure) -> String {
        var line: String
        if let (_, given) = Self.shell(task.command) {
            line = given
        } else {
            switch task.command.action {
            case .shell(let given): line = given
            case .program(let words): line = ShellText.joined(words)
            case .bgrun: line = options.line(task.identifier)
            }
        }
        let leaked = assigned.map(\.name).filter { name in
            task.command.environment[name] == nil
                && !["CRON_TZ", "RANDOM_DELAY", "SHELL", "HOME"].contains(name)
        }
        if !leaked.isEmpty { line = "unset \(leaked.joined(separator: " ")); \(line)" }
        if let limit = task.timeLimit { line = Self.limited(line, limit, task) }
        let directory = options.directory(of: task.command)
        let home = task.command.environment["HOME"] ?? assigned["HOME"] ?? options.home
        if directory != home { line = "cd \(ShellText.quoted(directory)) || exit; \(line)" }
        guard !line.contains(where: \.isNewline) else {
            throw CronDates.Failure(message: "the command has several lines")
        }
        for variable in task.command.environment where variable.value.contains(where: \.isNewline) {
            throw CronDates.Failure(message: "\(variable.name) has several lines")
        }
        line = line.replacing("%", with: "\\%")
        if let input = task.command.input {
            line +=
                "%"
                + input.dropping(ending: "\n").replacing("%", with: "\\%")
                .replacing("\n", with: "%")
        }
        return line
    }

    private static func limited(_ line: String, _ limit: Interval, _ task: PortableTask) -> String {
        let seconds = limit.wholeSeconds
        let grace = (task.grace ?? .seconds(5)).wholeSeconds
        let signal = task.command.expireSignal.map { "-s \($0) " } ?? ""
        let shell = shell(task.command)?.shell ?? "/bin/sh"
        return "timeout \(signal)-k \(grace) \(seconds) \(shell) -c \(ShellText.quoted(line))"
    }

    /// The shell that a program is, and its line.
    private static func shell(_ command: PortableCommand) -> (shell: String, line: String)? {
        guard case .program(let words) = command.action, words.count == 3, words[1] == "-c",
            words[0].hasPrefix("/"), words[0].hasSuffix("sh")
        else { return nil }
        return (words[0], words[2])
    }
}
