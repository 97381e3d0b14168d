// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A host below the first process of a container", .timeLimit(.minutes(5)))
struct ReaperTests {
    /// Compiles the program that runs a command and adopts its orphans.
    private static func reaper(in box: Sandbox) async throws -> String {
        let program = box.directory + "/reaper"
        let source = Built.package + "/Tests/BGRunIntegrationTests/Fixtures/reaper.c"
        let compiled = try await Running(
            "/usr/bin/cc",
            ["-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o", program, source],
            environment: ["PATH": "/usr/bin:/bin"]
        ).end()
        try #require(compiled.code == 0, "\(compiled.error)")
        return program
    }

    private static func parent(of pid: pid_t) throws -> pid_t {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let parent = try #require(status.firstMatch(of: /PPid:\s+(\d+)/)).output.1
        return try #require(pid_t(parent))
    }

    @Test("ends a stopped worker when it is killed itself")
    func stoppedWorker() async throws {
        try await Sandbox.with { box in
            let reaper = try await Self.reaper(in: box)
            try box.write(
                plugins: ["bad": try Built.misbehaving("stops-itself")],
                tasks: "org.test.bad: {kind: processing, handler: bad.run}")
            let program = try box.startShell("exec \(reaper) $BGRUN run $OPTIONS")
            try await program.line("stopping")
            let worker = try #require(box.workers.first).pid
            #expect(await eventually { Sandbox.state(of: worker) == "T" })
            let host = try Self.parent(of: worker)
            try #require(try Self.parent(of: host) == program.pid)
            kill(host, SIGKILL)
            await box.expectNothingLeft()
            #expect(await program.end().code == 0)
        }
    }
}
