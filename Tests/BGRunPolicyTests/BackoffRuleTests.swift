// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Backoff", .timeLimit(.minutes(5)))
struct BackoffRuleTests {
    @Test("exponential doubles from `from` up to `to`")
    func exponential() {
        let rule = RetryRule(backoff: .exponential, from: .seconds(10), to: .seconds(50))
        #expect(
            (1...4).map { rule.delay(afterFailures: $0) } == [10, 20, 40, 50].map { .seconds($0) })
        #expect(rule.delay(afterFailures: .max) == .seconds(50))
    }

    @Test("linear adds `from` up to `to`")
    func linear() {
        let rule = RetryRule(backoff: .linear, from: .seconds(10), to: .seconds(25))
        #expect((1...3).map { rule.delay(afterFailures: $0) } == [10, 20, 25].map { .seconds($0) })
    }

    @Test("no attempt is granted past the limit")
    func limit() {
        let rule = RetryRule(from: .seconds(10), attempts: 3)
        #expect(rule.delay(afterFailures: 2) != nil)
        #expect(rule.delay(afterFailures: 3) == nil)
    }
}
