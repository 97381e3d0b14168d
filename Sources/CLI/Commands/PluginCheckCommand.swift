// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy
import Glibc

struct PluginCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Test a plugin against every rule of the ABI.",
        discussion: """
            The file is checked without loading it; then it is loaded, and its handlers are run, \
            each about 120 times, in processes of their own. Without --manifest they are given no \
            parameters and an empty directory; with it, the parameters of the tasks it handles: \
            use one made for trials. The plugin runs without confinement.

            Exits with 66 when the file does not exist, 77 when bgrun would not load the plugin, and 1 \
            when another case fails.

            Example: bgrun plugin check ./libcounter.so
            """)

    @Argument(help: "The plugin, a shared library.", completion: .file(extensions: ["so"]))
    var file: String?

    @Option(help: .value("digest", "The digest it must have."))
    var sha256: String?

    @Option(
        name: .shortAndLong, help: .value("file", "A manifest whose tasks the plugin handles."),
        completion: .yamlFiles)
    var manifest: String?

    @Option(help: .value("identifier", "Try only this task of the manifest."))
    var task: [String] = []

    @Option(help: .value("case", "Judge only this case."))
    var only: [String] = []

    @Flag(help: "List the cases, and try nothing.")
    var list = false

    @Option(
        help: .value("duration", "How long loading, or one attempt, may take."),
        transform: DurationArgument.parse)
    var timeout: Interval = .seconds(10)

    @Option(
        help: ArgumentHelp(
            "How long an attempt may continue once it was told to expire, or has reported.",
            valueName: "duration"), transform: DurationArgument.parse)
    var grace: Interval = .seconds(5)

    @Flag(help: "Also show the cases that passed or were skipped.")
    var all = false

    @Flag(help: "Print SARIF 2.1.0.")
    var sarif = false

    @OptionGroup var output: JSONOption

    func validate() throws {
        if file == nil, !list { throw ValidationError("name a plugin") }
        if sarif, output.json { throw ValidationError("--sarif prints JSON already: drop --json") }
        if manifest == nil, !task.isEmpty {
            throw ValidationError("--task needs --manifest")
        }
        for id in only where !CheckCase.all.contains(where: { $0.id == id }) {
            throw ValidationError("unknown case \"\(id)\"; --list shows them")
        }
    }

    func run() throws {
        guard let file, !list else { return try showList() }
        let check = PluginCheck(
            file: file, sha256: sha256, only: Set(only), limit: timeout, grace: grace)
        let tasks = try manifest.map { try TrialTasks(manifest: $0, plugin: file, only: task) }
        let isText = !sarif && !output.json
        let isMissing = access(file, F_OK) != 0 && errno == ENOENT
        if isMissing, isText {
            throw Exit.noInput.reporting(
                "\(LogText.visible(file)) does not exist; name a plugin, a shared library")
        }
        // A signal kills the worker, which is not a fault of the plugin.
        let report = try check.run(tasks) { if isText, !Interruption.hasCome { show($0) } }
        if isText { for note in tasks?.notes ?? [] { print("note     \(note)") } }
        if sarif {
            print(try JSONOutput.text(SARIF(report)))
        } else if output.json {
            print(try JSONOutput.text(report))
        } else {
            print(report.score)
        }
        if !report.isAccepted { throw isMissing ? Exit.noInput : Exit.refused }
        if report.failed > 0 { throw Exit.attemptFailed }
    }

    private func show(_ result: CheckReport.Result) {
        let isQuiet = result.verdict == .passed || result.verdict == .skipped
        guard all || !isQuiet else { return }
        let name = result.handler.map { " [\($0)]" } ?? ""
        print("\(result.verdict.word) \(result.id)\(name): \(result.sentence)")
        if let message = result.message { print("         \(LogText.visible(message))") }
        if result.verdict == .failed { print("         \(result.remedy)") }
    }

    private func showList() throws {
        if output.json { return print(try JSONOutput.text(CheckCase.all)) }
        var table = Table("CASE", "A GOOD PLUGIN")
        for item in CheckCase.all { table.add(item.id, item.sentence) }
        print(table.text)
    }
}
