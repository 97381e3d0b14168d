// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine
import Foundation
import Glibc
import Testing

@Suite("A service of systemd", .timeLimit(.minutes(5)))
struct ServiceTests {
    /// The datagrams received so far.
    private final class Mailbox {
        private let receiver: DatagramReceiver
        private(set) var texts: [String] = []

        init(_ receiver: DatagramReceiver) {
            self.receiver = receiver
        }

        @discardableResult
        func wait(for text: String, after index: Int = 0) async throws -> String {
            func found() -> String? {
                texts += receiver.texts
                return texts.dropFirst(index).first { $0.contains(text) }
            }
            _ = await eventually { found() != nil }
            return try #require(found(), "\(text) did not come, but \(texts)")
        }
    }

    @Test(
        "a host reports readiness, status, reloads and its end"
    )
    func host() async throws {
        try await Sandbox.with { box in
            let receiver = try DatagramReceiver(isAbstract: true)
            let mail = Mailbox(receiver)
            let gate = try box.gate("gate")
            try box.writeApp("one", "echo socket: $NOTIFY_SOCKET; read x < \(gate.path)")
            let host = try box.start(
                ["run", "--stay", "--manifest", box.apps + "/one.yaml", "--state", box.state],
                false,
                ["NOTIFY_SOCKET": receiver.name, "WATCHDOG_USEC": "3600000000"])
            try await mail.wait(for: "WATCHDOG=1")
            try await mail.wait(for: "READY=1\nSTATUS=1 running, 0 pending")
            try await host.line("] socket:")
            #expect(!host.errorLines.contains { $0.contains(receiver.name) })
            gate.open()
            try await mail.wait(for: "STATUS=0 running, 0 pending")
            let count = mail.texts.count
            host.signal(SIGHUP)
            try await mail.wait(for: "RELOADING=1\nMONOTONIC_USEC=", after: count)
            try await mail.wait(for: "READY=1", after: count)
            host.signal(SIGTERM)
            try await mail.wait(for: "STOPPING=1")
            #expect(await host.end().code == 0)
        }
    }

    @Test("a daemon reports the same, and is ready when it has examined every manifest")
    func daemon() async throws {
        try await Sandbox.with { box in
            let receiver = try DatagramReceiver(isAbstract: false)
            let mail = Mailbox(receiver)
            try box.writeApp("one", "echo socket: $NOTIFY_SOCKET")
            try "bgrun: 1".write(
                toFile: box.apps + "/two.yaml", atomically: true, encoding: .utf8)
            let daemon = try box.start(
                ["daemon", "--manifests", box.apps, "--state", box.state], false,
                ["NOTIFY_SOCKET": receiver.name])
            try await mail.wait(for: "READY=1\nSTATUS=hosted: 1, not hosted: 1 (see bgrun apps)")
            try await daemon.line("] socket:")
            #expect(!daemon.errorLines.contains { $0.contains(receiver.name) })
            let count = mail.texts.count
            daemon.signal(SIGHUP)
            try await mail.wait(for: "RELOADING=1", after: count)
            try await mail.wait(for: "READY=1", after: count)
            daemon.signal(SIGTERM)
            try await mail.wait(for: "STOPPING=1\nSTATUS=ending: 1 hosts")
            #expect(await daemon.end().code == 0)
        }
    }

    @Test("its log has the fields of the journal if standard error is the journal")
    func journal() async throws {
        try await Sandbox.with { box in
            let receiver = try DatagramReceiver(isAbstract: false)
            let mail = Mailbox(receiver)
            try box.writeApp("one", "echo hello; exit 3")
            let host = try box.startShell(
                "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec $BGRUN run --once "
                    + "--manifest \(box.apps)/one.yaml --state \(box.state)",
                ["BGRUN_JOURNAL_SOCKET": receiver.name])
            let finished = await host.end()
            #expect(finished.code == 1)
            #expect(finished.error == "", "what the journal has is not written twice")
            let start = try await mail.wait(for: "MESSAGE=Starting task")
            let hello = try await mail.wait(for: "MESSAGE=[org.test.one.run] hello")
            let end = try await mail.wait(for: "MESSAGE=Task completed without success")
            for entry in [start, hello, end] {
                for field in [
                    "SYSLOG_IDENTIFIER=bgrun", "BGRUN_APP=org.test.one", "BGRUN_ATTEMPT=1",
                    "BGRUN_IDENTIFIER=org.test.one.run",
                    "BGRUN_SUBSYSTEM=com.apple.backgroundtaskscheduler",
                ] {
                    #expect(entry.contains(field + "\n"), "\(field) in \(entry)")
                }
            }
            #expect(start.contains("PRIORITY=6\n") && start.contains("MESSAGE_ID="))
            #expect(end.contains("PRIORITY=3\n") && end.contains("BGRUN_REASON=failed\n"))
        }
    }

    @Test(
        "a running journald stores the fields, and finds entries by them",
        .enabled(
            if: Container.isPermitted && access("/lib/systemd/systemd-journald", X_OK) == 0,
            "needs systemd-journald, and the right to make namespaces (unshare)"))
    func journald() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo hello")
            // In the namespace: its own /run and its own journal.
            let inside = """
                mount -t tmpfs none /run && mkdir -p /run/systemd/journal /run/log/journal
                test -s /etc/machine-id || {
                    echo 0123456789abcdef0123456789abcdef > /run/id
                    touch /etc/machine-id && mount --bind /run/id /etc/machine-id
                }
                mount -t tmpfs none /var/log
                /lib/systemd/systemd-journald 2> /dev/null &
                until test -S /run/systemd/journal/socket; do :; done
                sh -c 'JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec $BGRUN run --once \
                    --manifest $APPS/one.yaml --state $STATE' 2> $STATE.log
                journalctl --sync
                journalctl -D /run/log/journal -o cat BGRUN_APP=org.test.one BGRUN_ATTEMPT=1 \
                    BGRUN_SUBSYSTEM=com.apple.backgroundtaskscheduler
                kill $!
                """
            let finished = try await box.startShell(
                "exec unshare --mount --pid --fork --mount-proc --kill-child /bin/sh -c \"$INSIDE\"",
                ["INSIDE": inside, "APPS": box.apps, "STATE": box.state]
            ).end()
            #expect(
                finished.output == """
                    Starting task with identifier org.test.one.run
                    [org.test.one.run] hello
                    Task completed with identifier org.test.one.run: exit status 0

                    """, "\(finished.error)")
        }
    }

    @Test("with --priorities a line begins with its syslog priority")
    func priorities() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo hello; exit 3")
            let finished = try await box.start([
                "run", "--once", "--priorities", "--manifest", box.apps + "/one.yaml", "--state",
                box.state,
            ]).end()
            #expect(finished.error.contains("<6>Starting task with identifier org.test.one.run\n"))
            #expect(finished.error.contains("<6>[org.test.one.run] hello\n"))
            #expect(finished.error.contains("<3>Task completed without success"))
        }
    }
}
