// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The facts for checking a task. Nil: missing in the manifest, which was reported.
struct TaskContext {
    var modes: Set<Mode>?
    /// The `permitted_identifiers`.
    var permitted: (patterns: [String], rule: IdentifierRule)?
    /// The names of plugins.
    var plugins: [String]?
    /// The plugins installed with bgrun, by the name in the manifest, with their original names.
    var shipped: [String: String]
    /// The limits of plugins with a limit.
    var workers: [String: Int]
    var policy: Policy
    /// The tasks that transfers launch.
    var followers: Set<String> = []
}
