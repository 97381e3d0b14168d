// SPDX-License-Identifier: Apache-2.0

/// Checks Swift sources that handle background tasks.
public enum Audit {
    /// Findings of all rules, in the order of the files and their lines. Files that are not Swift
    /// must have been left out. May be called on any thread.
    public static func findings(in files: [SourceFile], declared: Declared? = nil) -> [Finding] {
        let facts = Facts(program: Program(files: files), declared: declared)
        var context = RuleContext(facts: facts, paths: Paths(facts: facts), rule: allRules[0])
        for rule in allRules {
            context.rule = rule
            rule.check(&context)
        }
        return suppressing(context.findings, in: files)
    }
}
