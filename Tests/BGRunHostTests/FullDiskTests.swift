// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import Testing

@testable import BGRunHost
@testable import BGRunStore

@Suite("A disk that is full", .timeLimit(.minutes(1)))
struct FullDiskTests {
    @Test("the log lists the attempts that have run or run, and whose end is not stored")
    func ends() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.submit("org.test.a")
        bench.submit("org.test.b")
        bench.settle()
        try #require(bench.supervisor.launched == [1, 2])
        try bench.store.access { try $0.execute("PRAGMA max_page_count = 1") }
        bench.supervisor.end(1, message: String(repeating: "x", count: 1_000_000))
        #expect(bench.host.breakdown == .full(path: bench.path))
        #expect(bench.log.has("\(bench.path); the last changes are not stored"))
        for (attempt, name) in [(1, "a"), (2, "b")] {
            let text = "The end of attempt \(attempt) of org.test.\(name) is not stored"
            #expect(bench.log.has(text), "\(bench.log.lines.map(\.text))")
        }
        #expect(try bench.stored().running().map(\.attempt.id) == [1, 2])
    }
}
