// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One handler with the inputs of its trial.
package struct TrialTask: Sendable {
    var handler: String
    package var identifier: String
    var kind: TaskKind
    /// A JSON object.
    var parameters: String
    /// The base directory of relative paths in parameters; absolute.
    var directory: String
    /// Environment variables in addition to those of this process.
    var environment: [String: String]
    /// Whether the parameters come from the author, so that the handler should succeed.
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

/// The settings of a trial.
package struct TrialOptions: Sendable {
    /// The time limit of loading, and of one attempt.
    var limit: Interval
    /// The time limit of an attempt after its notification or report.
    var grace: Interval
    /// The tasks to try; nil: each handler the plugin registers, without parameters.
    var tasks: [TrialTask]?
    /// Whether an identifier may be submitted; nil: unknown.
    var permits: (@Sendable (String) -> Bool)?
    /// The directory for handlers without parameters; absolute.
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

/// Tests a plugin against all cases.
package struct Conformance {
    private let bench: PluginBench

    package init(_ site: TrialSite, _ options: TrialOptions) {
        bench = PluginBench(site, options)
    }

    /// Judges the cases whose id is in `only`, or all if it is empty, and always `load.loads`; calls `found` after
    /// each. Blocks; a hanging plugin takes the limit and the grace period, several times.
    ///
    /// - Parameter found: Receives the case, its handler, or nil for the whole plugin, and the verdict.
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
