// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@Suite("The lock of an app's host, and commands with and without a host", .timeLimit(.minutes(5)))
struct LockTests {
    private static let tasks = """
        org.test.gate: {kind: processing, handler: probe.gate}
        org.test.other: {kind: processing, handler: probe.who, submit: manual}
        org.test.job.*: {kind: processing, handler: probe.who}
        """

    /// Runs `body` with a host that stays, while its attempt of org.test.gate runs.
    private static func withHost(_ body: (Sandbox, Running) async throws -> Void) async throws {
        try await Sandbox.withProbe(tasks) { box in
            _ = try box.gate("gate")
            let host = try await box.host("--stay", until: "at the gate")
            try await body(box, host)
        }
    }

    @Test("a second host names the first one and exits with 75")
    func secondHost() async throws {
        try await Self.withHost { box, first in
            let second = try await box.run("run")
            #expect(second.code == 75)
            #expect(second.error.contains("process \(first.pid) is already running this app "))
            await first.stop()
        }
    }

    @Test(
        "a host whose state directory is removed or moved ends with its attempts",
        arguments: ["rm -rf state/org.test.app", "mv state/org.test.app moved"])
    func stateGone(_ command: String) async throws {
        try await Self.withHost { box, host in
            #expect(try await box.startShell("cd \(box.directory) && \(command)").end().code == 0)
            try await host.line("was removed, replaced or overwritten while it was in use")
            #expect(await host.end().code == 74)
        }
    }

    @Test("submit, pending, cancel and history work without a host")
    func withoutHost() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let history = try await box.history()
            #expect(history.isEmpty)
            #expect(try await box.pending().count == 0)
            #expect(try await box.run("submit", "org.test.other", "--after", "1h").code == 0)
            #expect(try await box.pending().pending.map(\.identifier) == ["org.test.other"])
            #expect(try await box.run("cancel", "org.test.other").code == 0)
            #expect(try await box.run("cancel", "org.test.other").code == 1)
            #expect(try await box.run("submit", "org.test.unknown").code == 77)
            #expect(try await box.run("submit", "com.apple.other").code == 77)
            #expect(try await box.pending().count == 0)
        }
    }

    @Test("submit, pending, cancel and history work with a host, which takes the requests")
    func withHost() async throws {
        try await Self.withHost { box, host in
            #expect(try await box.run("submit", "org.test.other", "--after", "1h").code == 0)
            try await host.line("Scheduling task with identifier org.test.other")
            let pending = try await box.pending()
            #expect(pending.running.map(\.identifier) == ["org.test.gate"])
            #expect(pending.pending.map(\.identifier) == ["org.test.other"])
            #expect(try await box.run("cancel", "org.test.other").code == 0)
            #expect(try await box.run("cancel", "org.test.other").code == 1)
            let running = try await box.run("cancel", "org.test.gate")
            #expect(running.code == 1)
            #expect(
                running.error
                    == "bgrun: org.test.gate is running as attempt 1; `bgrun expire` ends it\n")
            let typo = try await box.run("expire", "org.test.gat")
            #expect(typo.code == 77)
            #expect(typo.error.contains("did you mean \"org.test.gate\"?"), "\(typo)")
            let idle = try await box.run("expire", "org.test.other")
            #expect(idle.code == 77)
            #expect(idle.error.contains("no attempt of that identifier is running"), "\(idle)")
            #expect(try await box.run("submit", "org.test.unknown").code == 77)
            #expect(try await box.run("trigger", "org.test.gate").code == 77, "it runs already")
            #expect(try await box.run("trigger", "org.test.other").code == 0)
            try await host.line("[org.test.other] pid")
            await host.stop()
        }
    }

    @Test("trigger and expire need a host, and exit with 69", arguments: ["trigger", "expire"])
    func needsHost(_ command: String) async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let run = try await box.run(command, "org.test.gate")
            #expect(run.code == 69)
            #expect(
                run.error.contains(
                    "no host of org.test.app is running; start one with "
                        + "`bgrun --manifest \(box.manifest) --state \(box.state)`"),
                "\(run.error)")
        }
    }

    @Test("commands at the same time without a host wait for each other")
    func commandsAtOnce() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let submissions = try (1...12).map { try box.start("submit", "org.test.job.\($0)") }
            for submission in submissions { #expect(await submission.end().code == 0) }
            #expect(try await box.pending().count == 12)
        }
    }

    @Test("a command waits a limited time for a stopped host")
    func stoppedHost() async throws {
        try await Self.withHost { box, host in
            host.signal(SIGSTOP)
            let submit = try await box.run("submit", "org.test.other")
            #expect(submit.code == 69)
            #expect(submit.error.contains("does not answer"))
            #expect(submit.error.contains("it may still carry out the request when it continues"))
            host.signal(SIGKILL)
            await host.stop(SIGCONT)
        }
    }

    @Test("commands and doctor report that the socket of a host was removed")
    func removedSocket() async throws {
        try await Self.withHost { box, host in
            #expect(unlink(box.state + "/org.test.app/control.sock") == 0)
            let submit = try await box.run("submit", "org.test.other")
            #expect(submit.code == 69)
            #expect(submit.error.contains("something removed "), "\(submit.error)")
            #expect(try await box.run("doctor").output.contains("something removed "))
            await host.stop(SIGKILL)
        }
    }

    @Test("doctor reports that the first attempt runs")
    func firstAttempt() async throws {
        try await Self.withHost { box, host in
            let doctor = try await box.run("doctor").output
            #expect(doctor.contains("org.test.gate was launched first, "), "\(doctor)")
            #expect(!doctor.contains("nothing was launched so far"), "\(doctor)")
            #expect(!doctor.contains("the last attempts completed"), "\(doctor)")
            await host.stop(SIGKILL)
        }
    }

    @Test("a host without free descriptors refuses clients and continues")
    func noDescriptors() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            _ = try box.gate("gate")
            let host = try box.startShell("ulimit -n 48; exec $BGRUN run --stay $OPTIONS")
            try await host.line("at the gate")
            let callers = (1...60).map { _ in socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
            for caller in callers {
                _ = connect(caller, to: box.state + "/org.test.app/control.sock")
            }
            // No client has sent a request: a readable connection has been closed.
            var polled = callers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            #expect(poll(&polled, 60, 20_000) > 0)
            for caller in callers { close(caller) }
            #expect(try await box.run("submit", "org.test.other").code == 0)
            #expect(await host.stop().code == 0)
        }
    }

    private func connect(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
