// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The daemon with shell scripts as hosts.
@Suite("A host that does not answer the daemon", .timeLimit(.minutes(5)))
struct HostLifeTests {
    /// Timeouts in milliseconds.
    private struct Timeouts {
        var start = 60_000
        var answer = 60_000
        var end = 60_000
        var stop = 60_000
        var reading = 600_000
    }

    private func start(_ box: Sandbox, _ timeouts: Timeouts, _ script: String) throws -> Running {
        let manifests = box.directory + "/apps"
        try FileManager.default.createDirectory(
            atPath: manifests, withIntermediateDirectories: true)
        try "".write(toFile: manifests + "/app.yaml", atomically: true, encoding: .utf8)
        let numbers = [
            timeouts.start, timeouts.answer, timeouts.end, timeouts.stop, timeouts.reading,
        ]
        return try box.startProgram(
            Built.directory + "/bgrun-daemon-probe",
            [manifests, box.directory + "/daemon"] + numbers.map(String.init) + [script])
    }

    @Test("and is stopped repeatedly gets SIGCONT, SIGTERM and SIGKILL, and is restarted")
    func replaced() async throws {
        try await Sandbox.with { box in
            let daemon = try start(
                box, Timeouts(start: 300, answer: 300, end: 300),
                #"trap "" TERM; while :; do kill -STOP $$; done"#)
            let host = try #require(
                try await daemon.line("Hosting app.yaml").number(after: "process "))
            for sentence in [
                "was stopped: it is continued", "does not answer: it is ended",
                "did not end in time: it is killed", "is started again in",
            ] {
                try await daemon.line(sentence)
            }
            let lines = daemon.errorLines
            let place = try #require(lines.firstIndex { $0.contains("is started again in") })
            #expect(lines[place].contains("signal 9"), "\(lines[place])")
            let next = try await daemon.line("Hosting app.yaml", after: place)
            #expect(next.number(after: "process ") != host)
            // The next host does not react to the end of the daemon, either.
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("but ends at SIGTERM is not killed")
    func told() async throws {
        try await Sandbox.with { box in
            let daemon = try start(
                box, Timeouts(start: 300, answer: 5_000), "exec sleep 100000")
            try await daemon.line("does not answer: it is ended")
            let line = try await daemon.line("is started again in")
            #expect(line.contains("signal 15"), "\(line)")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("because it is stopped ends with the daemon")
    func stopped() async throws {
        try await Sandbox.with { box in
            let daemon = try start(
                box, Timeouts(end: 20_000),
                """
                trap "exit 0" TERM
                kill -STOP $$
                echo it stops again >&2
                kill -STOP $$
                exec sleep 100000
                """)
            let host = try #require(
                try await daemon.line("Hosting app.yaml").number(after: "process "))
            try await daemon.line("was stopped: it is continued")
            try await daemon.line("it stops again")
            #expect(await eventually { Sandbox.state(of: host) == "T" })
            let end = await daemon.stop()
            #expect(end.code == 0 && !end.error.contains("it is killed"), "\(end.error)")
        }
    }

    @Test("and does not end with the daemon in time is killed")
    func killed() async throws {
        try await Sandbox.with { box in
            let daemon = try start(
                box, Timeouts(start: 600_000, answer: 600_000, end: 300),
                #"trap "" TERM; echo it waits >&2; exec sleep 100000"#)
            try await daemon.line("it waits")
            daemon.signal(SIGTERM)
            let end = "did not end in time: it is killed"
            try #require(await eventually { daemon.errorLines.contains { $0.contains(end) } })
            #expect(await daemon.end().code == 0)
        }
    }

    @Test(
        "is notified of a reload, unless it has just been started", arguments: [true, false])
    func reload(_ isNew: Bool) async throws {
        try await Sandbox.with { box in
            let daemon = try start(
                box, Timeouts(reading: isNew ? 600_000 : 0),
                """
                trap "echo it reads again >&2" HUP
                trap 'kill -KILL $!; exit 0' TERM
                sleep 100000 &
                echo it waits >&2
                while :; do wait; done
                """)
            try await daemon.line("it waits")
            daemon.signal(SIGHUP)
            if !isNew { try await daemon.line("it reads again") }
            // The daemon handles this signal after the first one, and so does the host.
            let end = await daemon.stop()
            #expect(end.code == 0 && end.error.contains("it reads again") != isNew, "\(end.error)")
        }
    }
}
