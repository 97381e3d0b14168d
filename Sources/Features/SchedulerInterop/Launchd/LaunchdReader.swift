// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads jobs of launchd.plist(5).
package struct LaunchdReader {
    private let file: String
    private var task: PortableTask
    private var notes: [ConversionNote] = []
    private let job: PropertyListValue

    /// Reads the jobs of several files into one app.
    package static func read(
        _ jobs: [(file: String, value: PropertyListValue)], app: String, origin: String
    ) -> PortableApp {
        var result = PortableApp(app: app, origin: origin)
        var names = TaskNames(app: app)
        for (file, value) in jobs {
            let label = value["Label"]?.text ?? file.baseName.dropping(ending: ".plist")
            let last = label.split(separator: ".").last.map(String.init) ?? label
            var reader = LaunchdReader(value, file, names.identifier(last))
            reader.read()
            result.notes += reader.notes
            if reader.task.command.action != .program([]) { result.tasks.append(reader.task) }
        }
        return result
    }

    private init(_ job: PropertyListValue, _ file: String, _ identifier: String) {
        self.job = job
        self.file = file
        task = PortableTask(
            identifier: identifier, place: SourcePlace(file: file, line: 1),
            command: PortableCommand(.program([])))
    }

    private mutating func read() {
        if let label = job["Label"]?.text { task.comments = [label] }
        task.command.directory = "/"
        takeProgram()
        for entry in job.entries { take(entry) }
        takePriority()
        if task.command.action == .program([]) {
            note(.lost, 1, "ProgramArguments", "the command is missing, and the job is left out")
        }
        if case .manual = task.schedule, task.triggers.isEmpty {
            note(.changed, 1, "Label", "nothing starts it: `submit: manual`")
        }
    }

    private mutating func takeProgram() {
        var words = job["ProgramArguments"]?.items.compactMap(\.text) ?? []
        if let program = job["Program"]?.text {
            if words.isEmpty { words = [program] } else { words[0] = program }
        }
        task.command.action = PortableCommand.Action(words, shells: ["/bin/sh", "sh"])
    }

    private mutating func take(_ entry: PropertyListValue.Entry) {
        let value = entry.value
        switch entry.key {
        case "Label", "Program", "ProgramArguments", "Nice", "LowPriorityIO",
            "LowPriorityBackgroundIO":
            break
        case "ProcessType" where value.text != "Background": break
        case "StartInterval": takeInterval(entry)
        case "StartCalendarInterval": takeDates(entry)
        case "RunAtLoad":
            guard value.isTrue else { break }
            task.triggers.launch = true
            note(.changed, entry.line, entry.key, "each start of the host, not the login or boot")
        case "StartOnMount":
            if value.isTrue { note(.lost, entry.line, entry.key, "a mount starts nothing") }
        case "WatchPaths": watch(value.items.compactMap(\.text), entry)
        case "QueueDirectories":
            watch(value.items.compactMap(\.text), entry)
            note(
                .changed, entry.line, entry.key,
                "a change of the directory starts it; launchd starts it again until it is empty")
        case "EnvironmentVariables":
            for variable in value.entries { takeVariable(variable) }
        case "WorkingDirectory": task.command.directory = value.text
        case "UserName": task.user = value.text == "root" ? nil : value.text
        case "KeepAlive": takeKeepAlive(entry)
        case "ExitTimeOut": if let length = value.length { task.grace = min(length, .minutes(5)) }
        case "TimeOut": if let length = value.length { task.timeLimit = length }
        case "ThrottleInterval":
            if let seconds = value.integer, seconds > 10 {
                note(
                    .lost, entry.line, "ThrottleInterval",
                    "no least time between launches besides the schedule")
            }
        case "ProcessType":
            note(
                .changed, entry.line, "ProcessType=Background",
                "`nice` and `ionice` lower its priority")
        case "StandardOutPath", "StandardErrorPath":
            note(
                .lost, entry.line, "\(entry.key)=\(value.text ?? "")",
                "output goes to the host's log and its history", "redirect it in the command")
        case "StandardInPath":
            note(.lost, entry.line, entry.key, "standard input is empty", "give `stdin` a file")
        case "Disabled" where value.isTrue:
            note(.lost, entry.line, entry.key, "the task is not disabled", "delete it")
        case "Disabled": break
        case let key: note(.lost, entry.line, key, "bgrun has no such setting")
        }
    }

    private mutating func takeVariable(_ variable: PropertyListValue.Entry) {
        guard let text = variable.value.text else { return }
        guard !variable.key.isEmpty,
            !variable.key.unicodeScalars.contains(where: { $0 == "=" || $0 == "\0" })
        else {
            return note(
                .lost, variable.line, "EnvironmentVariables: \(variable.key)",
                "no variable can have this name")
        }
        task.command.environment[variable.key] = text
    }

    /// Takes the first path as a trigger.
    private mutating func watch(_ paths: [String], _ entry: PropertyListValue.Entry) {
        for path in paths {
            guard task.triggers.path == nil else {
                note(
                    .lost, entry.line, "\(entry.key): \(path)",
                    "a change of it starts nothing: a task has one path",
                    "make a second task of it")
                continue
            }
            task.triggers.path = path
        }
    }

    private mutating func takeInterval(_ entry: PropertyListValue.Entry) {
        guard let length = entry.value.length else { return }
        guard task.schedule == .manual else {
            return note(
                .lost, entry.line, entry.key, "a task has one schedule, and it has another")
        }
        task.schedule = .every(length)
        task.catchUp = .one
    }

    /// A missed date is made up for when the machine wakes: one launch for several dates.
    private mutating func takeDates(_ entry: PropertyListValue.Entry) {
        let all = entry.value.items.isEmpty ? [entry.value] : entry.value.items
        var dates: [String] = []
        for date in all {
            let problems = CalendarInterval.problems(of: date)
            for (part, problem) in problems { note(.lost, part.line, part.key, problem) }
            if problems.isEmpty { dates += CalendarInterval.expressions(date) }
        }
        if case .every = task.schedule {
            note(
                .lost, entry.line, "StartInterval", "a task has one schedule, and it has dates",
                "make a second task of it")
        }
        if !dates.isEmpty {
            task.schedule = .calendar(dates)
            task.catchUp = .one
        }
        for key in all.flatMap(\.entries) where CalendarInterval.parts[key.key] == nil {
            note(.lost, key.line, key.key, "it is not a part of a date")
        }
    }

    private mutating func takeKeepAlive(_ entry: PropertyListValue.Entry) {
        for condition in entry.value.entries {
            switch condition.key {
            case "SuccessfulExit" where !condition.value.isTrue:
                task.retry = RetryRule(backoff: .linear, from: .seconds(10), to: .seconds(10))
            case "PathState":
                watch(condition.value.entries.map(\.key), condition)
                note(
                    .changed, condition.line, "KeepAlive.PathState",
                    "a change of the path starts it, whether it is there or not")
            case "NetworkState" where condition.value.isTrue:
                task.requires.append(.init(key: "network", value: "any"))
            case let key:
                note(.lost, condition.line, "KeepAlive.\(key)", "bgrun keeps nothing running")
            }
        }
        if case .truth(true) = entry.value {
            note(
                .lost, entry.line, "KeepAlive",
                "bgrun runs tasks that end; a command that ended is started when it is due",
                "a service belongs in systemd")
        }
    }

    private mutating func takePriority() {
        var prefix: [String] = []
        let isBackground = job["ProcessType"]?.text == "Background"
        if let nice = job["Nice"]?.integer ?? (isBackground ? 10 : nil) {
            prefix += ["nice", "-n", String(nice)]
        }
        let isLow =
            job["LowPriorityIO"]?.isTrue ?? job["LowPriorityBackgroundIO"]?.isTrue ?? isBackground
        if isLow { prefix += ["ionice", "-c", "3"] }
        task.command.prepend(prefix)
    }

    private mutating func note(
        _ weight: ConversionNote.Weight, _ line: Int, _ word: String, _ instead: String,
        _ remedy: String = ""
    ) {
        notes.add(weight, SourcePlace(file: file, line: line), word, instead, remedy)
    }
}

