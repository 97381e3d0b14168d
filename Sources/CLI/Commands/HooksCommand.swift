// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunHooks
import BGRunManifest
import BGRunPolicy
import BGRunSupervisor
import BGRunSystem
import FoundationEssentials

struct HooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks", abstract: "List or test the hooks of a manifest.",
        subcommands: [HooksListCommand.self, HooksTestCommand.self],
        defaultSubcommand: HooksListCommand.self)
}

struct HooksListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the hooks, their events and their actions.",
        discussion: "Example: bgrun hooks list -m notes.yaml")

    @OptionGroup var app: ManifestOption
    @OptionGroup var output: JSONOption

    func run() throws {
        let hooks = try Manifest.read(app.manifest, .installed(checkingFiles: false)).hooks
        if output.json { return print(try JSONOutput.text(hooks.map(\.json))) }
        guard !hooks.isEmpty else { return print("no hooks") }
        var table = Table("ON", "TASKS", "AFTER", "EVERY", "DOES")
        for hook in hooks {
            table.add(
                hook.events.joined(separator: ", "),
                hook.tasks.isEmpty ? "all" : hook.tasks.joined(separator: ", "), "\(hook.after)",
                hook.every.map(Quantity.text) ?? "-", LogText.visible(hook.title))
        }
        print(table.text)
    }
}

struct HooksTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the hooks of an event with sample data.",
        discussion: """
            Nothing of the app is run or changed. `after`, `every` and `waiting` are ignored. Exit \
            code 1: a hook failed.

            Example: bgrun hooks test -m notes.yaml --on failed
            """)

    @OptionGroup var app: ManifestOption

    @Option(
        help: ArgumentHelp(
            "The event: \(HookTrigger.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "event"),
        transform: { word in
            guard let trigger = HookTrigger(rawValue: word) else {
                let words = HookTrigger.allCases.map(\.rawValue)
                let list = "; it must be one of \(words.joined(separator: ", "))"
                throw ValidationError(
                    "unknown event \"\(word)\"" + NearMiss.hint(word, among: words, else: list))
            }
            return trigger
        })
    var on = HookTrigger.failed

    @Option(help: .value("identifier", "The task of the event. Default: the first one."))
    var task: String?

    func run() throws {
        let manifest = try Manifest.read(app.manifest, .installed(checkingFiles: false))
        if let refusal = HostAccount.refusal(of: manifest) {
            throw Exit.refused.reporting("\(app.manifest): \(refusal)")
        }
        let hooks = manifest.hooks.filter { hook in
            hook.triggers.contains(on)
                && task.map {
                    hook.tasks.isEmpty || IdentifierRule(permitting: hook.tasks).permits($0)
                }
                    ?? true
        }
        guard !hooks.isEmpty else {
            throw Exit.noInput.reporting(
                "the manifest has no hook for the event \(on.rawValue)"
                    + (task.map { " of \($0)" } ?? "")
                    + "; add the event to `on:` of a hook, or name another event with --on")
        }
        let worker = try Installation().requiredWorker()
        let bench = try HookBench(
            manifest, workerExecutable: worker,
            image: PluginImages(installation: Installation()).image
        ) { print("  " + LogText.visible($0)) }
        var haveAllRun = true
        for hook in hooks {
            let end = bench.run(hook, sample(for: hook, manifest))
            let isGood = end.outcome == .completed
            let message = isGood ? nil : end.message.map { ": \(LogText.visible($0))" }
            let title = isGood ? hook.title : hook.titleWithCommand
            print("\(LogText.visible(title)): \(end.outcome.sentence)\(message ?? "")")
            haveAllRun = haveAllRun && isGood
        }
        if !haveAllRun { throw Exit.attemptFailed }
    }

    private func sample(for hook: HookDefinition, _ manifest: Manifest) -> HookEvent {
        let identifier =
            task ?? hook.tasks.first ?? manifest.tasks.first?.declaration.identifier ?? manifest.app
        let isGood = on == .recovered || on == .completed
        var event = HookEvent(
            event: on, app: manifest.app, identifier: identifier,
            at: SystemClock().now.wall.milliseconds, failures: isGood ? 0 : Int64(hook.after),
            manifest: manifest.absolutePath)
        switch on {
        case .failed, .gaveUp: event.outcome = Outcome.failed.name
        case .expired:
            event.outcome = "expired"
            event.reason = StopReason.time.name
        case .interrupted: event.outcome = Outcome.interrupted.name
        case .recovered, .completed: event.outcome = Outcome.completed.name
        case .starved:
            event.reason = "waits for power: external"
            event.waited = 172_800_000
        case .skipped, .refused: break
        }
        event.message = "a sample of bgrun hooks test"
        if ![.skipped, .refused, .starved].contains(on) {
            event.attempt = 1
            event.output = ["the last lines", "of the output"]
        }
        return event.withSubject()
    }
}

extension HookDefinition {
    fileprivate var events: [String] { triggers.map(\.rawValue).sorted() }

    fileprivate var json: JSONValue {
        func seconds(_ interval: Interval) -> JSONValue {
            .number(Double(interval.nanoseconds) / 1e9)
        }
        return .members([
            "on": .strings(events), "tasks": .strings(tasks), "action": .string(title),
            "after": .count(after), "every": every.map(seconds), "timeout": seconds(timeout),
        ])
    }

    fileprivate var title: String {
        switch action {
        case .run: "run"
        case .post(let address, _, _): "post \(address)"
        }
    }

    /// Includes the command that `run` runs.
    fileprivate var titleWithCommand: String {
        guard case .run(let parameters) = action,
            let command = try? JSONDecoder().decode(Command.self, text: parameters.utf8)
        else { return title }
        let words = command.command ?? command.argv?.joined(separator: " ")
        return words.map { "\(title) `\($0)`" } ?? title
    }

    private struct Command: Decodable {
        var command: String?
        var argv: [String]?
    }
}
