// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Foundation
import Glibc
import Testing

/// `BGRUN_SOAK_ROUNDS` adds rounds; `BGRUN_SEED` repeats the choices of a run.
private enum Killing {
    static let rounds = 5 + (number("BGRUN_SOAK_ROUNDS").map { Int(clamping: $0) } ?? 0)
    static let seed = number("BGRUN_SEED") ?? .random(in: .min ... .max)

    private static func number(_ variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
    }
}

@Suite(
    "Host, bgrun-init, workers and transfer service that are killed together",
    .timeLimit(.minutes(5 + Killing.rounds / 20)))
struct KilledTogetherTests {
    /// It leaves processes in other sessions and daemons, and starts more daemons for a while. All
    /// hold the witness open.
    private static let command = """
        exec 9> witness
        echo begun >&9
        setsid sh -c 'echo session >&9; exec sleep 1000' &
        (setsid sh -c '(trap "" TERM HUP; echo daemon >&9; exec sleep 1000) &')
        n=0
        while [ $n -lt 200 ]; do (setsid sh -c '(exec sleep 0.05) &' &); n=$((n+1)); done
        echo forked >&9
        sleep 1000
        """
    /// The lines of the two attempts.
    private static let lines = 8

    @Test("leave nothing of confined attempts", arguments: AttackUser.available)
    func everything(_ user: AttackUser) async throws {
        print("killed together: BGRUN_SEED=\(Killing.seed)")
        var random = SplitMix(seed: Killing.seed)
        try await Sandbox.with { box in
            let server = try await FileServer(box, isGated: true)
            try server.put("file", size: 100_000)
            let app = try write(box, server, user)
            for round in 0..<Killing.rounds {
                let witness = try Witness(app.directory + "/witness")
                let host = try app.start("run", "--stay")
                await witness.wait(forLines: .random(in: 1...Self.lines, using: &random))
                if host.errorLines.contains(where: { $0.contains("confined without namespaces") }) {
                    return print("killed together: not run as \(user): no namespaces")
                }
                var victims: [ProcessHandle] = []
                var others: [ProcessHandle] = []
                for process in Self.family(of: host.pid)
                    + [box.transferService?.pid].compactMap(\.self)
                {
                    guard let handle = ProcessHandle(process) else { continue }
                    if Self.isOwn(process) { victims.append(handle) } else { others.append(handle) }
                }
                #expect(victims.count > 3, "host, bgrun-init and a worker")
                for victim in victims.shuffled(using: &random) { victim.signal(SIGKILL) }
                let ended = (victims + others).map(\.descriptor)
                let isOver = await Self.blocking { ended.allSatisfy { hasInput($0) } }
                withExtendedLifetime((victims, others)) {}
                #expect(isOver, "round \(round), seed \(Killing.seed)")
                #expect(await witness.isClosed(), "round \(round), seed \(Killing.seed)")
                #expect(await host.end().code == 128 + SIGKILL)
            }
            await server.process.stop(SIGKILL)
            // One that a host started just before its death lives on by design.
            if let service = box.transferService { kill(service.pid, SIGKILL) }
            await box.expectNothingLeft()
        }
    }

    private func write(
        _ box: Sandbox, _ server: FileServer, _ user: AttackUser
    ) throws -> ConfinedApp {
        let app = try ConfinedApp(box, user)
        try #require(mkfifo(app.directory + "/witness", 0o600) == 0)
        let tasks = ["one", "two"].map {
            """
              org.test.\($0):
                kind: processing
                handler: exec.run
                parameters:
                  command: |
            \(Self.command.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n"))
            """
        }
        try app.write(
            """
            device: {power: external, network: unmetered}
            plugins: {exec: \(try Built.plugin("exec"))}
            policy: {profile: server, concurrent_attempts: 3, interruption_limit: 1000}
            # Tests find processes by their mark.
            confine: {profile: default, environment: {keep: [BGRUN_TEST_MARK]}}
            transfers:
              org.test.load: {download: "\(server.address)/file", to: ./loaded}
            tasks:
              org.test.short: {kind: processing, handler: exec.run, parameters: {command: "true"}}
            \(tasks.joined(separator: "\n"))
            """)
        return app
    }

    // MARK: processes

    /// A process and its descendants.
    private static func family(of root: pid_t) -> [pid_t] {
        var children: [pid_t: [pid_t]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let pid = pid_t(name), let text = text(of: pid, "stat"),
                let end = text.lastIndex(of: ")")
            else { continue }
            let fields = text[end...].split(separator: " ")
            if fields.count > 2, let parent = pid_t(fields[2]) {
                children[parent, default: []].append(pid)
            }
        }
        var found = [root]
        var next = 0
        while next < found.count {
            found += children[found[next]] ?? []
            next += 1
        }
        return found
    }

    /// Whether it is a program of bgrun; bgrun-init has the name of the worker.
    private static func isOwn(_ pid: pid_t) -> Bool {
        let program = text(of: pid, "cmdline")?.split(separator: "\0").first
        return program.map { $0.hasPrefix(Built.directory + "/bgrun") } ?? false
    }

    private static func text(of pid: pid_t, _ name: String) -> String? {
        try? String(contentsOfFile: "/proc/\(pid)/\(name)", encoding: .utf8)
    }

    /// Does what blocks, which is not permitted on the threads of tests.
    fileprivate static func blocking<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: body()) }
        }
    }
}

/// Waits for input, or for the end of the process of a pidfd, for a time that only a broken program needs.
private func hasInput(_ descriptor: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 60_000) > 0
}

/// The reading end of a FIFO that processes hold open for writing.
private final class Witness: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0, "\(path): errno \(errno)")
    }

    deinit { close(descriptor) }

    /// Waits until that many lines were written.
    func wait(forLines count: Int) async {
        let descriptor = descriptor
        await KilledTogetherTests.blocking {
            var lines = 0
            while lines < count {
                guard hasInput(descriptor), let bytes = Self.read(descriptor) else { return }
                lines += bytes.count { $0 == UInt8(ascii: "\n") }
            }
        }
    }

    /// Waits until the last process that had it open has ended; false if one lives on.
    func isClosed() async -> Bool {
        let descriptor = descriptor
        return await KilledTogetherTests.blocking {
            while let bytes = Self.read(descriptor) {
                if bytes.isEmpty, !hasInput(descriptor) { return false }
            }
            return true
        }
    }

    /// What is there; nil if no process has it open for writing.
    private static func read(_ descriptor: Int32) -> ArraySlice<UInt8>? {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        return count == 0 ? nil : chunk.prefix(max(count, 0))
    }
}
