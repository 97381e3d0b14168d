// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Limits of the kernel, with more concurrent work than they permit.
@Suite("A machine with too few descriptors or processes", .timeLimit(.minutes(5)))
struct ShortageTests {
    private static let count = 40

    private func write(_ box: Sandbox) async throws {
        try box.write(
            plugins: ["probe": try await Built.probe.value],
            rest: "policy: {profile: server, concurrent_attempts: 1024, warm_workers: 0}",
            tasks: (1...Self.count).map {
                "org.test.t\($0): {kind: processing, handler: probe.who}"
            }.joined(separator: "\n"))
    }

    @Test("runs every accepted request once, and no attempt fails")
    func descriptors() async throws {
        try await Sandbox.with { box in
            try await write(box)
            let host = try box.startShell("ulimit -n 96; exec $BGRUN run $OPTIONS")
            let end = await host.end()
            #expect(end.code == 0, "\(end.error)")
            #expect(end.error.contains("At most"))
            let history = try await box.history()
            #expect(history.count == Self.count)
            #expect(history.allSatisfy { $0.outcome == "completed" && $0.failuresBefore == 0 })
            #expect(Set(history.map(\.identifier)).count == Self.count)
            await box.expectNothingLeft()
        }
    }

    @Test("is reported with its remedy if no descriptor is free for a child")
    func child() async throws {
        try await Sandbox.with { box in
            try await write(box)
            let lint = try await box.startShell("ulimit -n 16; exec $BGRUN lint \(box.manifest)")
                .end()
            let shortage = ": Too many open files; raise the limit of open files"
            #expect(lint.code != 0 && lint.error.contains(shortage), "\(lint.error)")
        }
    }

