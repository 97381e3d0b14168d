// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What a task is checked against. Nil: the manifest does not say, which was reported.
struct TaskContext {
    var modes: Set<Mode>?
    var permitted: PermittedIdentifiers?
    /// Names of plugins.
    var plugins: [String]?
    /// Of names of plugins those that are installed with bgrun, and what they are called there.
    var shipped: [String: String]
    /// The limits of plugins that have one.
    var workers: [String: Int]
    var policy: Policy
    /// The tasks a transfer launches.
    var followers: Set<String> = []
}

/// The `permitted_identifiers`, as tasks ask about them.
struct PermittedIdentifiers {
    private let patterns: [String]
    private let rule: IdentifierRule

    init(_ patterns: [String]) {
        self.patterns = patterns
        rule = IdentifierRule(permitting: patterns)
    }

    /// Whether everything is permitted that `pattern`, an identifier or a wildcard, stands for.
    func permits(_ pattern: String) -> Bool {
        // To the rule a wildcard's `*` is a suffix like any other.
        rule.permits(pattern)
    }

    /// Those that `pattern` could be a typo of.
    func alike(_ pattern: String) -> [String] {
        patterns.filter { $0.hasSuffix(".*") == pattern.hasSuffix(".*") }
    }
}
