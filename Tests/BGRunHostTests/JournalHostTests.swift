// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunHost

@Suite("A journal that cannot be written", .timeLimit(.minutes(5)))
struct JournalHostTests {
    @Test("has a random number with the event that drew it, and with no later one")
    func drawn() {
        struct Source: RandomNumberGenerator {
            mutating func next() -> UInt64 { 7 }
        }
        var random = NotedRandom(Source())
        #expect(random.take() == nil)
        #expect(random.next() == 7 && random.take() == 7)
        #expect(random.take() == nil)
    }

    @Test("has an event in its file at the end of the round, before the host ends")
    func written() throws {
        let bench = try HostBench(HostBench.task("org.test.a"))
        let paths = JournalPaths(
            current: bench.directory + "/journal", previous: bench.directory + "/journal.1")
        bench.host.record.journal = try Journal(
            paths, app: "org.test.app", version: "test", bytes: 1 << 20)
        try bench.host.start()
        bench.settle()
        func size() throws -> Int { try Data(contentsOf: URL(filePath: paths.current)).count }
        let before = try size()
        bench.launch("org.test.a")
        #expect(try size() > before)
    }

    @Test("is abandoned with one message, and work continues without it")
    func givenUp() throws {
        let bench = try HostBench(HostBench.task("org.test.a"))
        let paths = JournalPaths(
            current: bench.directory + "/journal", previous: bench.directory + "/journal.1")
        // A full file cannot be renamed to this directory.
        try FileManager.default.createDirectory(
            atPath: paths.previous, withIntermediateDirectories: false)
        bench.host.record.journal = try Journal(
            paths, app: "org.test.app", version: "test", bytes: 16 << 10)
        try bench.host.start()
        for attempt: Int64 in 1...200 {
            bench.submit("org.test.a")
            bench.supervisor.end(attempt)
            bench.settle()
        }
        #expect(bench.log.lines.count { $0.text.hasPrefix("the journal ends here") } == 1)
        #expect(bench.supervisor.launched.count == 200 && bench.host.breakdown == nil)
    }
}
