// SPDX-License-Identifier: Apache-2.0

/// One rule for plugins. Its id never changes its meaning.
package struct ConformanceCase: Sendable {
    /// `category.name`.
    package let id: String
    /// The expected behaviour, with the plugin or the handler as the subject.
    package let sentence: String
    /// The remedy for its author, in the imperative.
    package let remedy: String
    let judge: Judge

    enum Judge: Sendable {
        case plugin(@Sendable (PluginBench) throws -> CaseStatus)
        case handler(Need, @Sendable (HandlerBench) throws -> CaseStatus)
    }

    /// The precondition for judging an attempt.
    enum Need {
        case nothing
        /// It completes.
        case completion
        /// It completes with success, so it has done its work.
        case success
    }

    init(
        plugin id: String, _ sentence: String, remedy: String,
        _ judge: @escaping @Sendable (PluginBench) throws -> CaseStatus
    ) {
        self.id = id
        self.sentence = sentence
        self.remedy = remedy
        self.judge = .plugin(judge)
    }

    init(
        handler id: String, _ sentence: String, remedy: String, needs need: Need = .completion,
        _ judge: @escaping @Sendable (HandlerBench) throws -> CaseStatus
    ) {
        self.id = id
        self.sentence = sentence
        self.remedy = remedy
        self.judge = .handler(need, judge)
    }

    /// All cases, in the order of their trials.
    package static let all: [ConformanceCase] =
        loading + running + environment + launching + transferring + expiring
        + checkpointing
}

/// The result of a case.
package enum CaseStatus: Equatable, Sendable {
    case passed
    /// Passed, with a note for the author.
    case warned(String)
    case failed(String)
    /// Not judged, with the reason.
    case skipped(String)
}