extension PropertyListValue {
    /// A positive number of seconds; nil otherwise.
    fileprivate var length: Interval? {
        integer.flatMap { $0 > 0 ? Interval.seconds(Int64($0)) : nil }
    }
}

/// `StartCalendarInterval`: a missing field matches any value.
enum CalendarInterval {
    /// The valid values of each key.
    static let parts = [
        "Minute": 0...59, "Hour": 0...23, "Day": 1...31, "Weekday": 0...7, "Month": 1...12,
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// The parts of `date` that are not valid, each with its valid values.
    static func problems(of date: PropertyListValue) -> [(PropertyListValue.Entry, String)] {
        date.entries.compactMap { entry in
            guard let valid = parts[entry.key] else { return nil }
            if let number = entry.value.integer, valid.contains(number) { return nil }
            return (entry, "it must be an integer from \(valid.lowerBound) to \(valid.upperBound)")
        }
    }

    /// A date of valid parts in the format of systemd; two if both a day of the week and one of the month are given:
    /// either counts.
    static func expressions(_ date: PropertyListValue) -> [String] {
        let month = date["Month"]?.integer?.digits(2) ?? "*"
        let day = date["Day"]?.integer?.digits(2)
        let weekday = date["Weekday"]?.integer.map { weekdays[$0] }
        let hour = date["Hour"]?.integer?.digits(2) ?? "*"
        let minute = date["Minute"]?.integer?.digits(2) ?? "*"
        let time = "\(hour):\(minute):00"
        var all: [String] = []
        if let weekday { all.append("\(weekday) *-\(month)-* \(time)") }
        if weekday == nil || day != nil { all.append("*-\(month)-\(day ?? "*") \(time)") }
        return all
    }
}
