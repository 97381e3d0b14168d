// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite(
    "PID 1 of a container", .timeLimit(.minutes(5)),
    .enabled(if: Container.isPermitted, "needs the right to make namespaces (unshare)"))
struct ContainerTests {
    /// Starts `line` as PID 1 of a container without a HOME, in which only the sandbox can be written to.
    private func start(_ box: Sandbox, _ line: String) throws -> Running {
        let inside = """
            mount --bind \(box.directory) \(box.directory) && mount -o remount,bind,ro / && \
            mount -t tmpfs -o ro none /run && ! touch /etc/bgrun-test 2>/dev/null && \
            unset HOME USER PATH && \(line)
            """
        return try box.startShell(
            "exec unshare --mount --pid --fork --mount-proc --kill-child /bin/sh -c \"$INSIDE\"",
            ["INSIDE": inside])
    }

    /// PID 1 of the container, seen from outside: it runs `bgrun` with this subcommand.
    private func first(_ box: Sandbox, _ subcommand: String) throws -> pid_t {
        // Its children may have smaller numbers, if the kernel's have started again from the lowest.
        let bgrun = box.processes.filter {
            $0.command.hasPrefix("\(Built.bgrun) \(subcommand) ") && !$0.command.contains("--share")
        }
        return try #require(bgrun.first?.pid, "\(box.processes)")
    }

    @Test("a daemon reaps orphans, and ends as usual")
    func daemon() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "echo hello")
            let daemon = try start(
                box,
                "(read x < \(gate.path); exit 0) & exec \(Built.bgrun) daemon "
                    + "--manifests \(box.apps) --state \(box.state)")
            try await daemon.line("Task completed with identifier org.test.one.run")
            let orphan = try #require(
                box.processes.first { $0.command.hasPrefix("/bin/sh -c mount") }?.pid)
            gate.open()
            #expect(await eventually { Sandbox.state(of: orphan) == nil }, "it stays a zombie")
            kill(try first(box, "daemon"), SIGTERM)
            #expect(await daemon.end().code == 0)
        }
    }

    @Test("root hosts all apps as root in a container without other users")
    func alone() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "id -u")
            try box.writeApp("two", "id -u", rest: "user: nobody")
            let daemon = try box.startShell(
                "exec unshare --user --map-root-user $BGRUN daemon --manifests \(box.apps) "
                    + "--state \(box.state)")
            try await daemon.line("[org.test.one.run] 0")
            try await daemon.line("its `user` is nobody, and the daemon runs as root")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("a host ends its attempts at SIGTERM, and a second signal kills them")
    func host() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "trap '' TERM; echo up; read x < \(gate.path)")
            let host = try start(
                box,
                "exec \(Built.bgrun) run --stay --manifest \(box.apps)/one.yaml --state \(box.state)"
            )
            try await host.line("] up")
            let first = try first(box, "run")
            kill(first, SIGTERM)
            try await host.line("Expiring task with identifier org.test.one.run: shutdown")
            kill(first, SIGTERM)
            #expect(await host.end().code == 0)
            await box.expectNothingLeft()
        }
    }
}

enum Container {
    /// Whether this process may create namespaces and mount in them.
    static let isPermitted: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = [
            "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "/bin/sh", "-c",
            "mount -o remount,bind,ro /",
        ]
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
