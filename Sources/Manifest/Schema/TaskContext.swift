// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What a task is checked against. Nil: the manifest does not say, which was reported.
struct TaskContext {
    var modes: Set<Mode>?
    /// The `permitted_identifiers`.
    var permitted: (patterns: [String], rule: IdentifierRule)?
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
