// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Foundation
import Glibc
import Testing

@testable import BGRunDaemon

@Suite("A process that examines a manifest", .timeLimit(.minutes(1)))
struct LookProcessesTests {
    /// A pipe with a name, which a process can open without waiting for another.
    private static func gate() throws -> (path: String, end: Int32) {
        let path = NSTemporaryDirectory() + "bgrun-gate-\(UUID().uuidString)"
        try #require(mkfifo(path, 0o600) == 0)
        return (path, open(path, O_RDWR | O_CLOEXEC))
    }

    @Test("is killed when it takes too long")
    func late() throws {
        let gates = [try Self.gate(), try Self.gate()]
        defer {
            for gate in gates {
                close(gate.end)
                unlink(gate.path)
            }
        }
        let loop = try EventLoop()
        let looks = try LookProcesses(
            loop, HostProcess(executable: "/bin/sh"), limit: 50_000_000)
        var outcomes: [LookProcesses.Outcome] = []
        let script = "echo $$ > \(gates[0].path); read line < \(gates[1].path)"
        looks.run(["-c", script], about: "app.yaml") {
            outcomes.append($0)
            loop.stop()
        }
        var text = [UInt8](repeating: 0, count: 16)
        let count = max(0, read(gates[0].end, &text, text.count))
        let pid = try #require(pid_t(String(decoding: text[..<count], as: UTF8.self).dropLast()))
        loop.run()
        #expect(outcomes == [.late])
        // One that was not killed reads this, and ends.
        #expect(write(gates[1].end, "x\n", 2) == 2)
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
        #expect(status & 0x7f == SIGKILL)
    }

    @Test("does not mistake the end of another child for its own")
    func other() throws {
        let gate = try Self.gate()
        defer {
            close(gate.end)
            unlink(gate.path)
        }
        let looks = try LookProcesses(
            try EventLoop(), HostProcess(executable: "/bin/sh"), limit: 60_000_000_000)
        var outcomes: [LookProcesses.Outcome] = []
        looks.run(["-c", "read line < \(gate.path)"], about: "app.yaml") { outcomes.append($0) }
        #expect(!looks.ended(getpid(), .exit(0)))
        #expect(outcomes.isEmpty && looks.isAbout("app.yaml"))
        #expect(looks.cancel("app.yaml"))
    }

    @Test("waits at most once for each manifest, however often the manifest changes")
    func replaced() throws {
        let gate = try Self.gate()
        defer {
            close(gate.end)
            unlink(gate.path)
        }
        let looks = try LookProcesses(
            try EventLoop(), HostProcess(executable: "/bin/sh"), limit: 60_000_000_000)
        looks.run(["-c", "read line < \(gate.path)"], about: "app.yaml") { _ in }
        looks.run(["-c", "exit 1"], about: "app.yaml") { _ in }
        for _ in 0..<50 {
            for name in ["app.yaml", "other.yaml"] {
                looks.run(["-c", "exit 2"], about: name, isReplaceable: true) { _ in }
            }
        }
        #expect(looks.waitingCount == 3)
        #expect(looks.cancel("other.yaml") && looks.cancel("app.yaml"))
        #expect(looks.waitingCount == 0)
    }
}
