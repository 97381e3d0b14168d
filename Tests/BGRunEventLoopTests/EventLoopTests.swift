// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("The event loop", .timeLimit(.minutes(5)))
struct EventLoopTests {
    /// Creates a pipe that contains a byte; returns the reading end.
    private func readable() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        try #require(write(ends[1], "x", 1) == 1)
        return (ends[0], ends[1])
    }

    @Test("drops an event of a closed descriptor whose number is used again in the same round")
    func reused() throws {
        let loop = try EventLoop()
        let pipes = [try readable(), try readable()]
        var heard = 0
        var stale = 0
        for (mine, other) in [(0, 1), (1, 0)] {
            try loop.watch(pipes[mine].read) { _ in
                heard += 1
                // The other pipe is also ready; from here on its descriptor belongs to an empty pipe.
                loop.forget(pipes[other].read)
                var silent: [Int32] = [0, 0]
                #expect(pipe(&silent) == 0)
                #expect(dup2(silent[0], pipes[other].read) == pipes[other].read)
                close(silent[0])
                do {
                    try loop.watch(pipes[other].read) { _ in stale += 1 }
                } catch {
                    Issue.record(error)
                }
                loop.stop()
                close(pipes[other].write)
                loop.afterThisRound { close(silent[1]) }
            }
        }
        loop.run()
        #expect(heard == 1 && stale == 0)
        for pipe in pipes { close(pipe.read) }
    }

    @Test(
        "runs deferred work before further descriptors when too much is deferred")
    func deferred() throws {
        let loop = try EventLoop()
        let pipes = [try readable(), try readable()]
        var done = 0
        var doneBefore: [Int] = []
        for pipe in pipes {
            try loop.watch(pipe.read) { _ in
                loop.forget(pipe.read)
                doneBefore.append(done)
                for _ in 0..<EventLoop.mostDeferred { loop.afterThisRound { done += 1 } }
                if doneBefore.count == pipes.count { loop.stop() }
            }
        }
        loop.run()
        #expect(doneBefore == [0, EventLoop.mostDeferred] && done == 2 * EventLoop.mostDeferred)
        for pipe in pipes { for end in [pipe.read, pipe.write] { close(end) } }
    }

    @Test("takes a limited number of parts for the next round; one more ends the process")
    func postponed() async throws {
        let loop = try EventLoop()
        var done = 0
        for _ in 1..<EventLoop.mostPostponed { loop.inNextRound { done += 1 } }
        loop.inNextRound { loop.stop() }
        loop.run()
        #expect(done == EventLoop.mostPostponed - 1)
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            for _ in 0...EventLoop.mostPostponed { loop.inNextRound {} }
        }
    }

    @Test("reads a limited number of file events in a round, then serves other descriptors")
    func manyFileEvents() throws {
        let directory = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = ["a", "b"].map { "\(directory)/\($0)" }
        for file in files { try Data().write(to: URL(fileURLWithPath: file)) }
        let loop = try EventLoop()
        var heard = 0
        let watch = DirectoryWatch(loop, directory) { heard += 1 }
        try #require(watch != nil)
        // The kernel merges an event with an equal event before it; it queues 16,384 by default.
        for index in 0..<4_000 { chmod(files[index % 2], 0o600) }
        var heardByRound: [Int] = []
        func look() {
            heardByRound.append(heard)
            if heardByRound.count == 4 { loop.stop() } else { loop.inNextRound(look) }
        }
        loop.inNextRound(look)
        loop.run()
        #expect(heardByRound[0] == 1 && heardByRound[1] == 2, "\(heardByRound)")
        withExtendedLifetime(watch) {}
    }
}
