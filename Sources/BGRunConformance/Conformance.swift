// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
import CBGRunPlugin
import Glibc

/// One handler with what it is tried with.
public struct TrialTask: Sendable {
    public var handler: String
    public var identifier: String
    public var kind: TaskKind
    /// A JSON object.
    public var parameters: String
    /// Where relative paths in parameters start; absolute.
    public var directory: String
    /// Variables over those of this process.
    public var environment: [String: String]
    /// Whether the parameters are the author's own, so that the handler is expected to succeed.
    public var isReal: Bool

    public init(
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
public struct TrialOptions: Sendable {
    /// How long loading, and one attempt, may take.
    public var limit: Interval
    /// How long an attempt may go on after it was told or has reported.
    public var grace: Interval
    /// The tasks to try; nil: each handler the plugin registers, without parameters.
    public var tasks: [TrialTask]?
    /// Whether an identifier may be submitted; nil: unknown.
    public var permits: (@Sendable (String) -> Bool)?
    /// The directory of handlers that are tried without parameters; absolute.
    public var directory: String

    public init(
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

/// What one case found about a plugin or one of its handlers.
public struct CaseResult: Sendable {
    public var id: String
    public var sentence: String
    public var remedy: String
    /// Nil: of the plugin as a whole.
    public var handler: String?
    public var verdict: Verdict
}

/// Tries a plugin against every case.
public struct Conformance {
    private let bench: PluginBench

    public init(_ site: TrialSite, _ options: TrialOptions) {
        bench = PluginBench(site, options)
    }

    /// Judges the cases whose id is in `only`, all of them when it is empty, and always
    /// `load.loads`; `found` is called as soon as each is known. Blocks; a plugin that hangs costs
    /// the limit and the grace, a few times.
    public func run(only: Set<String> = [], found: (CaseResult) -> Void) throws {
        let chosen = ConformanceCase.all.filter {
            only.isEmpty || only.contains($0.id) || $0.id == "load.loads"
        }
        for item in chosen {
            guard case .plugin(let judge) = item.judge else { continue }
            found(result(item, nil, try judge(bench)))
        }
        for handler in try bench.handlers {
            for item in chosen {
                guard case .handler(let need, let judge) = item.judge else { continue }
                let verdict = try handler.objection(need).map(Verdict.skipped) ?? judge(handler)
                found(result(item, handler.task.handler, verdict))
            }
        }
    }

    private func result(
        _ item: ConformanceCase, _ handler: String?, _ verdict: Verdict
    ) -> CaseResult {
        CaseResult(
            id: item.id, sentence: item.sentence, remedy: item.remedy, handler: handler,
            verdict: verdict)
    }
}
