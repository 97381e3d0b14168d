// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunConfinement
import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import Glibc

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show why a task has not run and what would change that.",
        discussion: """
            Shows each date, condition, factor and limit with its value and the needed one (no: it \
            blocks; pass: it does not block, although it is unknown or not met), then what its \
            requests have waited for and what happened to the task last; for a task that is not \
            pending, what submits it. For a transfer, given by name, number or session, shows why \
            it waits and what would change that. Works with and without a running host, but only a \
            host knows since when a value has held. The past comes from the journal.

            With --access, shows instead whether the task's confinement permits something, which \
            rule decides, what enforces it on this machine, and which key would permit it.

            Example: bgrun explain com.example.notes.backup -m notes.yaml
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier, or a transfer's name.")
    var identifier: String

    @Option(
        parsing: .unconditional,
        help: .value(
            "time", "At that time instead of now: -2h, +30m, 14:30, or a date and time.",
            discussion: "A future time is shown as if nothing else happened until then."),
        transform: TimeArgument.parse)
    var at: TimeArgument?

    @Option(parsing: .unconditional, help: .value("count", "At most this many past waits."))
    var history = 10

    @Option(
        name: .customLong("access"),
        help: .value(
            "access", "Whether its handler may do that; may be repeated.",
            discussion: "One of \(AccessRequest.forms)."),
        transform: AccessReport.request)
    var questions: [AccessRequest] = []

    @OptionGroup var output: JSONOption

    func validate() throws {
        if history < 0 { throw ValidationError("--history must not be negative") }
        if at != nil, !questions.isEmpty {
            throw ValidationError("--at and --access cannot be combined")
        }
    }

    func run() throws {
        let manifest = try app.readManifest()
        guard questions.isEmpty else {
            let report = try accessReport(manifest)
            return print(output.json ? try JSONOutput.text(report) : report.text)
        }
        if at == nil, let transfers = try transfers(of: manifest) {
            guard manifest.task(for: identifier) != nil else {
                return print(
                    output.json ? try JSONOutput.text(transfers) : TransferText.all(transfers))
            }
            // A task and a session may have the same name: both are printed.
            if !output.json { print(TransferText.all(transfers) + "\n") }
        }
        let explanation = AppExplanation(
            manifest: manifest, state: try app.stateDirectory(of: manifest.app),
            identifier: identifier)
        var view =
            try at.map { try explanation.at($0, history: history) }
            ?? explanation.now(history: history)
        if view.at == nil { view.confined = explanation.denial() }
        if view.state == "idle", view.at == nil {
            view.submittedBy =
                NextSubmission(
                    manifest: manifest, identifier: identifier,
                    options: "-m \(manifest.path)" + app.place.arguments
                ).sources
        }
        print(output.json ? try JSONOutput.text(view) : ExplanationText(view: view).text)
    }

    private func accessReport(_ manifest: Manifest) throws -> AccessReport {
        guard let task = manifest.task(for: identifier) else { throw manifest.unknown(identifier) }
        let state = try app.stateDirectory(of: manifest.app)
        let rules = try AppConfinement(manifest, state).rules(of: task)
        return AccessReport(
            identifier: identifier, profile: manifest.confinement(of: task).profile.rawValue,
            access: questions.map { AccessReport.Item(rules.decision(on: $0)) })
    }

    /// The selected transfers: the unfinished ones, or else the last one; nil without transfers.
    private func transfers(of manifest: Manifest) throws -> [TransferView]? {
        let state = try app.stateDirectory(of: manifest.app)
        guard access(state.path, R_OK) == 0 || errno == ENOENT else { return nil }
        let all = try TransferAccess(state: state).views()
            .filter { ["\($0.id)", $0.label, $0.session].contains(identifier) }
        let unfinished = all.filter { !$0.isFinished }
        if !unfinished.isEmpty { return unfinished }
        if let last = all.last { return [last] }
        guard manifest.transfers.contains(where: { $0.name == identifier }) else { return nil }
        print("\(identifier) is declared and was never submitted: no host has run since")
        throw ExitCode.success
    }
}
