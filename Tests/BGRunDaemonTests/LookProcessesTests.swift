// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Foundation
import Glibc
import Testing

@testable import BGRunDaemon

@Suite("A process that examines a manifest", .timeLimit(.minutes(5)))
struct LookProcessesTests {
    /// A script that writes its process ID to a named pipe, and waits for a line from another one.
    private final class Script {
        private let gates: [(path: String, end: Int32)]

        init() throws {
            gates = try (0..<2).map { _ in
                let path = NSTemporaryDirectory() + "bgrun-gate-\(UUID().uuidString)"
                try #require(mkfifo(path, 0o600) == 0)
                // The script can then open the pipe without waiting for the other end.
                return (path, open(path, O_RDWR | O_CLOEXEC))
            }
        }

        deinit {
            for gate in gates {
                close(gate.end)
                unlink(gate.path)
            }
        }

        var arguments: [String] {
            ["-c", "echo $$ > \(gates[0].path); read line < \(gates[1].path)"]
        }

        /// The ID of the process that runs the script.
        func pid() throws -> pid_t {
            var text = [UInt8](repeating: 0, count: 16)
            let count = max(0, read(gates[0].end, &text, text.count))
            return try #require(pid_t(String(decoding: text[..<count], as: UTF8.self).dropLast()))
        }

        /// The signal that killed `pid`. A process that was not killed reads a line and exits.
        func signal(of pid: pid_t) -> Int32? {
            guard write(gates[1].end, "x\n", 2) == 2 else { return nil }
            var status: Int32 = 0
            return waitpid(pid, &status, 0) == pid ? status & 0x7f : nil
        }
    }

    @Test("is killed when it takes too long")
    func late() throws {
        let script = try Script()
        let loop = try EventLoop()
        let looks = try LookProcesses(
            loop, HostProcess(executable: "/bin/sh"), limit: 50_000_000)
        var outcomes: [LookProcesses.Outcome] = []
        looks.run(script.arguments, about: "app.yaml") {
            outcomes.append($0)
            loop.stop()
        }
        let pid = try script.pid()
        loop.run()
        #expect(outcomes == [.late])
        #expect(script.signal(of: pid) == SIGKILL)
    }

    @Test("does not mistake the end of another child for its own")
    func other() throws {
        let script = try Script()
        let looks = try LookProcesses(
            try EventLoop(), HostProcess(executable: "/bin/sh"), limit: 60_000_000_000)
        var outcomes: [LookProcesses.Outcome] = []
        looks.run(script.arguments, about: "app.yaml") { outcomes.append($0) }
        let pid = try script.pid()
        #expect(!looks.ended(getpid(), .exit(0)))
        #expect(outcomes.isEmpty && looks.isAbout("app.yaml"))
        #expect(looks.cancel("app.yaml"))
        #expect(script.signal(of: pid) == SIGKILL)
    }

    @Test("waits at most once for each manifest, however often the manifest changes")
    func replaced() throws {
        let script = try Script()
        let looks = try LookProcesses(
            try EventLoop(), HostProcess(executable: "/bin/sh"), limit: 60_000_000_000)
        looks.run(script.arguments, about: "app.yaml") { _ in }
        let pid = try script.pid()
        looks.run(["-c", "exit 1"], about: "app.yaml") { _ in }
        for _ in 0..<50 {
            for name in ["app.yaml", "other.yaml"] {
                looks.run(["-c", "exit 2"], about: name, isReplaceable: true) { _ in }
            }
        }
        #expect(looks.waitingCount == 3)
        #expect(looks.cancel("other.yaml") && looks.cancel("app.yaml"))
        #expect(looks.waitingCount == 0)
        #expect(script.signal(of: pid) == SIGKILL)
    }
}
