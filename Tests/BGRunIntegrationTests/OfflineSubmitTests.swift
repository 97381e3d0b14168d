// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("A request submitted while no host runs", .timeLimit(.minutes(5)))
struct OfflineSubmitTests {
    private static let tasks = """
        org.test.now: {kind: continued, strategy: fail, handler: exec.run, parameters: {command: a}}
        org.test.queued: {kind: continued, handler: exec.run, parameters: {command: a}}
        """

    @Test("is refused if it must start at once; a continued one that may wait has no date")
    func submit() async throws {
        struct List: Decodable {
            struct Row: Decodable { var identifier: String, earliest: Int64? }
            var pending: [Row]
        }
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": "exec"], tasks: Self.tasks)
            let refused = try await box.run("submit", "org.test.now")
            #expect(refused.code == 77)
            #expect(refused.error.contains("no host is running"), "\(refused.error)")
            #expect(try await box.run("submit", "org.test.queued", "--after", "1h").code == 0)
            let list = try await box.run("pending", "--json")
            try #require(list.code == 0, "\(list.error)")
            let rows = try JSONDecoder().decode(List.self, from: Data(list.output.utf8)).pending
            #expect(rows.map(\.identifier) == ["org.test.queued"] && rows[0].earliest == nil)
        }
    }

    @Test("makes submit note that no host runs, also with --json")
    func unserved() async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": "exec"], tasks: Self.tasks)
            let line =
                "bgrun: no host is running for org.test.app (state in \(box.state)/org.test.app); "
                + "the request is stored and is considered once a host runs\n"
            let plain = try await box.run("submit", "org.test.queued", "--after", "1h")
            #expect(plain.code == 0 && plain.error == line, "\(plain.error)")
            #expect(plain.output.hasPrefix("Scheduling task with identifier org.test.queued"))
            let json = try await box.run("submit", "org.test.queued", "--after", "1h", "--json")
            #expect(json.code == 0 && json.error == line, "\(json.error)")
            #expect(json.output.hasPrefix("{") && !json.output.contains("no host is running for"))
            let refused = try await box.run("submit", "org.test.now")
            #expect(!refused.error.contains("the request is stored"), "\(refused.error)")
            let host = try await box.host("--stay", until: "Background refresh is ")
            let served = try await box.run("submit", "org.test.queued", "--after", "1h")
            #expect(served.code == 0 && served.error.isEmpty, "\(served.error)")
            await host.stop()
        }
    }

    @Test("makes submit note a further condition that holds it back")
    func heldBack() async throws {
        let task = "{kind: processing, handler: exec.run, requires: {power: external}, "
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"], device: "{power: battery}",
                rest: "policy: {profile: server}",
                tasks: "org.test.a: \(task)parameters: {command: a}}")
            let submit = try await box.run("submit", "org.test.a", "--after", "1h")
            #expect(
                submit.error.contains(
                    " once a host runs; at present it would wait (power): see `bgrun explain org.test.a -m "
                ), "\(submit.error)")
            let json = try await box.run("submit", "org.test.a", "--after", "1h", "--json")
            #expect(json.error.hasSuffix(" once a host runs\n"), "\(json.error)")
            let command = try #require(submit.error.split(separator: "`").dropFirst().first)
            let explain = try await box.startShell("$BGRUN \(command.dropFirst("bgrun ".count))")
                .end()
            #expect(explain.output.contains("\nno    power "), "\(explain.output)")
        }
    }
}
