// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The real command on a real terminal.
@Suite("bgrun top", .timeLimit(.minutes(5)))
struct TopTests {
    private static let tasks = """
        org.test.waits: {kind: processing, handler: probe.wait, submit: manual}
        org.test.power: {kind: processing, handler: probe.who, requires: {power: external}}
        """

    /// Runs `top` on a terminal with the steps of Fixtures/terminal.py.
    private func top(
        _ box: Sandbox, size: String = "24x90", _ steps: [String], _ location: SourceLocation
    ) async throws {
        let script = Built.package + "/Tests/BGRunIntegrationTests/Fixtures/terminal.py"
        let end = try await box.startProgram(
            "/usr/bin/python3",
            [script, size] + steps
                + ["--", Built.bgrun, "top", "--manifest", box.manifest, "--state", box.state],
            [
                "TERM": "xterm", "BGRUN": Built.bgrun,
                "OPTIONS": "--manifest \(box.manifest) --state \(box.state)",
            ]
        ).end()
        #expect(end.code == 0, "\(end.error)", sourceLocation: location)
    }

    private func withHost(_ body: (Sandbox, Running) async throws -> Void) async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let host = try await box.host("--stay")
            try await body(box, host)
            await host.stop()
        }
    }

    @Test("changes are shown at once, and a waiting request is launched after a confirmation")
    func live() async throws {
        try await withHost { box, host in
            try await top(
                box,
                [
                    "see:waits for power: external", "see:0 running, 1 pending", "key:t",
                    "see:launch org.test.power now, whatever it waits for? y/n", "key:y",
                    "see:launched org.test.power", "see:completed after", "see:0 pending", "key:q",
                    "end:0",
                ], #_sourceLocation)
        }
    }

    @Test("a running attempt is expired after a confirmation, and not before")
    func expire() async throws {
        try await withHost { box, host in
            #expect(try await box.run("submit", "org.test.waits").code == 0)
            try await top(
                box,
                [
                    "see:RUNNING", "see:> org.test.waits", "key:e",
                    "see:expire org.test.waits? y/n",
                    "key:n", "see:nothing was changed", "key:e", "see:y/n", "key:y",
                    "see:expired (cancelled)", "key:q", "end:0",
                ], #_sourceLocation)
        }
    }

    @Test("enter explains, j scrolls and escape returns")
    func explain() async throws {
        try await withHost { box, _ in
            try await top(
                box, size: "10x60",
                [
                    "see:> org.test.power", "key:\\r", "see:has been pending since", "key:jjj",
                    "gone:has been pending since", "key:\\e", "see:> org.test.power", "key:q",
                    "end:0",
                ], #_sourceLocation)
        }
    }

    @Test("nothing is written beyond the edge of a terminal of any size, also of one that shrinks")
    func size() async throws {
        try await withHost { box, _ in
            try await top(
                box, size: "40x120",
                ["see:org.test.power"]
                    + ["20x60", "8x40", "3x20", "2x8", "30x100"].flatMap {
                        ["size:\($0)", "see:q"]
                    } + ["see:waits for power: external", "key:q", "end:0"],
                #_sourceLocation)
        }
    }

    @Test("the terminal is restored at every end", arguments: ["INT", "TERM", "HUP", "QUIT"])
    func restored(_ signal: String) async throws {
        try await withHost { box, _ in
            try await top(
                box, ["see:org.test.power", "signal:\(signal)", "end:0"],
                #_sourceLocation)
        }
    }

    @Test("the terminal is restored while top is stopped, and top then continues")
    func stopped() async throws {
        try await withHost { box, _ in
            try await top(
                box,
                [
                    "see:org.test.power", "signal:TSTP", "stopped", "continue", "see:q quit",
                    "see:org.test.power", "key:\u{3}", "end:0",
                ], #_sourceLocation)
        }
    }

    @Test("a missing host is reported, and top continues with a host that starts and after its end")
    func hostComesAndGoes() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            #expect(try await box.run("submit", "org.test.power").code == 0)
            let pid = box.directory + "/pid"
            try await top(
                box,
                [
                    "see:no host runs", "see:waits for power: external",
                    "run:$BGRUN run $OPTIONS --stay --quiet > /dev/null 2>&1 & echo $! > \(pid)",
                    "gone:no host runs", "see:1 pending  host ", "run:kill $(cat \(pid))",
                    "see:no host runs", "key:q", "end:0",
                ], #_sourceLocation)
        }
    }

    @Test("without a terminal one picture is printed, as text or as JSON")
    func once() async throws {
        try await withHost { box, host in
            let text = try await box.run("top").output
            #expect(text.hasPrefix("org.test.app  0 running, 1 pending  host \(host.pid) since "))
            #expect(text.contains("\n> org.test.power "))
            #expect(!text.contains("\u{1B}"))
            let json = try await box.run("top", "--json").output
            let apps = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
            #expect(apps?.first?["app"] as? String == "org.test.app")
            let every = try await box.start(["top", "--state", box.state, "--json"]).end()
            #expect(every.code == 0)
            #expect(every.output.contains("\"identifier\" : \"org.test.power\""))
            let none = try await box.start(["top", "--state", box.directory + "/none"]).end()
            #expect(none.code == 66)
            let other = try await box.run(["top", "--state", box.state, "--app", "org.test.nope"])
            #expect(other.code == 66 && other.output.isEmpty, "\(other.output)")
            #expect(other.error.contains("no app org.test.nope has been run here"))
            let named = try await box.run(["top", "--state", box.state, "--app", "org.test.app"])
            #expect(named.code == 0 && named.output.contains("org.test.power"), "\(named.error)")
        }
    }
}
