// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost

@Suite("A host whose clock is set", .timeLimit(.minutes(5)))
struct ClockHostTests {
    @Test("launches requests that are due by the new date at once")
    func setForward() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.submit("org.test.a", after: .hours(1))
        bench.settle()
        #expect(bench.supervisor.launched == [])
        bench.clock.setForward(by: .hours(2))
        #expect(bench.supervisor.launched == [1])
    }
}
