// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Summarize the results of each task, and what needs attention.",
        discussion: """
            For each task: attempts and how they ended, how late they were launched, how long they \
            ran, what held them back, and whether its schedule was kept. Reads the store and the \
            journal, with and without a running host.

            Example: bgrun report -m notes.yaml
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: .value("identifier", "Only these tasks."))
    var identifiers: [String] = []

    @Option(
        parsing: .unconditional,
        help: .value("time", "From then on: 7d or -7d ago, 14:30 today, or a date and time."),
        transform: TimeArgument.parsePast)
    var since: TimeArgument = .ago("7d")

    @Option(
        parsing: .unconditional, help: .value("time", "Until then. Default: now."),
        transform: TimeArgument.parsePast)
    var until: TimeArgument?

    /// The condition for exit code 1.
    enum Failing: String, ExpressibleByArgument, CaseIterable {
        case attention, failure
    }

    @Option(
        name: .customLong("fail-on"),
        help: .value(
            "what",
            "Exit with 1 when something needs attention, or when an attempt failed in that time."))
    var failing: Failing?

    @OptionGroup var output: JSONOption

    func run() throws {
        let manifest = try app.readManifest()
        let state = try app.stateDirectory(of: manifest.app).readable()
        for identifier in identifiers { try manifest.requireKnown(identifier, in: state) }
        let now = SimulatedState.now(of: state)
        let end = until?.date(at: now) ?? now
        let report = try AppReport(
            manifest: manifest, state: state, since: since.date(at: now), until: end
        ).make(identifiers)
        print(output.json ? try JSONOutput.text(report) : ReportText(report: report).text)
        let isBad =
            switch failing {
            case nil: false
            case .attention: !report.attention.isEmpty
            case .failure: report.tasks.contains { $0.success ?? 1 < 1 }
            }
        if isBad { throw Exit.attemptFailed }
    }
}
