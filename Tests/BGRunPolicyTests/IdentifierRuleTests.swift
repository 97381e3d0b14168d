// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Permitted identifiers", .timeLimit(.minutes(5)))
struct IdentifierRuleTests {
    let rule = IdentifierRule(permitting: [
        "com.app.refresh", "com.app.export.*", "com.app.export.photos.*",
    ])

    @Test("an identifier matches exactly and case-sensitively")
    func exact() {
        #expect(rule.permits("com.app.refresh"))
        #expect(!rule.permits("com.app.Refresh"))
        #expect(!rule.permits("com.app.refresh2"))
    }

    @Test("a wildcard permits any non-empty suffix, and the longest prefix wins")
    func wildcard() {
        #expect(rule.pattern(for: "com.app.export.a") == "com.app.export.*")
        #expect(rule.pattern(for: "com.app.export.photos.1") == "com.app.export.photos.*")
        #expect(!rule.permits("com.app.export."))
        #expect(!rule.permits("com.app.export"))
    }

    @Test("each of several wildcards of the same length matches its own identifiers")
    func wildcardsOfOneLength() {
        let patterns = ["a.x.*", "a.y.*", "a.z.*"]
        let rule = IdentifierRule(permitting: patterns)
        #expect(["a.x.1", "a.y.1", "a.z.1"].map(rule.pattern) == patterns)
        #expect(!rule.permits("a.w.1"))
    }

    @Test(
        "identifiers are well-formed or refused",
        arguments: [
            ("com.example.a", true), ("a", true), ("a..b", false), (".a", false), ("", false),
            ("a b", false), ("é", false), ("a.*", false),
            (String(repeating: "a", count: 256), false),
        ])
    func wellFormed(identifier: String, valid: Bool) {
        #expect(IdentifierRule.isWellFormed(identifier) == valid)
    }

    @Test("only a complete last part may be a wildcard")
    func wildcardPlace() {
        #expect(IdentifierRule.isWellFormed("com.app.*", wildcard: true))
        #expect(!IdentifierRule.isWellFormed("com.*.app", wildcard: true))
        #expect(!IdentifierRule.isWellFormed("com.app*", wildcard: true))
        #expect(!IdentifierRule.isWellFormed("*", wildcard: true))
    }
}
