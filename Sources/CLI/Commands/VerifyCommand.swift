// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Run the checklists before an app ships.",
        discussion: """
            Runs the real handlers on simulated devices: one where everything is fine, and one \
            each after a force quit, with background refresh off, and in Low Power Mode. Tells \
            each handler that its time is over, and checks the order of the log and that the next \
            run is requested. The work is really done, several times: use a manifest made for \
            trials. Nothing is stored for `bgrun run`.

            Exits with 1 when an item failed.

            Example: bgrun verify -m notes.yaml
            """)

    @OptionGroup var app: ManifestOptions

    @Argument(help: "The tasks. Default: all.")
    var identifiers: [String] = []

    @Option(
        help: .value("duration", "How long one attempt may take."),
        transform: DurationArgument.parse)
    var timeout: Interval = .seconds(60)

    @OptionGroup var output: JSONOption

    private struct Report: Encodable {
        var manifest: String
        var passed: Bool
        var tasks: [VerifiedTask]
    }

    func run() throws {
        let manifest = try ManifestFile(path: app.manifest).read(warning: true)
        let verification = Verification(
            manifest: manifest, path: app.manifest, tasks: try chosen(of: manifest),
            limit: timeout, hasCompletedHere: hasCompletedHere,
            progress: { complain("verify: \(LogText.visible($0))") })
        let tasks = try verification.run()
        let hasPassed = !tasks.contains(where: \.hasFailed)
        if output.json {
            print(
                try JSONOutput.text(
                    Report(manifest: app.manifest, passed: hasPassed, tasks: tasks)))
        } else {
            print(tasks.map(\.text).joined(separator: "\n"))
            let items = tasks.flatMap(\.items)
            let failed = items.count { $0.verdict == .failed }
            let passed = items.count { $0.verdict == .passed }
            print("\(passed) items passed, \(failed) failed")
        }
        if !hasPassed { throw Exit.attemptFailed }
    }

    private func chosen(of manifest: Manifest) throws -> [TaskDefinition] {
        guard !manifest.tasks.isEmpty else {
            throw Exit.badData.reporting(
                "\(app.manifest) declares no tasks; add one under `tasks`")
        }
        let known = manifest.tasks.map(\.declaration.identifier)
        for identifier in identifiers where !known.contains(identifier) {
            throw Exit.badData.reporting(
                "\(app.manifest) has no task \"\(LogText.visible(identifier))\""
                    + NearMiss.hint(identifier, among: known, else: "; `tasks` lists them"))
        }
        guard !identifiers.isEmpty else { return manifest.tasks }
        return manifest.tasks.filter { identifiers.contains($0.declaration.identifier) }
    }

    private func hasCompletedHere(_ identifier: String) -> Bool {
        let state = app.place.state.map { ["--state", $0] } ?? []
        let words =
            ["history", "-m", app.manifest] + state
            + [identifier, "--outcome", "completed", "--limit", "1", "--json"]
        guard let text = try? VerifyRun.output(of: words),
            case .array(let attempts)? = JSONValue(text.utf8)
        else { return false }
        return !attempts.isEmpty
    }
}
