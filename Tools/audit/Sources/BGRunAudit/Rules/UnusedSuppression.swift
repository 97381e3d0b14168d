// SPDX-License-Identifier: Apache-2.0

/// Reported by ``Suppressions``, after all other rules.
enum UnusedSuppression: Rule {
    static let id = "unused-suppression"
    static let severity = Severity.warning
    static let sentence = "Every bgrun:ignore hides a finding and has a reason."
    static let why = """
        A suppression without a finding would hide the next mistake.
        """
    static let remedy = "remove the comment, or write: // bgrun:ignore rule-id reason"

    static func check(_ audit: inout RuleContext) {}
}