    @Test(
        "runs every accepted request if the processes of the user are limited",
        .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
    func processes() async throws {
        try await Sandbox.with { box in
            try await write(box)
            let error = try await runWithFewProcesses(box, 24, user: 70_000)
            #expect(error.contains("too few processes"))
        }
    }

    @Test(
        "runs every accepted request if its commands need the limited processes",
        .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
    func commands() async throws {
        try await Sandbox.with { box in
            // A worker has three threads: other processes of the user leave room for some of 8 commands.
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                rest: "policy: {profile: server, concurrent_attempts: 8, warm_workers: 0}",
                tasks: (1...Self.count).map {
                    "org.test.t\($0): {kind: processing, handler: exec.run, "
                        + "parameters: {argv: [sleep, \"0.2\"]}}"
                }.joined(separator: "\n"))
            try await runWithFewProcesses(box, 64, others: 33, user: 71_000)
        }
    }

    @Test(
        "is waited for by a command of an ordinary user, which then runs",
        .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
    func waits() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                rest: "policy: {profile: server, warm_idle: 1d}",
                tasks: "org.test.t: {kind: processing, handler: exec.run, "
                    + "parameters: {command: \"echo worker $PPID\"}}")
            let user = uid_t(74_000 + getpid() % 1_000)
            for path in [box.directory, box.manifest] { chown(path, user, user) }
            let host = try box.start(
                as: user, ["run", "--stay", "-m", box.manifest, "--state", box.state])
            let first = try await host.line("worker ")
            let worker = try #require(first.split(separator: " ").last)
            _ = try await host.line("completed")
            func limit(to processes: Int) async throws {
                let limit = try box.start(
                    "/usr/bin/prlimit", as: user,
                    ["--pid", "\(worker)", "--nproc=\(processes):"])
                #expect(await limit.end().code == 0)
            }
            try await limit(to: 1)
            let lines = host.errorLines.count
            let app = ["--manifest", box.manifest, "--state", box.state]
            #expect(try await box.start(as: user, ["submit", "org.test.t"] + app).end().code == 0)
            try await host.line("the command waits: cannot run ", after: lines)
            try await limit(to: 1_000)
            try await host.line("worker \(worker)", after: lines)
            try await host.line("completed", after: lines)
            host.signal(SIGTERM)
            await host.end()
            let list = try await box.start(as: user, ["history", "--json"] + app).end()
            let history = try Sandbox.attempts(list.output)
            #expect(history.map(\.detail) == ["completed", "completed"])
            await box.expectNothingLeft()
        }
    }

    @Test(
        "has no more workers at once than the limit has room for, so that commands can fork",
        .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
    func forks() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                rest: "policy: {profile: server, concurrent_attempts: 1024}",
                tasks: (1...Self.count).map {
                    // Idle workers of other environments would take the room.
                    "org.test.t\($0): {kind: processing, handler: exec.run, "
                        + "environment: {N: \"\($0 % 8)\"}, "
                        + "parameters: {command: \"sleep 0.1; sleep 0.1\"}}"
                }.joined(separator: "\n"))
            let error = try await runWithFewProcesses(box, 40, user: 72_000)
            #expect(error.contains("At most 4 attempts can run at once"))
            #expect(error.contains("too few processes"))
        }
    }

    @Test("keeps a request whose attempt ended before its command could be started")
    func outlasted() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                rest: "policy: {profile: server, processing_limit: 5s, grace: 10s, warm_idle: 1d}",
                tasks: "org.test.t: {kind: processing, handler: exec.run, "
                    + "parameters: {command: \"echo worker $PPID\"}}")
            let host = try box.start("run", "--stay")
            let first = try await host.line("worker ")
            let worker = try #require(first.split(separator: " ").last)
            _ = try await host.line("completed")
            // What the warm worker has open; its next command needs more.
            let limit = try box.startProgram(
                "/usr/bin/prlimit", ["--pid", "\(worker)", "--nofile=5"])
            #expect(await limit.end().code == 0)
            let lines = host.errorLines.count
            try await box.run("submit", "org.test.t")
            try await host.line("the command waits: ", after: lines)
            let expired = try await host.line("expired (descriptor-shortage)", after: lines)
            let another = try await host.line("worker ", after: lines)
            #expect(!another.hasSuffix(" \(worker)"), "\(expired)\n\(another)")
            try await host.line("completed", after: lines)
            await host.stop()
            let history = try await box.history()
            #expect(
                history.map(\.detail) == [
                    "completed", "expired (descriptor-shortage), reported no success", "completed",
                ])
            #expect(history.allSatisfy { $0.failuresBefore == 0 })
            await box.expectNothingLeft()
        }
    }

    /// Runs every request as a user that has no other processes, and expects that each completes at
    /// the first attempt. Returns the host's log.
    @discardableResult
    private func runWithFewProcesses(
        _ box: Sandbox, _ limit: Int, others: Int = 0, user first: Int32
    ) async throws -> String {
        let user = uid_t(first + getpid() % 1_000)
        for path in [box.directory, box.manifest] { chown(path, user, user) }
        let host = try box.start(
            "/usr/bin/prlimit", as: user,
            [
                "--nproc=\(limit):\(limit)", "/bin/sh", "-c",
                "n=$1; shift; while [ $n -gt 0 ]; do sleep 1000 & kept=\"$kept $!\"; n=$((n - 1)); done; "
                    + "\"$@\"; code=$?; [ -z \"$kept\" ] || kill $kept; exit $code", "sh",
                "\(others)",
                Built.bgrun, "run", "-m", box.manifest, "--state", box.state,
            ])
        let end = await host.end()
        #expect(end.code == 0, "\(end.error)")
        let list = try await box.start(
            as: user,
            [
                "history", "--manifest", box.manifest, "--state", box.state, "--json",
                "--limit", "1000",
            ]
        ).end()
        let history = try Sandbox.attempts(list.output)
        #expect(history.count == Self.count)
        #expect(history.allSatisfy { $0.outcome == "completed" && $0.failuresBefore == 0 })
        await box.expectNothingLeft()
        return end.error
    }
}
