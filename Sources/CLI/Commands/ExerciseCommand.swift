// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunConformance
import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import Glibc

struct ExerciseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exercise",
        abstract: "Revoke the time of tasks at every checkpoint and at random moments.",
        discussion: """
            Runs the handlers of a manifest's tasks, tells them to expire, and lets the next \
            attempt continue from what was stored. Finds lost work, and attempts that crash, do \
            not return, complete twice, or do not complete within the grace. The work is really \
            done, many times: use a manifest made for trials. Nothing is stored for `bgrun run`. \
            The plugins run without confinement.

            Exits with 1 when something was found.

            Example: bgrun exercise -m notes.yaml --rounds 20
            """)

    @OptionGroup var app: ManifestOption

    @Argument(help: "The tasks. Default: all whose handler is in a plugin.")
    var identifiers: [String] = []

    @Option(help: .value("count", "How many random moments for each task."))
    var rounds = 20

    @Option(help: .value("number", "Chooses the moments; printed with the result."))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "A shell command that undoes the work; run in the manifest's directory before each "
                + "first attempt.", valueName: "command"))
    var prepare: String?

    @Option(
        help: .value("duration", "How long loading, or one attempt, may take."),
        transform: DurationArgument.parse)
    var timeout: Interval = .seconds(60)

    @Option(
        help: ArgumentHelp(
            "How long an attempt may continue once it was told to expire, or has reported.",
            valueName: "duration"), transform: DurationArgument.parse)
    var grace: Interval = .seconds(5)

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard (0...1_000_000).contains(rounds) else {
            throw ValidationError("--rounds must be from 0 to 1000000")
        }
    }

    func run() throws {
        let manifest = try Manifest.read(app.manifest)
        let seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        var random = SeededGenerator(seed: seed)
        var results: [ExerciseResult] = []
        for task in try chosen(of: manifest) {
            let trial = TaskTrial(manifest: manifest, limit: timeout, grace: grace)
            var result = ExerciseResult(identifier: task.declaration.identifier, seed: seed)
            do {
                result.report = try trial.exercise(
                    task, rounds: rounds, prepare: { try prepareWork(in: manifest.directory) },
                    using: &random)
            } catch let problem as Exercise.Problem {
                result.problem = problem.message
            }
            if !output.json { print(result.text) }
            results.append(result)
        }
        if output.json { print(try JSONOutput.text(results.map(\.json))) }
        if results.contains(where: { !$0.isClean }) { throw Exit.attemptFailed }
    }

    private func prepareWork(in directory: String) throws {
        guard let prepare else { return }
        // Its output is not part of the result.
        let script = "cd -- \"$1\" || exit; eval \"$2\""
        let process = try Subprocess(
            "/bin/sh", ["-c", script, "sh", directory, prepare], output: STDERR_FILENO)
        let status = try process.watched()
        guard status == 0 else {
            throw Exercise.Problem(message: "--prepare ended with status \(status): \(prepare)")
        }
    }

    private func chosen(of manifest: Manifest) throws -> [TaskDefinition] {
        let inPlugins = manifest.tasks.filter {
            if case .handler = $0.action { true } else { false }
        }
        let known = inPlugins.map(\.declaration.identifier)
        for identifier in identifiers where !known.contains(identifier) {
            throw Exit.badData.reporting(
                "\(app.manifest) has no task \"\(LogText.visible(identifier))\" with a handler; it "
                    + "has: \(known.joined(separator: ", "))")
        }
        guard !identifiers.isEmpty else { return inPlugins }
        return inPlugins.filter { identifiers.contains($0.declaration.identifier) }
    }
}
