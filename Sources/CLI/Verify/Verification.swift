// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import FoundationEssentials

/// Tests every task of an app against the checklists of background tasks: real handlers on a
/// simulated device in ideal conditions, and with one condition that prevents launches.
struct Verification {
    let manifest: Manifest
    let path: String
    let tasks: [TaskDefinition]
    /// The time limit of one attempt.
    let limit: Interval
    /// Whether a task has completed on this machine.
    let hasCompletedHere: (_ identifier: String) -> Bool
    /// Receives the current step.
    let progress: (String) -> Void

    private struct Pending: Decodable {
        struct Row: Decodable { var identifier: String }
        var pending: [Row]
    }

    private static let days = 3
    /// The additional time, beyond that of ideal conditions, in which a task must not be launched while
    /// a condition prevents it.
    private static let timeout: TimeInterval = 3_600

    private struct Hindrance {
        var item: VerifyItem
        var factor: Factor
        var prepare: [[String]] = []
        var lowPowerMode = false
        var opens = true
    }

    private static let hindrances = [
        Hindrance(
            item: .forceQuit, factor: .appSwitcher, prepare: [["quit", "--force"]], opens: false),
        Hindrance(item: .refreshOff, factor: .refreshSwitch, prepare: [["refresh", "off"]]),
        Hindrance(item: .lowPowerMode, factor: .lowPowerMode, lowPowerMode: true),
    ]

    func run() throws -> [VerifiedTask] {
        let begin = WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        progress("running every task under ideal conditions")
        let (lines, pending) = try inRun { run in
            let lines = try run.rehearse(scenario(at: begin, days: Self.days)) { lines in
                let ended = Set(lines.compactMap(\.ended))
                // The scenario has no transfers to launch those of kind transfer.
                return tasks.allSatisfy {
                    $0.declaration.kind == .transfer || ended.contains(identifier($0))
                }
            }
            let text = try run.command(["pending", "--json", "--limit", "100000"])
            let pending = try JSONDecoder().decode(Pending.self, text: text.utf8)
            return (lines, Set(pending.pending.map(\.identifier)))
        }
        var results = try tasks.map { try verify($0, lines, pending) }
        let started = lines.filter { $0.identifier(after: "Starting") != nil }.map(\.time)
        let span = Self.seconds(from: begin, to: started.max() ?? "") + Self.timeout
        for hindrance in Self.hindrances {
            let held = tasks.indices.filter {
                tasks[$0].declaration.kind.factors.contains(hindrance.factor)
            }
            if !held.isEmpty { progress("running them again: \(hindrance.item.rawValue)") }
            let launched = held.isEmpty ? [] : try launches(under: hindrance, at: begin, for: span)
            for index in tasks.indices {
                let name = identifier(tasks[index])
                guard held.contains(index) else {
                    let kind = tasks[index].declaration.kind.name
                    results[index].add(
                        hindrance.item, .skipped, "tasks of kind \(kind) are not held back by it")
                    continue
                }
                // Without a launch in ideal conditions, a missing launch here proves nothing.
                guard lines.contains(where: { $0.identifier(after: "Starting") == name }) else {
                    results[index].add(hindrance.item, .skipped, "it is never launched")
                    continue
                }
                results[index].add(
                    hindrance.item, isTrue: !launched.contains(name), orElse: "it was launched")
            }
        }
        return results
    }

    // MARK: one task

    private func verify(
        _ task: TaskDefinition, _ lines: [VerifyRun.Line], _ pending: Set<String>
    ) throws -> VerifiedTask {
        let name = identifier(task)
        var result = VerifiedTask(
            identifier: name, manifest: path, isCommand: isCommand(task))
        guard task.declaration.kind != .transfer else {
            result.add(.launches, .skipped, "a transfer launches it: `bgrun transfers add`")
            return result
        }
        let start = lines.firstIndex { $0.identifier(after: "Starting") == name }
        result.add(
            .launches, isTrue: start != nil, orElse: "it was not launched in \(Self.days) days")
        guard let start else { return result }
        let ends = lines.filter { $0.ended == name }.map(\.text)
        let completes = ends.contains { $0.hasPrefix("Task completed with identifier") }
        result.add(.completes, isTrue: completes, orElse: ends.first ?? "it did not end")
        if let missing = missingLine(of: task, lines[...start]) {
            result.add(.logOrder, .failed, missing)
        } else {
            result.add(
                .logOrder, completes ? .passed : .skipped,
                completes ? nil : "it did not complete")
        }
        progress("ending \(name) early")
        try addExpiration(of: task, to: &result)
        switch task.declaration.kind {
        case .appRefresh, .processing:
            // The run has submitted it; a manually submitted task need not submit the next request.
            guard task.declaration.submission == .launch || pending.contains(name) else {
                result.add(.next, .skipped, "the manifest says `submit: manual`")
                break
            }
            result.add(
                .next, isTrue: pending.contains(name),
                orElse: "nothing is pending after it has run")
        case .push, .continued, .transfer:
            result.add(.next, .skipped, "each run of it is requested separately")
        }
        result.add(.realDevice, hasCompletedHere(name) ? .passed : .warned)
        return result
    }

