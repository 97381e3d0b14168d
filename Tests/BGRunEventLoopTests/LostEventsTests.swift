// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import Foundation
import Glibc
import Testing

@Suite("File events that the kernel has lost", .timeLimit(.minutes(5)))
struct LostEventsTests {
    /// The maximum number of events that the kernel queues.
    private static let most =
        (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
        .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? .max

    @Test(
        "each observer reads its directory again, also one without events",
        .enabled(if: most < 1_000_000))
    func overflow() throws {
        let base = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: base) }
        for directory in ["busy", "quiet"] {
            try FileManager.default.createDirectory(
                atPath: "\(base)/\(directory)", withIntermediateDirectories: true)
        }
        for file in ["busy/a", "busy/b", "quiet/c"] {
            try Data().write(to: URL(fileURLWithPath: "\(base)/\(file)"))
        }
        let loop = try EventLoop()
        var isTold = false
        let busy = try #require(DirectoryWatch(loop, base + "/busy") {})
        let quiet = try FileWatch(loop, path: base + "/quiet/c") {
            isTold = true
            loop.stop()
        }
        // The kernel merges an event with an equal event before it.
        for index in 0...Self.most { chmod(base + (index % 2 == 0 ? "/busy/a" : "/busy/b"), 0o600) }
        chmod(base + "/quiet/c", 0o600)
        let limit = try LoopTimer(loop) { loop.stop() }
        limit.set(elapsed: bgrun_boottime_ns() + 20_000_000_000)
        loop.run()
        #expect(isTold)
        withExtendedLifetime((busy, quiet, limit)) {}
    }
}
