// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// Writes a timer and a service for each task, and a path unit or a socket unit if a file or a connection starts it.
package struct UnitWriter {
    private let app: PortableApp
    private let options: ExportOptions
    private var exported: Exported

    /// The units of all tasks, each named after its task without the app's name.
    package static func write(_ app: PortableApp, options: ExportOptions) -> Exported {
        var writer = UnitWriter(app: app, options: options, exported: Exported(app))
        for task in writer.exported.exportable(app) { writer.add(task) }
        return writer.exported
    }

    private mutating func add(_ task: PortableTask) {
        exported.noteLost(
            task, "systemd",
            has: [
                .launch, .resume, .path, .socket, .zone, .jitter, .catchUp, .flex, .earliest,
                .power, .network, .timeLimit, .grace, .retry, .input, .successCodes, .expireSignal,
                .user, .overlap,
            ])
        noteChanges(task)
        noteSocket(task)
        let name = app.shortName(task)
        exported.add("\(name).service", service(task))
        let head = ["[Unit]", "Description=\(description(task))", ""]
        let timing = timing(task)
        if !timing.isEmpty {
            exported.add(
                "\(name).timer",
                head + ["[Timer]"] + timing + ["", "[Install]", "WantedBy=timers.target"])
        }
        if let path = task.triggers.path {
            exported.add(
                "\(name).path",
                head + [
                    "[Path]", "PathChanged=\(escaped(options.absolute(path)))", "", "[Install]",
                    "WantedBy=paths.target",
                ])
        }
        if let socket = task.triggers.socket, task.acceptsConnections {
            exported.add("\(name).socket", head + self.socket(socket, of: task))
        }
    }

    /// The service accepts the connections, as with bgrun: one start for all waiting ones.
    private func socket(_ socket: PortableTask.Socket, of task: PortableTask) -> [String] {
        var lines = ["[Socket]"]
        if let mode = socket.mode {
            lines.append("ListenStream=\(escaped(options.absolute(socket.address)))")
            lines.append("SocketMode=\(mode)")
            if let user = task.user { lines.append("SocketUser=\(user)") }
            lines.append("RemoveOnStop=yes")
        } else {
            lines.append("ListenStream=\(socket.address)")
        }
        return lines + [
            "Accept=no", "FileDescriptorName=\(escaped(task.identifier))",
            "TriggerLimitIntervalSec=10s", "TriggerLimitBurst=20", "", "[Install]",
            "WantedBy=sockets.target",
        ]
    }

    private mutating func noteSocket(_ task: PortableTask) {
        guard let socket = task.triggers.socket else { return }
        guard task.acceptsConnections else {
            return exported.note(
                .lost, task, "on: socket \(socket.address)",
                "the handler gets the socket from a host of bgrun; systemd's .socket units pass it to "
                    + "commands",
                "run a host for this task, or write it as a command (`exec.run`)")
        }
        exported.note(
            .changed, task, "on: socket \(socket.address)",
            "after 20 starts within 10 s systemd stops listening for good, and bgrun only pauses",
            "start it again with `systemctl start \(app.shortName(task)).socket`")
        if task.requires.contains(where: { $0.key == "power" }) {
            exported.note(
                .changed, task, "on: socket \(socket.address)",
                "a connection on battery power does not wait for ConditionACPower: systemd tries "
                    + "again at once, and stops listening")
        }
    }

    private func description(_ task: PortableTask) -> String {
        var text = task.description ?? task.identifier
        // It would be continued on the next line.
        while text.hasSuffix("\\") { text.removeLast() }
        return escaped(text.isEmpty ? task.identifier : text)
    }

    private mutating func noteChanges(_ task: PortableTask) {
        exported.noteBoot(task)
        if task.requires.contains(where: { $0.key == "power" }) {
            exported.note(
                .changed, task, "requires: power: external",
                "ConditionACPower leaves a run out on battery; it does not wait, and nothing is "
                    + "stopped when power is lost")
        }
        if task.requires.contains(where: { $0.key == "network" && $0.value == "any" }) {
            exported.note(
                .changed, task, "requires: network: any",
                "network-online.target waits at boot only")
        }
        if task.catchUp == .all {
            exported.note(.changed, task, "catch_up: all", "Persistent makes up for one launch")
        }
        if let overlap = task.overlap, overlap != .skip {
            exported.note(
                .changed, task, "overlap: \(overlap.rawValue)",
                "a start while the service runs has no effect")
        }
        if let retry = task.retry, retry.backoff == .exponential, retry.from != retry.to {
            exported.note(
                .changed, task, "retry", "RestartSec is the same after each failure",
                "RestartSteps and RestartMaxDelaySec of systemd 254 grow it")
        }
        if task.flex != nil {
            exported.note(.changed, task, "flex", "AccuracySec: so much later, not earlier")
        }
    }

    // MARK: the timer

    private mutating func timing(_ task: PortableTask) -> [String] {
        var lines: [String] = []
        switch task.schedule {
        case .manual: break
        case .every(let interval):
            lines.append("OnBootSec=\(TimeSpan.text(task.earliest ?? .zero))")
            lines.append("OnUnitActiveSec=\(TimeSpan.text(interval))")
            exported.note(
                .changed, task, "every: \(Quantity.text(interval))",
                "the timer fires after each boot, however long ago the last run was",
                "OnCalendar with Persistent=true keeps the date of the last run across boots")
            if task.catchUp != nil, task.catchUp != .one {
                exported.note(
                    .changed, task, "catch_up", "OnUnitActiveSec counts from the last run")
            }
        case .cron(let text): lines += calendar(task, cron: text)
        case .calendar(let all):
            lines += all.map { "OnCalendar=\(escaped(zoned($0, task)))" }
        }
        let hasDates = lines.contains { $0.hasPrefix("OnCalendar") }
        let startsAtBoot = lines.contains { $0.hasPrefix("OnBootSec") }
        if task.startsAtLaunch, !startsAtBoot {
            lines.append("OnBootSec=\(TimeSpan.text(task.earliest ?? .zero))")
        } else if hasDates, let earliest = task.earliest {
            exported.note(
                .lost, task, "earliest: \(Quantity.text(earliest))", "the first date is not put off"
            )
        }
        guard !lines.isEmpty else { return [] }
        if hasDates, task.catchUp != CatchUp.none { lines.append("Persistent=true") }
        if let jitter = task.jitter { lines.append("RandomizedDelaySec=\(TimeSpan.text(jitter))") }
        lines.append("AccuracySec=\(TimeSpan.text(task.flex ?? .seconds(1)))")
        return lines
    }

    private mutating func calendar(_ task: PortableTask, cron text: String) -> [String] {
        guard var fields = CronFields(text) else { return [] }
        if fields.isSpread {
            fields.settle(for: task.identifier)
            exported.note(
                .changed, task, "cron: \(text)", "what is spread there is fixed: \(fields.text)",
                "RandomizedDelaySec with FixedRandomDelay spreads over machines")
        }
        return fields.calendarExpressions.map { "OnCalendar=\(zoned($0, task))" }
    }

    /// An expression with its zone at the end.
    private func zoned(_ expression: String, _ task: PortableTask) -> String {
        task.zone.map { "\(expression) \($0)" } ?? expression
    }

    // MARK: the service

    private mutating func service(_ task: PortableTask) -> [String] {
        var unit = ["[Unit]", "Description=\(description(task))"]
        if task.requires.contains(where: { $0.key == "power" && $0.value == "external" }) {
            unit.append("ConditionACPower=true")
        }
        if task.requires.contains(where: { $0.key == "network" && $0.value == "any" }) {
            unit += ["Wants=network-online.target", "After=network-online.target"]
        }
        let sleeps = "suspend.target hibernate.target hybrid-sleep.target"
        if task.triggers.resume { unit.append("After=\(sleeps)") }
        if let attempts = task.retry?.attempts, let retry = task.retry {
            unit.append(
                "StartLimitIntervalSec="
                    + TimeSpan.text(retry.to.multiplied(by: Int64(attempts))))
            unit.append("StartLimitBurst=\(attempts)")
        } else if task.triggers.socket != nil, task.acceptsConnections {
            // The socket has a limit; the default of 5 starts in 10 s would end it earlier.
            unit.append("StartLimitIntervalSec=0")
        }
        var body = ["", "[Service]", "Type=oneshot"]
        if let user = task.user { body.append("User=\(user)") }
        body.append("WorkingDirectory=\(escaped(options.directory(of: task.command)))")
        body += task.command.environment.map {
            "Environment=\(UnitWords.quoted("\($0.name)=\($0.value)", escapesDollar: false))"
        }
        body += commands(task)
        if let limit = task.timeLimit { body.append("TimeoutStartSec=\(TimeSpan.text(limit))") }
        if let grace = task.grace { body.append("TimeoutStopSec=\(TimeSpan.text(grace))") }
        if let retry = task.retry {
            body += ["Restart=on-failure", "RestartSec=\(TimeSpan.text(retry.from))"]
        }
        if let codes = task.command.successCodes?.filter({ $0 != 0 }), !codes.isEmpty {
            body.append("SuccessExitStatus=\(codes.map(String.init).joined(separator: " "))")
        }
        if let signal = task.command.expireSignal { body.append("KillSignal=SIG\(signal)") }
        if let input = task.command.input {
            body += ["StandardInput=data", "StandardInputText=\(UnitInput.escaped(input))"]
        }
        return unit + body
            + (task.triggers.resume ? ["", "[Install]", "WantedBy=\(sleeps)"] : [])
    }

    private func escaped(_ text: String) -> String { text.replacing("%", with: "%%") }

    private func commands(_ task: PortableTask) -> [String] {
        switch task.command.action {
        case .shell(let line):
            return ["ExecStart=" + words(["/bin/sh", "-c", line])]
        case .bgrun:
            return options.commands(task.identifier).map { "ExecStart=" + words($0) }
        case .program(var all):
            var lines: [String] = []
            let priority = Priority(&all)
            if let nice = priority.nice { lines.append("Nice=\(nice)") }
            if let name = priority.ioClass { lines.append("IOSchedulingClass=\(name)") }
            if let level = priority.ioLevel { lines.append("IOSchedulingPriority=\(level)") }
            if priority.isIdle { lines.append("CPUSchedulingPolicy=idle") }
            if let program = all.first, program.contains("/") {
                let start = ExportOptions(
                    manifest: options.directory(of: task.command) + "/manifest")
                all[0] = start.absolute(program)
            }
            return lines + ["ExecStart=" + words(all)]
        }
    }

    private func words(_ all: [String]) -> String {
        all.map { UnitWords.quoted($0) }.joined(separator: " ")
    }
}

extension PortableTask {
    /// Whether it is a command, to which systemd can pass a socket.
    fileprivate var acceptsConnections: Bool {
        if case .bgrun = command.action { false } else { true }
    }
}
