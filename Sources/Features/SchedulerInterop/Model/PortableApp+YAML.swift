// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension PortableApp {
    /// The manifest to write, with the notes at its end as comments.
    package var yaml: String {
        var lines = [YAMLText.comment("Generated from \(origin) by `bgrun import`.")]
        if !comments.isEmpty { lines += [""] + comments.map(YAMLText.comment) + [""] }
        lines += [
            "bgrun: 1", "app: \(YAMLText.scalar(app))",
        ]
        if let user = tasks.first?.user { lines.append("user: \(YAMLText.scalar(user))") }
        lines.append("modes: [processing]")
        lines.append("permitted_identifiers:")
        lines += tasks.map { "  - \(YAMLText.scalar($0.identifier))" }
        lines += [
            "plugins:", "  exec: exec",
            "# The original scheduler limits neither the number of running tasks nor their duration.",
            "policy: {profile: server, concurrent_attempts: 1024, processing_limit: 30d}",
            "tasks:",
        ]
        for task in tasks { lines += task.yamlLines }
        if !notes.isEmpty {
            lines += ["", "# Differences from the original:"]
            lines += notes.map { YAMLText.comment(" - \($0.text)") }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension PortableTask {
    fileprivate var yamlLines: [String] {
        var lines = comments.map { "  " + YAMLText.comment($0) }
        lines.append("  \(YAMLText.scalar(identifier)):")
        var body = description.map { ["description: \(YAMLText.scalar($0))"] } ?? []
        body += ["kind: processing", "handler: exec.run"]
        body += command.yamlLines
        body += timingLines
        if !requires.isEmpty {
            let pairs = requires.map { "\($0.key): \($0.value)" }
            body.append("requires: {\(pairs.joined(separator: ", "))}")
        }
        let limits = [
            timeLimit.map { "after: \(Quantity.text($0))" },
            grace.map { "grace: \(Quantity.text($0))" },
        ].compactMap { $0 }
        if !limits.isEmpty { body.append("expiration: {\(limits.joined(separator: ", "))}") }
        if let retry { body.append(retry.yaml) }
        return lines + body.map { "    " + $0 }
    }

    private var timingLines: [String] {
        var lines: [String] = []
        switch schedule {
        case .manual: break
        case .every(let interval): lines.append("every: \(Quantity.text(interval))")
        case .cron(let text): lines.append("cron: \(YAMLText.doubleQuoted(text))")
        case .calendar(let all):
            let quoted = all.map(YAMLText.doubleQuoted)
            lines.append(
                all.count == 1
                    ? "calendar: \(quoted[0])" : "calendar: [\(quoted.joined(separator: ", "))]")
        }
        if let zone { lines.append("zone: \(YAMLText.scalar(zone))") }
        if let on = triggers.yaml { lines.append("on: {\(on)}") }
        lines += lengths.map(\.1)
        if let catchUp { lines.append("catch_up: \(catchUp.rawValue)") }
        if let overlap { lines.append("overlap: \(overlap.rawValue)") }
        // `on: launch` is a submission by the host; nothing else is.
        if schedule == .manual, !triggers.launch { lines.append("submit: manual") }
        return lines
    }
}

extension PortableTask.Triggers {
    /// The text in the braces of `on:`; nil if empty.
    fileprivate var yaml: String? {
        var pairs: [String] = []
        if launch { pairs.append("launch: true") }
        if resume { pairs.append("resume: true") }
        if let path { pairs.append("path: \(YAMLText.scalar(path))") }
        if let socket {
            let address = YAMLText.doubleQuoted(socket.address)
            pairs.append(
                socket.mode.map { "socket: {unix: \(address), mode: \($0)}" }
                    ?? "socket: {tcp: \(address)}")
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: ", ")
    }
}

extension PortableCommand {
    fileprivate var yamlLines: [String] {
        var lines = ["parameters:"]
        switch action {
        case .shell(let line): lines.append("  command: \(YAMLText.scalar(line))")
        case .program(let words): lines.append("  argv: \(YAMLText.list(words))")
        case .bgrun(let handler): lines = ["# \(handler)", "parameters:"]
        }
        if let directory { lines.append("  directory: \(YAMLText.scalar(directory))") }
        if let input { lines.append("  input: \(YAMLText.doubleQuoted(input))") }
        if let successCodes {
            lines.append(
                "  success_codes: [\(successCodes.map(String.init).joined(separator: ", "))]")
        }
        if let expireSignal { lines.append("  expire_signal: \(expireSignal)") }
        guard !environment.isEmpty else { return lines }
        lines.append("environment:")
        lines += environment.flatMap { variable in
            YAMLText.entry(variable.name, YAMLText.scalar(variable.value)).map { "  " + $0 }
        }
        return lines
    }
}

extension RetryRule {
    fileprivate var yaml: String {
        let limit = attempts.map { ", attempts: \($0)" } ?? ""
        return "retry: {backoff: \(backoff.rawValue), from: \(Quantity.text(from)), "
            + "to: \(Quantity.text(to))\(limit)}"
    }
}
