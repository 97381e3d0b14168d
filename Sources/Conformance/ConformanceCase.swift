// SPDX-License-Identifier: Apache-2.0

/// One rule a plugin is held to. Its id never changes its meaning.
package struct ConformanceCase: Sendable {
    /// `category.name`.
    package let id: String
    /// What a good plugin does, with the plugin or the handler as the subject.
    package let sentence: String
    /// What its author does about it, in the imperative.
    package let remedy: String
    let judge: Judge

    enum Judge: Sendable {
        case plugin(@Sendable (PluginBench) throws -> CaseStatus)
        case handler(Need, @Sendable (HandlerBench) throws -> CaseStatus)
    }

    /// What an attempt must have shown before a case says anything.
    enum Need {
        case nothing
        /// It completes.
        case completion
        /// It completes with success, so it does its work.
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

    /// Every case, in the order they are tried.
    package static let all: [ConformanceCase] =
        loading + running + environment + launching + transferring + expiring
        + checkpointing
}

/// What a case found.
package enum CaseStatus: Hashable, Sendable {
    case passed
    /// Passed, with something an author should know.
    case warned(String)
    case failed(String)
    /// It says nothing, and why.
    case skipped(String)
}
