// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One handler with what it is tried with.
package struct TrialTask: Sendable {
    var handler: String
    package var identifier: String
    var kind: TaskKind
    /// A JSON object.
    var parameters: String
    /// Where relative paths in parameters start; absolute.
    var directory: String
    /// Variables over those of this process.
    var environment: [String: String]
    /// Whether the parameters are the author's own, so that the handler is expected to succeed.
    var isReal: Bool

    package init(
        handler: String, identifier: String, kind: TaskKind, parameters: String, directory: String,
        environment: [String: String], isReal: Bool
    ) {
        self.handler = handler
        self.identifier = identifier
        self.kind = kind
        self.parameters = parameters
        self.directory = directory
        self.environment = environment
        self.isReal = isReal
    }
}

/// How plugins are tried.
package struct TrialOptions: Sendable {
    /// How long loading, and one attempt, may take.
    var limit: Interval
    /// How long an attempt may continue after it was told or has reported.
    var grace: Interval
    /// The tasks to try; nil: each handler the plugin registers, without parameters.
    var tasks: [TrialTask]?
    /// Whether an identifier may be submitted; nil: unknown.
    var permits: (@Sendable (String) -> Bool)?
    /// The directory of handlers that are tried without parameters; absolute.
    var directory: String

    package init(
        limit: Interval, grace: Interval, tasks: [TrialTask]?,
        permits: (@Sendable (String) -> Bool)?, directory: String
    ) {
        self.limit = limit
        self.grace = grace
        self.tasks = tasks
        self.permits = permits
        self.directory = directory
    }
}

/// Tries a plugin against every case.
package struct Conformance {
    private let bench: PluginBench

    package init(_ site: TrialSite, _ options: TrialOptions) {
        bench = PluginBench(site, options)
    }

    /// Judges the cases whose id is in `only`, all of them when it is empty, and always `load.loads`; `found` is
    /// called as soon as each is known. Blocks; a plugin that hangs costs the limit and the grace, a few times.
    ///
    /// - Parameter found: Takes the case, the handler it is about, nil for the plugin as a whole, and the verdict.
    package func run(
        only: Set<String>, found: (ConformanceCase, _ handler: String?, CaseStatus) -> Void
    ) throws {
        let chosen = ConformanceCase.all.filter {
            only.isEmpty || only.contains($0.id) || $0.id == "load.loads"
        }
        for item in chosen {
            guard case .plugin(let judge) = item.judge else { continue }
            found(item, nil, try judge(bench))
        }
        for handler in try bench.handlers() {
            for item in chosen {
                guard case .handler(let need, let judge) = item.judge else { continue }
                let verdict = try handler.objection(need).map(CaseStatus.skipped) ?? judge(handler)
                found(item, handler.task.handler, verdict)
            }
        }
    }
}
