// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Writes a periodic batch job of Nomad for each task.
package struct NomadWriter {
    private let app: PortableApp
    private let options: ExportOptions
    private var exported: Exported

    /// One file for each task.
    package static func write(_ app: PortableApp, options: ExportOptions) -> Exported {
        var writer = NomadWriter(app: app, options: options, exported: Exported(app))
        for task in writer.exported.exportable(app) { writer.add(task) }
        return writer.exported
    }

    private mutating func add(_ task: PortableTask) {
        var known: Set<TaskFeature> = [
            .zone, .overlap, .timeLimit, .grace, .retry, .input, .expireSignal, .user,
        ]
        if task.schedule == .manual { known.insert(.launch) }
        exported.noteLost(task, "Nomad", has: known)
        do throws(CronDates.Failure) {
            let dates = try CronDates(forCluster: task, &exported)
            let name = app.shortName(task)
            exported.add("\(name).nomad.hcl", lines(task, dates, name))
        } catch {
            exported.note(.lost, task, "schedule", error.message, "the task is not exported")
        }
    }

    private mutating func lines(
        _ task: PortableTask, _ dates: CronDates, _ name: String
    ) -> [String] {
        var lines = task.description.map { ["# \($0)"] } ?? []
        lines += ["job \(quoted(name)) {", "  type = \"batch\""]
        if !dates.expressions.isEmpty {
            lines += ["", "  periodic {"]
            let expressions = dates.expressions.map(quoted).joined(separator: ", ")
            lines.append("    crons            = [\(expressions)]")
            if let zone = dates.zone { lines.append("    time_zone        = \(quoted(zone))") }
            noteOverlap(task)
            lines += ["    prohibit_overlap = true", "  }"]
        } else if task.startsAtLaunch {
            exported.note(
                .lost, task, task.startWord, "the job runs once, when it is registered")
        } else {
            lines += ["", "  parameterized {}"]
            exported.note(
                .changed, task, task.startWord, "the job runs each time it is dispatched",
                "start it with `nomad job dispatch \(ShellText.quoted(name))`")
        }
        lines += ["", "  group \"task\" {"]
        lines += restart(task).map { $0.isEmpty ? "" : "    " + $0 }
        lines += ["", "    task \"run\" {", "      driver = \"raw_exec\""]
        if let user = task.user { lines.append("      user   = \(quoted(user))") }
        let words = words(task)
        lines += [
            "", "      config {", "        command = \(quoted(words[0]))",
            "        args    = [\(words.dropFirst().map(quoted).joined(separator: ", "))]",
            "      }",
        ]
        if !task.command.environment.isEmpty {
            lines += ["", "      env {"]
            lines += task.command.environment.map { "        \($0.name) = \(quoted($0.value))" }
            lines.append("      }")
        }
        if task.grace != nil || task.command.expireSignal != nil { lines.append("") }
        if let grace = task.grace {
            lines.append("      kill_timeout = \(quoted("\(grace.wholeSeconds)s"))")
        }
        if let signal = task.command.expireSignal {
            lines.append("      kill_signal  = \(quoted("SIG\(signal)"))")
        }
        return lines + ["    }", "  }", "}"]
    }

    private mutating func noteOverlap(_ task: PortableTask) {
        guard let overlap = task.overlap, overlap != .skip else { return }
        exported.note(
            .changed, task, "overlap: \(overlap.rawValue)", "a date while it runs is left out")
    }

    /// Failed tasks are retried on the same node, or not at all.
    private mutating func restart(_ task: PortableTask) -> [String] {
        let tries = task.retry?.attempts ?? (task.retry == nil ? 1 : 16)
        let attempts = max(1, tries) - 1  // fits: at least 0
        var lines = ["restart {", "  attempts = \(attempts)"]
        if let retry = task.retry {
            lines.append("  delay    = \(quoted("\(retry.from.wholeSeconds)s"))")
            lines.append("  interval = \(quoted("24h"))")
            if retry.backoff == .exponential, retry.from != retry.to {
                exported.note(.changed, task, "retry", "the delay is the same after each failure")
            }
        }
        lines += ["  mode     = \"fail\"", "}", ""]
        return lines + ["reschedule {", "  attempts  = 0", "  unlimited = false", "}"]
    }

    /// Nomad has neither a directory nor a limit for raw_exec: the command must set them.
    private func words(_ task: PortableTask) -> [String] {
        var words = KubernetesWriter.words(task, options)
        if let limit = task.timeLimit {
            let grace = (task.grace ?? .seconds(5)).wholeSeconds
            words = ["timeout", "-k", "\(grace)", "\(limit.wholeSeconds)"] + words
        }
        let directory = options.directory(of: task.command)
        return [
            "/bin/sh", "-c",
            "cd \(ShellText.quoted(directory)) && exec \(ShellText.joined(words))",
        ]
    }

    /// HCL's quoted text: `${` and `%{` would begin a template.
    private func quoted(_ text: String) -> String {
        let quoted = YAMLText.doubleQuoted(text)
        return quoted.doubling("$").doubling("%")
    }
}

extension String {
    /// Doubles `sign` wherever `{` follows it.
    fileprivate func doubling(_ sign: Character) -> String {
        var result = ""
        for character in self {
            if character == "{", result.last == sign { result.append(sign) }
            result.append(character)
        }
        return result
    }
}
