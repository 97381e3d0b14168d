// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The commands of a service, and their limits.
struct ServiceReader {
    /// Without an identifier.
    private(set) var task: PortableTask
    private(set) var notes: [ConversionNote] = []

    private let service: UnitFile
    private let specifiers: UnitSpecifiers
    private let isOfUser: Bool
    private var unknown: Set<Character> = []

    /// Nil if there is no command.
    static func read(
        _ service: UnitFile, unit: String, _ place: SourcePlace, home: String?
    ) -> ServiceReader? {
        guard !service.all("Service", "ExecStart").isEmpty else { return nil }
        var reader = ServiceReader(service, unit: unit, place, home: home)
        reader.read(home: home)
        return reader
    }

    private init(_ service: UnitFile, unit: String, _ place: SourcePlace, home: String?) {
        task = PortableTask(identifier: "", place: place, command: PortableCommand(.shell("")))
        self.service = service
        isOfUser = home != nil
        let user = service.last("Service", "User")?.value
        specifiers = UnitSpecifiers(
            unit: unit, user: user ?? "root",
            home: home ?? (user == nil || user == "root" ? "/root" : "/home/\(user ?? "")"))
    }

    private mutating func read(home: String?) {
        let name = value("User")
        task.user = name == "root" ? nil : name
        takeCommands()
        task.command.directory = directory() ?? (isOfUser ? home : "/")
        for setting in service.all("Service", "Environment") {
            for word in UnitWords.split(expand(setting.value)) {
                guard let equals = word.text.firstIndex(of: "="), equals > word.text.startIndex
                else { continue }
                task.command.environment[String(word.text[..<equals])] =
                    String(word.text[word.text.index(after: equals)...])
            }
        }
        takePriority()
        takeLimits()
        takeRestart()
        takeStatus()
        for setting in service.settings where !setting.value.isEmpty {
            if setting.section == "Unit" {
                UnitConditions.take(setting, &task.requires, &notes)
            } else {
                ServiceNotes.take(setting, &notes)
            }
        }
        if !unknown.isEmpty {
            notes.add(
                .lost, SourcePlace(file: service.path, line: 1),
                unknown.sorted().map { "%\($0)" }.joined(separator: " "),
                "what it stands for is not known here, and it is left as it is", "write the value")
        }
    }

    private func value(_ key: String) -> String? { service.last("Service", key)?.value }

    private mutating func expand(_ text: String) -> String {
        specifiers.expand(text, unknown: &unknown)
    }

    private mutating func directory() -> String? {
        guard var path = value("WorkingDirectory") else { return nil }
        if path.hasPrefix("-") { path.removeFirst() }
        return path == "~" ? specifiers.home : expand(path)
    }

    /// One plain command becomes a program; several, or one with variables, become a line of the
    /// shell.
    private mutating func takeCommands() {
        var commands: [CommandLine] = []
        for key in ["ExecStartPre", "ExecStart", "ExecStartPost"] {
            for setting in service.all("Service", key) {
                for var command in CommandLine.all(setting.value) {
                    command.words = command.words.map { expand($0) }
                    commands.append(command)
                    guard !command.prefixes.isDisjoint(with: "+!") else { continue }
                    notes.add(
                        .lost, setting.place, "\(key)=+", "it has no more rights than the others")
                }
                if key != "ExecStart" {
                    notes.add(
                        .changed, setting.place, key,
                        "it is part of the command, one line of the shell")
                }
            }
        }
        let files = service.all("Service", "EnvironmentFile")
        if commands.count == 1, files.isEmpty, !commands[0].mayFail, !commands[0].hasVariables {
            task.command.action = PortableCommand.Action(
                commands[0].plainWords, shells: ["/bin/sh", "sh", "/usr/bin/sh"])
            return
        }
        let loading = files.map { setting in
            notes.add(
                .changed, setting.place, "EnvironmentFile",
                "the shell reads it, by its own rules for quotes")
            let path = expand(setting.value)
            let file = ShellText.quoted(path.hasPrefix("-") ? String(path.dropFirst()) : path)
            return path.hasPrefix("-")
                ? "if [ -r \(file) ]; then set -a; . \(file); set +a; fi"
                : "set -a; . \(file) || exit; set +a"
        }
        let line = commands.map { $0.mayFail ? "{ \($0.shellText) || true; }" : $0.shellText }
            .joined(separator: " && ")
        task.command.action = .shell((loading + [line]).joined(separator: "; "))
    }

