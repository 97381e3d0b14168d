// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Files of the state", .timeLimit(.minutes(5)))
struct StateFilesTests {
    private static let tasks = """
        org.test.a: {kind: processing, submit: manual, call: {library: libc.so.6, function: sync}}
        """

    @Test("an accepted request and the directories that lead to it are synced before the answer")
    func synced() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: Self.tasks)
            let (trace, state) = (box.directory + "/trace", box.directory + "/new/deep")
            let submit = try box.startProgram(
                "/usr/bin/strace",
                ["-f", "-y", "-e", "trace=fsync,fdatasync,write", "-o", trace]
                    + [Built.bgrun, "submit", "org.test.a", "-m", box.manifest, "--state", state])
            #expect(await submit.end().code == 0)
            let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            let answer = try #require(
                lines.firstIndex { $0.contains("write(1<") })
            let synced = lines[..<answer].filter { $0.contains("sync(") }
            for path in ["", "/new", "/new/deep", "/new/deep/org.test.app"] {
                #expect(
                    synced.contains { $0.contains("<\(box.directory + path)>") },
                    "\(path) in \(synced)")
            }
            #expect(synced.contains { $0.contains("/bgrun.sqlite-wal>") }, "\(synced)")
        }
    }

    @Test(
        "a store that was truncated to zero bytes is reported by hosts and commands, and unchanged")
    func emptied() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: Self.tasks)
            #expect(try await box.run("submit", "org.test.a").code == 0)
            #expect(try await box.run("run", "--once").code == 0)
            let store = box.state + "/org.test.app/bgrun.sqlite"
            #expect(truncate(store, 0) == 0)
            let options = ["--manifest", box.manifest, "--state", box.state]
            let said = "\(store) is damaged: it is empty"
            let commands = [
                ["run", "--once"], ["submit", "org.test.a"], ["pending"], ["history"],
            ]
            for command in commands {
                let run = try await box.start(command + options).end()
                #expect(run.code == 74 && run.error.contains(said), "\(command): \(run.error)")
            }
            // The metrics of other apps are still printed.
            let metrics = try await box.start(["metrics"] + options).end()
            #expect(metrics.code == 74 && metrics.error.contains(said), "\(metrics.error)")
            #expect(metrics.output.contains("bgrun_"), "\(metrics.output)")
            let doctor = try await box.run("doctor")
            #expect(doctor.output.contains("fail  store         \(store) is damaged"), "\(doctor)")
            #expect(try Data(contentsOf: URL(filePath: store)).isEmpty)
        }
    }

    @Test("doctor shows the remedy for a damaged store, and states nothing about its content")
    func damaged() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: Self.tasks)
            #expect(try await box.run("submit", "org.test.a").code == 0)
            #expect(try await box.run("run", "--once").code == 0)
            let store = box.state + "/org.test.app/bgrun.sqlite"
            try Data(repeating: 0x78, count: 8_192).write(to: URL(filePath: store))
            for symptom in [[], ["--symptom", "never-runs"]] {
                let doctor = try await box.run(
                    ["doctor", "--manifest", box.manifest, "--state", box.state] + symptom)
                #expect(doctor.code == 1, "\(doctor)")
                for part in [
                    "fail  store         \(store) is damaged (",
                    "next: sqlite3 \(store) .recover\n",
                ] {
                    #expect(doctor.output.contains(part), "\(part)\nin:\n\(doctor.output)")
                }
                for check in ["identifiers", "log", "force-quit", "refresh", "waiting"] {
                    let row = "  \(check) "
                    #expect(!doctor.output.contains(row), "\(row)\nin:\n\(doctor.output)")
                }
            }
        }
    }

    /// The state directory of `nobody` after its host was killed: the store has a write-ahead log.
    private func withState(
        _ body: (Sandbox, _ app: String, _ run: ([String]) async throws -> Finished)
            async throws -> Void
    ) async throws {
        try await Sandbox.with { box in
            try box.write(tasks: Self.tasks)
            chmod(box.directory, 0o755)
            chmod(box.manifest, 0o644)
            mkdir(box.state, 0o700)
            chown(box.state, Users.nobody, Users.nobody)
            let options = ["--manifest", box.manifest, "--state", box.state]
            let host = try box.start(as: Users.nobody, ["run", "--stay"] + options)
            _ = try await host.line("Background refresh is")
            await host.stop(SIGKILL)
            try await body(box, box.state + "/org.test.app") { command in
                try await box.start(as: Users.nobody, command + options).end()
            }
        }
    }

    @Test(
        "a file of the store that its user may not use is named",
        .enabled(if: Users.canBeChanged, "needs root"), arguments: ["", "-wal", "-shm"])
    func mode(_ suffix: String) async throws {
        try await withState { _, app, run in
            let file = app + "/bgrun.sqlite" + suffix
            // SQLite replaces an empty write-ahead log.
            if suffix != "-wal" {
                chmod(file, 0o444)
                let doctor = try await run(["doctor"])
                let said = "fail  store         \(file) cannot be"
                #expect(doctor.output.contains(said), "\(doctor)")
            }
            chmod(file, 0)
            for command in [["pending"], ["doctor"]] {
                let finished = try await run(command)
                let text = finished.output + finished.error
                #expect(text.contains("\(file) cannot be"), "\(command): \(text)")
            }
        }
    }

    @Test(
        "a directory that its own mode closes to its owner is reported as such",
        .enabled(if: Users.canBeChanged, "needs root"), arguments: [false, true])
    func closed(_ isAbove: Bool) async throws {
        try await withState { box, app, run in
            let directory = isAbove ? box.state : app
            chmod(directory, 0)
            defer { chmod(directory, 0o700) }
            for command in [["history"], ["pending"], ["report"], ["logs"]] {
                let finished = try await run(command)
                #expect(finished.code == 74, "\(command): \(finished.error)")
                let said = "\(directory): Permission denied by the mode (0) of your own"
                #expect(finished.error.contains(said), "\(command): \(finished.error)")
            }
            let doctor = try await run(["doctor"])
            let refusal = "\(directory) denies access to its own user"
            #expect(doctor.output.contains(refusal), "\(doctor)")
            #expect(doctor.output.contains("next: chmod 700 \(directory)"), "\(doctor)")
            let host = try await run(["run", "--once"])
            #expect(host.code == 74, "\(host.error)")
            let said =
                "\(directory): Permission denied by the mode (0) of your own directory; chmod"
            #expect(host.error.contains(said), "\(host.error)")
        }
    }

    @Test(
        "a directory that its own user may not write, read or enter is refused, also for root",
        arguments: [0o500, 0o300, 0o600, 0])
    func unwritable(_ mode: mode_t) async throws {
        try await Sandbox.with { box in
            try box.write(tasks: Self.tasks)
            #expect(try await box.run("run", "--once").code == 0)
            let app = box.state + "/org.test.app"
            chmod(app, mode)
            defer { chmod(app, 0o700) }
            let host = try await box.run("run", "--once")
            let octal = String(mode, radix: 8)
            let said =
                "\(app): Permission denied by the mode (\(octal)) of your own directory; chmod"
            #expect(host.code == 74 && host.error.contains(said), "\(host.error)")
            let doctor = try await box.run("doctor")
            #expect(doctor.code == 1, "\(doctor)")
            let line = try #require(
                doctor.output.split(separator: "\n").first { $0.contains("fail  state") },
                "\(doctor)")
            #expect(line.contains(app) && line.contains("mode \(octal)"), "\(doctor)")
            #expect(doctor.output.contains("next: chmod 700 \(app)"), "\(doctor)")
        }
    }
}
