// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("The event loop", .timeLimit(.minutes(4)))
struct EventLoopTests {
    /// A pipe with a byte to read; returns the end to read.
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
                // The other one is ready as well; its number belongs to a silent pipe from here on.
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
        "serves no further descriptor before the work that others put off, once there is too much")
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

    @Test("hears a flood of file names in parts, between which others are served")
    func inotify() throws {
        let loop = try EventLoop()
        let directory = NSTemporaryDirectory() + "bgrun-flood-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var heard = 0
        let watch = try #require(DirectoryWatch(loop, directory) { heard += 1 })
        // A read has 4 KiB, and a name takes 216 bytes of it.
        let names = 2 * Inotify.mostReads * 4_096 / 216
        for number in 0..<names {
            let name = String(repeating: "x", count: 190) + String(number)
            let file = open("\(directory)/\(name)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            try #require(file >= 0)
            close(file)
        }
        var rounds = 0
        func turn() {
            rounds += 1
            if rounds < 100 { loop.inNextRound { turn() } } else { loop.stop() }
        }
        turn()
        loop.run()
        #expect(heard > 1 && heard < 100)
        withExtendedLifetime(watch) {}
    }
}
