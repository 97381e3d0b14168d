// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunSupervisor
import Testing

@Suite("A task that calls a function of a library", .timeLimit(.minutes(5)))
struct CalledFunctionTests {
    @Test("runs in a worker without a plugin, with the environment of the task")
    func environment() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  environment: {LEVEL: 3}")
        ).started()
        bench.submit("org.test.a")
        let key = try #require(bench.supervisor.works[1]).key
        #expect(key.plugin == nil && key.environment == ["LEVEL": "3"])
    }
}
