// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Writes a CronJob of batch/v1 for each task, or a Job if it has no dates.
package struct KubernetesWriter {
    private let app: PortableApp
    private let options: ExportOptions
    private var exported: Exported

    /// One file for each task.
    package static func write(_ app: PortableApp, options: ExportOptions) -> Exported {
        var writer = KubernetesWriter(app: app, options: options, exported: Exported(app))
        for task in writer.exported.exportable(app) { writer.add(task) }
        if let first = app.tasks.first {
            writer.exported.notes.add(
                .changed, SourcePlace(file: first.place.file), "image",
                "commands run in \(options.image), with what is in it", "`--image` names another")
        }
        return writer.exported
    }

    private mutating func add(_ task: PortableTask) {
        var known: Set<TaskFeature> = [
            .zone, .startDeadline, .overlap, .timeLimit, .grace, .retry, .input,
        ]
        if task.schedule == .manual { known.insert(.launch) }
        exported.noteLost(task, "Kubernetes", has: known)
        do throws(CronDates.Failure) {
            let dates = try CronDates(forCluster: task, &exported)
            let all = dates.expressions
            guard all.allSatisfy({ CronFields($0)?.second == "0" }) else {
                throw CronDates.Failure(message: "Kubernetes has no seconds")
            }
            for (index, expression) in all.enumerated() {
                let ending = index == 0 ? "" : "-\(index + 1)"
                write(task, expression, dates.zone, name(task, ending))
            }
            if all.isEmpty {
                noteStart(task)
                write(task, nil, nil, name(task, ""))
            }
        } catch {
            exported.note(.lost, task, "schedule", error.message, "the task is not exported")
        }
    }

    private mutating func noteStart(_ task: PortableTask) {
        if task.startsAtLaunch {
            exported.note(
                .lost, task, task.startWord, "the Job runs once, when it is applied")
        } else {
            exported.note(
                .lost, task, task.startWord,
                "nothing starts the Job: it is written with `suspend: true`",
                "it runs once after `kubectl patch job \(name(task, "")) "
                    + "-p '{\"spec\":{\"suspend\":false}}'`")
        }
    }

    private mutating func write(
        _ task: PortableTask, _ expression: String?, _ zone: String?, _ name: String
    ) {
        var lines = task.description.map { [YAMLText.comment($0)] } ?? []
        lines.append("apiVersion: batch/v1")
        let job = jobSpec(task)
        if let expression {
            lines += [
                "kind: CronJob", "metadata:", "  name: \(name)", "spec:",
                "  schedule: \(YAMLText.doubleQuoted(expression))",
            ]
            if let zone { lines.append("  timeZone: \(YAMLText.doubleQuoted(zone))") }
            lines.append("  concurrencyPolicy: \(concurrency(task))")
            if let deadline = task.startDeadline {
                lines.append("  startingDeadlineSeconds: \(deadline.wholeSeconds)")
            }
            lines += ["  jobTemplate:", "    spec:"] + job.map { "      " + $0 }
        } else {
            lines += ["kind: Job", "metadata:", "  name: \(name)", "spec:"]
            if !task.startsAtLaunch { lines.append("  suspend: true") }
            lines += job.map { "  " + $0 }
        }
        exported.add("\(name).yaml", lines)
    }

    private mutating func concurrency(_ task: PortableTask) -> String {
        switch task.overlap {
        case .replace, .expireOld: return "Replace"
        case .queue?:
            exported.note(
                .changed, task, "overlap: queue", "a date while it runs is left out: Forbid")
            return "Forbid"
        case .skip, nil: return "Forbid"
        }
    }

    private mutating func jobSpec(_ task: PortableTask) -> [String] {
        var lines: [String] = []
        if let retry = task.retry {
            let repeats = max(1, retry.attempts ?? 7) - 1  // fits: at least 0
            lines.append("backoffLimit: \(repeats)")
            exported.note(
                .changed, task, "retry",
                "the delay after a failure is Kubernetes' own: 10s, doubled up to 6m")
        } else {
            lines.append("backoffLimit: 0")
        }
        if let limit = task.timeLimit {
            lines.append("activeDeadlineSeconds: \(limit.wholeSeconds)")
        }
        lines += ["template:", "  spec:", "    restartPolicy: Never"]
        if let grace = task.grace {
            lines.append("    terminationGracePeriodSeconds: \(grace.wholeSeconds)")
        }
        lines += [
            "    containers:", "      - name: task",
            "        image: \(YAMLText.doubleQuoted(options.image))",
            "        command: "
                + "[\(words(task).map(YAMLText.doubleQuoted).joined(separator: ", "))]",
        ]
        if let directory = task.command.directory {
            lines.append(
                "        workingDir: \(YAMLText.doubleQuoted(options.absolute(directory)))")
        }
        if !task.command.environment.isEmpty {
            lines.append("        env:")
            for variable in task.command.environment {
                lines.append("          - name: \(variable.name)")
                // Kubernetes would replace $(NAME).
                let value = variable.value.replacing("$", with: "$$")
                lines.append("            value: \(YAMLText.doubleQuoted(value))")
            }
        }
        return lines
    }

    private func words(_ task: PortableTask) -> [String] {
        Self.words(task, options).map { $0.replacing("$(", with: "$$(") }
    }

    static func words(_ task: PortableTask, _ options: ExportOptions) -> [String] {
        let plain: [String]
        switch task.command.action {
        case .shell(let line): plain = ["/bin/sh", "-c", line]
        case .program(let words): plain = words
        case .bgrun: plain = ["/bin/sh", "-c", options.line(task.identifier)]
        }
        guard let input = task.command.input else { return plain }
        let text = ShellText.quoted(input)
        return ["/bin/sh", "-c", "printf %s \(text) | \(ShellText.joined(plain))"]
    }

    /// At most 52 characters, the limit for a CronJob's name.
    private func name(_ task: PortableTask, _ ending: String) -> String {
        var name = app.shortName(task).lowercased().map { character -> Character in
            character.isLetter || character.isNumber ? character : "-"
        }
        while name.first == "-" { name.removeFirst() }
        name = Array(name.prefix(52 - ending.count))
        while name.last == "-" { name.removeLast() }
        return (name.isEmpty ? "task" : String(name)) + ending
    }
}
