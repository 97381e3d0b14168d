// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import CBGRunPlugin
import Testing

@testable import BGRunHost
@testable import BGRunStorage

@Suite("A full disk", .timeLimit(.minutes(5)))
struct FullDiskTests {
    @Test("the log lists the current and the ended attempts whose end is not stored")
    func ends() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.launch("org.test.a", "org.test.b")
        try #require(bench.supervisor.launched == [1, 2])
        try bench.store.access { try $0.execute("PRAGMA max_page_count = 1") }
        bench.supervisor.end(1, message: String(repeating: "x", count: 1_000_000))
        #expect(bench.host.breakdown == .full(path: bench.path))
        #expect(bench.log.has("\(bench.path); changes are not stored"))
        for (attempt, name) in [(1, "a"), (2, "b")] {
            let text = "The end of attempt \(attempt) of org.test.\(name) is not stored"
            let line = bench.log.lines.first { $0.text.hasPrefix(text) }
            #expect(line?.level == .error, "\(bench.log.lines.map(\.text))")
        }
        #expect(try bench.stored().running().map(\.attempt.id) == [1, 2])
    }

    @Test("a checkpoint that is not stored is not acknowledged, and the host continues")
    func checkpoint() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.launch("org.test.a")
        try bench.store.access { try $0.execute("PRAGMA max_page_count = 1") }
        let data = [UInt8](repeating: 1, count: 900_000)
        #expect(bench.call(.putCheckpoint(version: 1, data: data), from: 1)?.status == BGRUN_E_IO)
        #expect(bench.log.has("The checkpoint of org.test.a was not stored"))
        #expect(bench.host.breakdown == nil)
        #expect(try bench.stored().checkpoint("org.test.a") == nil)
    }
}
