// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunStore
import Testing

@testable import BGRunHost

@Suite("Old attempts", .timeLimit(.minutes(1)))
struct RetentionTests {
    @Test("leave the history at one of many ends, not at each")
    func batches() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a"), rest: "policy: {profile: server, kept_attempts: 10}")
        try bench.host.start()
        func run(_ count: Int) throws -> Int {
            bench.clock.advance(by: .days(400))
            for _ in 0..<count {
                bench.submit("org.test.a")
                let attempt = try #require(bench.supervisor.launched.last)
                bench.supervisor.end(attempt)
            }
            bench.settle()
            return try bench.stored().history(limit: 1_000).count
        }
        #expect(try run(BGRunHost.Host.endsBetweenLooks) == 64)
        let left = try run(2)
        #expect(left == 10)
        let later = try run(5)
        #expect(later == 15)
    }
}
