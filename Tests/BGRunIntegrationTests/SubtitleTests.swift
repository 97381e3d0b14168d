// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Titles and progress of continued work", .timeLimit(.minutes(5)))
struct SubtitleTests {
    private struct Shown: Decodable, Equatable {
        var title: String?
        var subtitle: String?
        var completed: Int64
        var total: Int64

        static let half = Shown(
            title: "Counting", subtitle: "500 of 1000", completed: 500, total: 1_000)
    }

    /// Runs `body` while continued work, which counts in its subtitle, is half done. The host's standard
    /// error is a terminal of that many columns; nil: not a terminal.
    private func halfWay(
        columns: Int? = nil, _ body: (Sandbox, Running) async throws -> Void
    ) async throws {
        try await Sandbox.withProbe(
            """
            org.test.count:
              kind: continued
              handler: probe.progress
              environment: {PROBE: half}
            """,
            rest: "policy: {profile: server}"
        ) { box in
            let gate = try box.gate("gate")
            #expect(try await box.run("submit", "org.test.count").code == 0)
            let spawn = "TERM=xterm python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' sh -c "
            let host = try box.startShell(
                columns.map {
                    spawn + "'stty cols \($0); exec $BGRUN run $OPTIONS' >&2"
                } ?? "exec $BGRUN run $OPTIONS ")
            try await body(box, host)
            for _ in 0..<2 { gate.open() }
            try await host.line("Task completed with identifier org.test.count")
            #expect(await host.end().code == 0)
        }
    }

    private struct State: Decodable {
        var running: [Shown]
    }

    // Each test has its own run: continued work without progress expires as stalled after 30 s.

    @Test("title, counting subtitle and progress are in the JSON of pending")
    func pending() async throws {
        try await halfWay { box, host in
            try await host.line("progress 50% (500/1000) Counting")
            let pending = try await box.run("pending", "--json").output
            let state = try JSONDecoder().decode(State.self, from: Data(pending.utf8))
            #expect(state.running == [.half])
        }
    }

    @Test("title, counting subtitle and progress are shown by top")
    func top() async throws {
        try await halfWay { box, host in
            try await host.line("progress 50% (500/1000) Counting")
            let script = Built.package + "/Tests/BGRunIntegrationTests/Fixtures/terminal.py"
            let top = try await box.startProgram(
                "/usr/bin/python3",
                [
                    script, "24x120", "see:Counting  500 of 1000", "see:50%", "key:q", "end:0",
                    "--",
                    Built.bgrun, "top", "--manifest", box.manifest, "--state", box.state,
                ], ["TERM": "xterm"]
            ).end()
            #expect(top.code == 0, "\(top.error)")
        }
    }

    @Test("title, counting subtitle and progress are shown by the dashboard and in its JSON")
    func dashboard() async throws {
        try await halfWay { box, host in
            let server = try box.start("dashboard", "--listen", "127.0.0.1:0")
            let line = try await server.line("the dashboard is at http://127.0.0.1:")
            let port = try #require(UInt16(line.split(separator: ":").last?.dropLast() ?? ""))
            let site = Site(port: port)
            try await host.line("progress 50% (500/1000) Counting")
            let apps = try await site.get("/api/apps").body
            let overviews = try JSONDecoder().decode([State].self, from: Data(apps.utf8))
            #expect(overviews.map(\.running) == [[.half]])
            let page = try await site.get("/").body
            #expect(page.contains("Counting") && page.contains("500 of 1000"))
            await server.stop()
        }
    }

    @Test("title, counting subtitle and progress are shown on the terminal of a host")
    func terminal() async throws {
        try await halfWay(columns: 80) { _, host in
            let row = try await host.line("[##########----------]   50%")
            #expect(row.contains("Counting  [") && row.contains("500 of 1000"), "\(row)")
        }
    }

    @Test("a row leaves the last column of a terminal free, so that no terminal wraps it")
    func narrowTerminal() async throws {
        try await halfWay(columns: 40) { _, host in
            let row = try await host.line("[##########----------]   50%")
            let start = try #require(row.range(of: "Counting")).lowerBound
            #expect(row[start...].filter { $0 != "\r" }.count == 39, "\(row)")
        }
    }
}