    /// The missing line before its start, as a clause; nil if all are there.
    private func missingLine(
        of task: TaskDefinition, _ before: ArraySlice<VerifyRun.Line>
    ) -> String? {
        let name = identifier(task)
        let starting = "\"Starting task with identifier \(name)\""
        let isInPlugin = if case .handler = task.action { true } else { false }
        guard before.contains(where: { $0.identifier(after: "Scheduling") == name }) else {
            return "no line \"Scheduling task with identifier \(name)\" before \(starting)"
        }
        let isRegistered = before.contains {
            let identifier = $0.text.replacing(
                "Registered handler for task with identifier ", with: "")
            return identifier == name || identifier == task.declaration.identifier
        }
        guard isRegistered || !isInPlugin else {
            return "no line \"Registered handler for task with identifier \(name)\" before "
                + starting
        }
        return nil
    }

    /// Whether its handler is `exec.run`.
    private func isCommand(_ task: TaskDefinition) -> Bool {
        guard case .handler(let name, let handler) = task.action,
            let plugin = manifest.plugins.first(where: { $0.name == name })
        else { return false }
        let isExec =
            switch plugin.location {
            case .shipped(let shipped): shipped == "exec"
            case .path: plugin.name == "exec"
            }
        return isExec && handler == "run"
    }

    private func addExpiration(of task: TaskDefinition, to result: inout VerifiedTask) throws {
        let trial = TaskTrial(
            manifest: manifest, limit: limit, grace: task.declaration.grace ?? manifest.policy.grace
        )
        var random = SeededGenerator(seed: 1)
        do {
            let report = try trial.exercise(task, rounds: 3, prepare: {}, using: &random)
            if let finding = report.findings.first {
                result.add(
                    .expires, .failed,
                    "\(finding.rule.sentence) Told \(finding.moment): \(finding.message)")
            } else if report.told == 0 {
                result.add(
                    .expires, .warned, "it completed before it could be told; give it more work")
            } else {
                result.add(.expires, .passed)
            }
        } catch let problem as Exercise.Problem {
            result.add(.expires, problem.isDeath ? .failed : .skipped, problem.message)
        }
    }

    // MARK: runs

    private func launches(
        under hindrance: Hindrance, at begin: WallTime, for span: TimeInterval
    ) throws -> Set<String> {
        try inRun(after: hindrance.prepare) { run in
            let scenario = scenario(
                at: begin, seconds: Int(span), lowPowerMode: hindrance.lowPowerMode,
                opens: hindrance.opens)
            return Set(try run.rehearse(scenario).compactMap { $0.identifier(after: "Starting") })
        }
    }

    private func inRun<Result>(
        after commands: [[String]] = [], _ body: (VerifyRun) throws -> Result
    ) throws -> Result {
        let directory = try TemporaryDirectory.make("bgrun-verify")
        defer {
            try? FileManager.default.removeItem(atPath: directory)
            Interruption.end()
        }
        let run = VerifyRun(manifest: path, app: manifest.app, directory: directory)
        try run.begin(after: commands)
        return try body(run)
    }

    private func scenario(
        at begin: WallTime, days: Int? = nil, seconds: Int = 0, lowPowerMode: Bool = false,
        opens: Bool = true
    ) -> String {
        let duration = days.map { "\($0)d" } ?? "\(max(60, seconds))s"
        var events: [String] =
            opens ? ["  - {at: 0s, app: open}", "  - {every: 1d, at: 1d, app: open}"] : []
        for task in tasks {
            switch task.declaration.kind {
            case .push: events.append("  - {at: 1m, push: \(identifier(task))}")
            case .continued, .appRefresh, .processing:
                guard task.declaration.submission == .manual || isBeyond(task, begin) else {
                    continue
                }
                events.append("  - {at: 1m, submit: \(identifier(task)), delay: 0s}")
            case .transfer: continue
            }
        }
        return """
            scenario: 1
            name: bgrun verify
            start: \(begin.utcText.prefix(16).replacing("T", with: " "))
            duration: \(duration)
            device:
              power: [{is: external}]
              network: [{is: unmetered}]
              idle: [{is: true}]
              low_power_mode: [{is: \(lowPowerMode)}]
              gpu: true
            \(events.isEmpty ? "" : "events:\n" + events.joined(separator: "\n"))

            """
    }

    /// Whether its first date, such as a weekly task's, may come too late for a run under ideal
    /// conditions.
    private func isBeyond(_ task: TaskDefinition, _ begin: WallTime) -> Bool {
        let wait = Interval.days(Int64(Self.days - 1))
        if let calendar = task.declaration.schedule?.calendar {
            return calendar.next(after: begin).map { $0 > begin.advanced(by: wait) } ?? true
        }
        return task.declaration.earliest > wait
    }

    private static func seconds(from begin: WallTime, to time: String) -> TimeInterval {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = try? Date(time, strategy: style) else { return 0 }
        return max(0, date.timeIntervalSince1970 - Double(begin.milliseconds) / 1_000)
    }

    /// Replaces a wildcard by one identifier.
    private func identifier(_ task: TaskDefinition) -> String {
        TrialTask.identifier(task.declaration.identifier)
    }
}
