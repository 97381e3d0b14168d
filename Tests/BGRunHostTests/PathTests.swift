// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunTriggers

@Suite("A watched path that submits a task", .timeLimit(.minutes(5)))
final class PathTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("bgrun-paths-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Replaces a file, and lets the loop notice it. Renaming is atomic; a written file would be closed
    /// late if another test forked at that moment.
    private func change(_ name: String, _ loop: EventLoop) throws {
        try UUID().uuidString.write(
            toFile: directory + "/" + name, atomically: true, encoding: .utf8)
        turn(loop)
    }

    /// Lets the loop handle the changes.
    private func turn(_ loop: EventLoop) {
        loop.inNextRound { loop.stop() }
        loop.run()
    }

    @Test("submits it within ten times `changes_settle` if changes do not stop")
    func endless() throws {
        let loop = try EventLoop()
        let clock = TestClock()
        var submissions = 0
        let trigger = try PathTrigger(
            loop, clock, path: directory + "/a", settle: .seconds(1)
        ) { submissions += 1 }
        for _ in 1...11 {
            #expect(submissions == 0)
            try change("a", loop)
            clock.advance(by: .milliseconds(900))
        }
        try change("a", loop)
        clock.advance(by: .milliseconds(100))
        #expect(submissions == 1)
        // The next change starts the delay again.
        try change("a", loop)
        clock.advance(by: .milliseconds(900))
        #expect(submissions == 1)
        clock.advance(by: .milliseconds(100))
        #expect(submissions == 2)
        withExtendedLifetime(trigger) {}
    }

    @Test("submits it when a directory appears, changes and disappears, also the second time")
    func directoryComes() throws {
        let loop = try EventLoop()
        let clock = TestClock()
        let path = directory + "/d"
        var submissions = 0
        let trigger = try PathTrigger(loop, clock, path: path, settle: .seconds(1)) {
            submissions += 1
        }
        for time in 1...2 {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            turn(loop)
            clock.advance(by: .seconds(1))
            #expect(submissions == 3 * time - 2)
            try change("d/a", loop)
            clock.advance(by: .seconds(1))
            #expect(submissions == 3 * time - 1)
            try FileManager.default.removeItem(atPath: path)
            turn(loop)
            clock.advance(by: .seconds(1))
            #expect(submissions == 3 * time)
        }
        withExtendedLifetime(trigger) {}
    }

    @Test("is watched only at the place in the changed manifest")
    func moved() throws {
        let rest = "policy: {profile: server, changes_settle: 1s}"
        let task = { (path: String) in
            HostBench.task("org.test.a", "on: {path: \(path)}")
        }
        let bench = try HostBench(task(directory + "/a"), rest: rest, watches: true).started()
        func launches(changing name: String) throws -> Int {
            bench.supervisor.forgetCalls()
            try change(name, bench.loop)
            bench.clock.advance(by: .seconds(2))
            for attempt in bench.supervisor.launched { bench.supervisor.end(attempt) }
            return bench.supervisor.launched.count
        }
        #expect(try launches(changing: "a") == 1)
        bench.host.reload(try HostBench.manifest(task(directory + "/b"), rest))
        bench.settle()
        #expect(try launches(changing: "b") == 1)
        #expect(try launches(changing: "a") == 0)
    }
}
