// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunCore
import BGRunManifest
import BGRunStore

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show what decides when a task is launched, and what holds it back.",
        discussion: """
            Each date, condition, factor and limit with its value and the one it needs, then what its \
            requests have waited for and what happened to the task last. Works with and without a running host; only a host knows since \
            when a value is as it is. What has been comes from the journal.
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "The task's identifier.")
    var identifier: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "At that time instead of now: -2h, +30m, 14:30, or a date and time.",
            discussion: "What is to come is what stands if nothing happens but that time passes.",
            valueName: "time"),
        transform: TimeArgument.parse)
    var at: TimeArgument?

    @Option(help: ArgumentHelp("At most so many waits of the past.", valueName: "count"))
    var history = 10

    @OptionGroup var output: JSONOption

    func validate() throws {
        if history < 0 { throw ValidationError("--history must not be negative") }
    }

    func run() throws {
        let manifest = try app.readManifest()
        let view = try reportingFailures {
            let explanation = AppExplanation(
                manifest: manifest, state: try app.stateDirectory(of: manifest.app),
                identifier: identifier)
            guard let at else { return try explanation.now(history: history) }
            return try explanation.at(at, history: history)
        }
        print(output.json ? try JSONOutput.text(view) : ExplanationText(view: view).text)
    }
}
