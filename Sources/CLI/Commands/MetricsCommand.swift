// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunProtocol
import Glibc

struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print metrics for Prometheus.",
        discussion: """
            The text format 0.0.4, as `bgrun dashboard` serves it at /metrics; with --output for \
            the textfile collector of node_exporter. Counters are kept in the state directory, so \
            that they continue. Works with and without a running host.

            Example: bgrun metrics
            """)

    @OptionGroup var apps: CatalogOptions

    @Option(
        help: .value("file", "Write this file instead, atomically."),
        completion: .file(extensions: ["prom"]))
    var output: String?

    func run() throws {
        let catalog = apps.catalog
        var problems: [String] = []
        var failure: ExitCode?
        let source = MetricsSource()
        let metrics = try catalog.apps().map { found in
            var app = found
            app.answerLimit = HostAccess.timeout
            let (metrics, problem, isNotAnswering) = source.metrics(app)
            // A currently invalid manifest does not affect past measurements.
            if let problem, problem != app.problem {
                problems.append("\(app.name): \(problem)")
                let code = isNotAnswering ? Exit.unavailable : Exit.ioError
                failure = failure == Exit.ioError ? failure : code
            }
            return metrics
        }
        let text = MetricsText(metrics, version: Version.text).text
        let invalid = catalog.problems()
        problems += invalid
        for problem in problems { complain(problem) }
        if let output {
            // The collector runs as another user.
            try NamedFile.write(text, to: output)
        } else {
            print(text, terminator: "")
        }
        if let failure { throw failure }
        if !invalid.isEmpty { throw Exit.badData }
    }
}
