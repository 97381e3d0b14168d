// SPDX-License-Identifier: Apache-2.0

/// Checks Swift sources that handle background tasks.
public enum Audit {
    /// Findings of all rules, in the order of the files and their lines. The caller must omit files
    /// that are not Swift. Thread-safe.
    public static func findings(in files: [SourceFile], declared: Declared? = nil) -> [Finding] {
        let facts = Facts(program: Program(files: files), declared: declared)
        var context = RuleContext(facts: facts, paths: Paths(facts: facts), rule: allRules[0])
        for rule in allRules {
            context.rule = rule
            rule.check(&context)
        }
        var suppressions = Suppressions(files: files)
        return suppressions.apply(to: context.findings.withoutRepetitions).sorted(like: files)
    }
}

extension [Finding] {
    /// Reports a place that two handlers reach only once.
    fileprivate var withoutRepetitions: [Finding] {
        var seen: Set<String> = []
        return filter { seen.insert("\($0.rule.id) \($0.place.offset) \($0.file)").inserted }
    }

    fileprivate func sorted(like files: [SourceFile]) -> [Finding] {
        let order = Dictionary(
            files.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
        return enumerated().sorted { a, b in
            let (left, right) = (a.element, b.element)
            return (order[left.file] ?? 0, left.place.offset, a.offset)
                < (order[right.file] ?? 0, right.place.offset, b.offset)
        }.map(\.element)
    }
}