    /// Expresses priorities as programs that set them.
    private mutating func takePriority() {
        var prefix: [String] = []
        if let nice = value("Nice"), Int(nice) != nil { prefix += ["nice", "-n", nice] }
        if let name = value("IOSchedulingClass"),
            let number = ["none": 0, "realtime": 1, "best-effort": 2, "idle": 3][name] ?? Int(name)
        {
            prefix += ["ionice", "-c", String(number)]
            if let level = value("IOSchedulingPriority"), Int(level) != nil,
                (1...2).contains(number)
            {
                prefix += ["-n", level]
            }
        }
        if value("CPUSchedulingPolicy") == "idle" { prefix += ["chrt", "--idle", "0"] }
        task.command.prepend(prefix)
    }

    /// The start of a oneshot service is its run; other services have a separate limit for the run.
    private mutating func takeLimits() {
        let isOneshot = value("Type") == "oneshot"
        let start = isOneshot ? value("TimeoutStartSec") ?? value("TimeoutSec") : nil
        let limits = [start, value("RuntimeMaxSec")].compactMap { $0.flatMap(TimeSpan.interval) }
        task.timeLimit = limits.filter { $0 > .zero }.min()
        task.grace = (value("TimeoutStopSec") ?? value("TimeoutSec")).flatMap(TimeSpan.interval)
        if let asked = task.grace, asked > .minutes(5) { task.grace = .minutes(5) }
    }

    private mutating func takeRestart() {
        guard let restart = service.last("Service", "Restart"), restart.value != "no" else {
            return
        }
        let failures = ["on-failure", "on-abnormal", "on-abort", "on-watchdog"]
        guard failures.contains(restart.value) else {
            return notes.add(
                .lost, restart.place, "Restart=\(restart.value)",
                "a command that ended well is not started again before it is due")
        }
        let delay = value("RestartSec").flatMap(TimeSpan.interval) ?? .seconds(1)
        let from = max(delay, .seconds(1))
        let burst =
            (service.last("Unit", "StartLimitBurst") ?? service.last("Service", "StartLimitBurst"))
            .flatMap { Int($0.value) }
        task.retry = RetryRule(backoff: .linear, from: from, to: from, attempts: burst)
        if restart.value != "on-failure" || delay < .seconds(1) {
            notes.add(
                .changed, restart.place, "Restart=\(restart.value)",
                "any failure is tried again, after a second at least")
        }
    }

    private mutating func takeStatus() {
        let lines = service.all("Service", "StandardInputText")
        if value("StandardInput") == "data", !lines.isEmpty {
            task.command.input = lines.map { UnitInput.plain(expand($0.value)) + "\n" }.joined()
        }
        if let codes = value("SuccessExitStatus")?.words.compactMap({ Int($0) }), !codes.isEmpty {
            task.command.successCodes = [0] + codes.filter { $0 != 0 }
        }
        let known = ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"]
        if let signal = service.last("Service", "KillSignal") {
            let name =
                signal.value.hasPrefix("SIG") ? String(signal.value.dropFirst(3)) : signal.value
            if known.contains(name) {
                task.command.expireSignal = name == "TERM" ? nil : name
            } else {
                notes.add(.lost, signal.place, "KillSignal=\(signal.value)", "SIGTERM is sent")
            }
        }
    }
}
