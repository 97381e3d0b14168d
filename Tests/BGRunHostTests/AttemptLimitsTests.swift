// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost

@Suite("Limits of the system for the number of attempts", .timeLimit(.minutes(10)))
struct AttemptLimitsTests {
    private func policy(_ attempts: Int) -> Policy {
        var policy = Policy.server
        policy.concurrentAttempts = attempts
        policy.concurrencyLimits.continued = 0
        return policy
    }

    @Test("limits that suffice, or are unknown, cause no warning")
    func enough() {
        let policy = policy(10)
        #expect(AttemptLimits().warning(for: policy) == nil)
        #expect(AttemptLimits(files: 144, processes: 78, tasks: 78).warning(for: policy) == nil)
        #expect(
            AttemptLimits(files: .max, processes: .max, tasks: .max).warning(for: policy) == nil)
    }

    @Test("continued attempts count as well")
    func continued() {
        var policy = policy(10)
        policy.concurrencyLimits.continued = 1
        #expect(AttemptLimits(files: 144).warning(for: policy) != nil)
        #expect(AttemptLimits(files: 152).warning(for: policy) == nil)
    }

    @Test(
        "one warning names the lowest limit",
        arguments: [
            (
                AttemptLimits(files: 143, processes: 78), "9 attempts", "open 143 files",
                "LimitNOFILE"
            ),
            (
                AttemptLimits(files: 112, processes: 43), "5 attempts", "user may have 43",
                "LimitNPROC"
            ),
            (
                AttemptLimits(processes: 43, tasks: 1), "1 attempt can",
                "one above it, may have 1 ",
                "TasksMax"
            ),
        ])
    func least(_ limits: AttemptLimits, _ count: String, _ limit: String, _ remedy: String) throws {
        let warning = try #require(limits.warning(for: policy(10)))
        for part in ["At most \(count)", limit, remedy] {
            #expect(warning.contains(part), "\(warning)")
        }
    }
}
