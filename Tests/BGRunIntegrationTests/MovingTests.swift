// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Import from other schedulers and export to them", .timeLimit(.minutes(5)))
struct MovingTests {
    @Test("a crontab on standard input becomes a manifest, with notes on standard error")
    func standardInput() async throws {
        try await Sandbox.with { box in
            let file = try box.write("jobs", "MAILTO=a@example.com\n0 3 * * * backup\n")
            let run = try await box.startShell("\"$BGRUN\" import - < \(file)").end()
            #expect(run.code == 0, "\(run.error)")
            #expect(run.output.contains("  local.crontab.backup:\n"), "\(run.output)")
            #expect(run.output.contains("    cron: \"0 3 * * *\"\n"))
            #expect(run.error.hasPrefix("bgrun: stdin:1: lost: MAILTO=a@example.com: "))
            #expect(run.output.contains("#  - stdin:1: lost: MAILTO=a@example.com: "))
        }
    }

    @Test("--strict exits with 65 and writes nothing if a meaning would be lost")
    func strict() async throws {
        try await Sandbox.with { box in
            let file = try box.write("jobs", "MAILTO=a@example.com\n0 3 * * * backup\n")
            let run = try await box.start(["import", "--strict", file, "-o", box.manifest]).end()
            #expect(run.code == 65)
            #expect(!FileManager.default.fileExists(atPath: box.manifest))
            let good = try box.write("good", "MAILTO=\"\"\n0 3 * * * backup\n")
            #expect(try await box.start(["import", "--strict", good]).end().code == 0)
        }
    }

    @Test("the jobs of two users become two manifests in a directory, without standard output")
    func users() async throws {
        try await Sandbox.with { box in
            let file = try box.write(
                "cron.d/two", "0 3 * * * root a\n0 4 * * * www-data b\n")
            let run = try await box.start(["import", file]).end()
            #expect(run.code == 65)
            #expect(run.error.contains("run as 2 users"))
            let made = box.directory + "/made"
            #expect(try await box.start(["import", file, "-o", made]).end().code == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: made).sorted()
            #expect(names == ["local.cron.two.www-data.yaml", "local.cron.two.yaml"])
            let other = try String(
                contentsOfFile: made + "/local.cron.two.www-data.yaml", encoding: .utf8)
            #expect(other.contains("user: www-data\n"))
            // One existing file prevents the others from being written.
            for name in names {
                try FileManager.default.removeItem(atPath: made + "/" + name)
                #expect(try await box.start(["import", file, "-o", made]).end().code == 74)
                #expect(!FileManager.default.fileExists(atPath: made + "/" + name))
                #expect(try box.write("made/" + name, "mine") == made + "/" + name)
            }
        }
    }

    @Test("a timer includes its service and the drop-ins of both; a directory imports its timers")
    func timers() async throws {
        try await Sandbox.with { box in
            _ = try box.write("u/a.timer", "[Timer]\nOnCalendar=daily\n")
            _ = try box.write("u/a.service", "[Service]\nExecStart=/bin/a\n")
            _ = try box.write("u/a.service.d/x.conf", "[Service]\nEnvironment=LEVEL=3\n")
            _ = try box.write("u/a.timer.d/x.conf", "[Timer]\nPersistent=true\n")
            _ = try box.write("u/alone.service", "[Service]\nExecStart=/bin/alone\n")
            for path in ["u", "u/a.timer"] {
                let run = try await box.start(["import", box.directory + "/" + path]).end()
                #expect(run.code == 0, "\(run.error)")
                for line in ["argv: [/bin/a]", "LEVEL: \"3\"", "catch_up: one"] {
                    #expect(run.output.contains(line), "\(line) in:\n\(run.output)")
                }
                #expect(!run.output.contains("alone"))
            }
        }
    }

    @Test("a binary property list of launchd is read as its XML form")
    func launchd() async throws {
        try await Sandbox.with { box in
            let job: [String: any Sendable] = [
                "Label": "com.example.poll", "ProgramArguments": ["/bin/poll"],
                "StartInterval": 300,
            ]
            let file = box.directory + "/com.example.poll.plist"
            let data = try PropertyListSerialization.data(
                fromPropertyList: job, format: .binary, options: 0)
            try data.write(to: URL(fileURLWithPath: file))
            let run = try await box.start(["import", file, "-o", box.manifest]).end()
            #expect(run.code == 0, "\(run.error)")
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.output == "\(box.manifest): no errors\n", "\(lint.error)")
        }
    }

    @Test(
        "a file that cannot be imported is refused with advice",
        arguments: [
            ("", 65, "no job to import"), ("# nothing\n", 65, "no job to import"),
            ("\u{0}\n", 65, "no job to import"), ("bplist00", 65, "is not a property list"),
        ])
    func refused(_ text: String, _ code: Int32, _ message: String) async throws {
        try await Sandbox.with { box in
            let file = try box.write("jobs", text)
            let run = try await box.start(["import", file]).end()
            #expect(run.code == code)
            #expect(run.error.contains(message), "\(run.error)")
            #expect(run.output.isEmpty)
        }
    }

    @Test(
        "a manifest is exported to a directory, and nothing there is overwritten",
        arguments: [
            ("systemd", ["a.service", "a.timer"]), ("crontab", ["crontab"]),
            ("kubernetes", ["a.yaml"]), ("nomad", ["a.nomad.hcl"]),
        ])
    func export(_ target: String, _ files: [String]) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: "org.test.app.a: {kind: processing, handler: exec.run, "
                    + "parameters: {command: 'true'}, every: 1h}")
            let made = box.directory + "/made"
            let command = ["export", "--to", target, "-m", box.manifest, "-o", made]
            let run = try await box.start(command).end()
            #expect(run.code == 0, "\(run.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: made).sorted() == files)
            #expect(try await box.start(command).end().code == 74)
        }
    }

    @Test("an exported command that only bgrun can run calls this bgrun")
    func callsBGRun() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["hello": "hello-c"],
                tasks: "org.test.a: {kind: processing, handler: hello.greet, every: 1h}")
            let run = try await box.start(["export", "--to", "systemd", "-m", box.manifest]).end()
            #expect(run.output.contains("/bgrun submit --manifest \(box.manifest) org.test.a\n"))
            #expect(run.output.contains("/bgrun run --once --quiet --manifest \(box.manifest)\n"))
            let missing = try await box.start(["export", "--to", "nomad", "-m", "/no/such"]).end()
            #expect(missing.code == 66)
        }
    }
}

extension Sandbox {
    /// Writes a file below the sandbox, and returns its path.
    fileprivate func write(_ name: String, _ text: String) throws -> String {
        let path = directory + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}
