// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunProtocol
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("Output of a handler while the host cannot store more", .timeLimit(.minutes(5)))
final class HeldOutputTests: SupervisorBench {
    private let workers: ScriptedWorkers

    override init() throws {
        workers = try ScriptedWorkers()
        try super.init(executable: ScriptedWorkers.shell)
    }

    deinit {
        for worker in supervisor.workers.values { worker.kill() }
    }

    private var lines: [String] {
        notices.compactMap { if case .line(_, let line) = $0 { line.text } else { nil } }
    }

    private func turns() {
        for _ in 0..<10 { turn() }
    }

    /// The worker of an attempt that has printed a line and continues.
    private func printed(_ attempt: Int64) throws -> WorkerProcess {
        let path = workers.directory + "/printed"
        try #require(mkfifo(path, 0o600) == 0)
        let text = "echo printed; echo > \(path); exec sleep 10000"
        let worker = try launched(attempt, plugin: workers.script(text))
        close(open(path, O_RDONLY))
        return worker
    }

    @Test("stays in its pipe, and is read once it can be stored")
    func held() throws {
        let worker = try printed(1)
        supervisor.holdOutput(true)
        turns()
        #expect(lines.isEmpty)
        supervisor.holdOutput(false)
        turns()
        #expect(lines == ["printed"])
        withExtendedLifetime(worker) {}
    }

    @Test("of a hook is still read, since it is not stored")
    func hook() throws {
        let worker = try printed(-1)
        supervisor.holdOutput(true)
        turns()
        #expect(lines == ["printed"])
        withExtendedLifetime(worker) {}
    }

    @Test("is read when the handler has ended, and wakes the loop only once")
    func end() throws {
        let worker = try launched(1, plugin: workers.script("echo printed"))
        supervisor.holdOutput(true)
        #expect(worker.waitForEnd(milliseconds: 30_000))
        turns()
        #expect(lines == ["printed"] && !loop.isWatched(worker.output))
    }

    @Test("stays in its pipe also if the attempt begins meanwhile")
    func begins() throws {
        supervisor.holdOutput(true)
        let worker = try printed(1)
        turns()
        #expect(lines.isEmpty)
        supervisor.holdOutput(false)
        turns()
        #expect(lines == ["printed"])
        withExtendedLifetime(worker) {}
    }

    @Test("dropped log lines are counted, and later lines are kept")
    func log() throws {
        let worker = try launched(1, plugin: workers.script("exec sleep 10000"))
        for text in ["a", "b"] { say(.log(attempt: 1, level: 1, text: text), worker) }
        supervisor.holdOutput(true)
        for text in ["c", "d"] { say(.log(attempt: 1, level: 1, text: text), worker) }
        settle()
        #expect(lines == ["a", "b"])
        supervisor.holdOutput(false)
        say(.log(attempt: 1, level: 1, text: "e"), worker)
        settle()
        #expect(lines == ["a", "b", "e"])
        worker.kill()
        die(worker)
        #expect(ends[1]?.first?.droppedLines == 2 && ends[1]?.first?.lastLines == nil)
    }
}
