// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Actions of a user on the app", .timeLimit(.minutes(5)))
struct AppTests {
    private let tasks =
        "org.test.sync: {kind: app-refresh, handler: exec.run, "
        + "parameters: {command: 'true'}, submit: manual}"

    @Test(
        "an app that its user holds back runs once the user permits it, and explain states how",
        arguments: [
            (["quit", "--force"], ["open"], "waits for the app to be opened"),
            (["refresh", "off"], ["refresh", "on"], "waits for background refresh"),
        ])
    func heldBack(_ stop: [String], _ allow: [String], _ reason: String) async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": "exec"], tasks: tasks)
            // Without a host.
            try await box.runs(stop)
            try await box.runs(["submit", "org.test.sync"])
            #expect(try await box.pending().pending.map(\.reason) == [try await box.reason()])
            #expect(try await box.reason().hasPrefix(reason))
            try await box.runs(allow)
            #expect(try await box.reason().hasPrefix("eligible"))
            try await box.runs(stop)
            // With one.
            let host = try await box.host("--stay", until: "Background refresh is ")
            #expect(try await box.reason().hasPrefix(reason))
            try await box.runs(allow)
            try await host.line("Task completed with identifier org.test.sync")
            #expect(await host.stop(15).code == 0)
        }
    }

    @Test(
        "uses of the app are counted in the time zone of the machine, with and without a host",
        arguments: [true, false])
    func localHours(hasHost: Bool) async throws {
        // Hour 0 of the week is Monday 00:00; 1970 began on a Thursday, in Tokyo 9 hours before UTC.
        func hour() -> Int { (Int(Date().timeIntervalSince1970) / 3_600 + 72 + 9) % 168 }
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": "exec"], tasks: tasks)
            let about = ["--manifest", box.manifest, "--state", box.state]
            let zone = ["TZ": "Asia/Tokyo"]
            let host = hasHost ? try box.start(["run", "--stay"] + about, false, zone) : nil
            try await host?.line("Background refresh is ")
            let before = hour()
            #expect(try await box.start(["open"] + about, false, zone).end().code == 0)
            let possible = [before, hour()].map { "app:use:\($0)" }
            if let host { #expect(await host.stop().code == 0) }
            let counted = try HostileStoreTests.rows(
                box.state + "/org.test.app/bgrun.sqlite",
                "SELECT name FROM fact WHERE name LIKE 'app:use:%'")
            #expect(counted.count == 1 && possible.contains(counted.first ?? ""), "\(counted)")
        }
    }

    @Test("one task, request or attempt is named in the singular")
    func singular() async throws {
        try await Sandbox.withPlugin("exec", tasks: tasks) { box in
            try await box.runs(["submit", "org.test.sync"])
            let doctor = try await box.run("doctor").output
            for text in [
                "1 request waits\n", "1 request waits for a host\n",
            ] {
                #expect(doctor.contains(text), "\(text)\nin:\n\(doctor)")
            }
            #expect(try await box.run("run", "--once").code == 0)
            #expect(try await box.run("report").output.contains(": 1 attempt of 1 task\n"))
        }
    }

    @Test("--once reports what was due and held back, and --quiet reports nothing")
    func heldBackOnce() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: "org.test.sync: {kind: processing, handler: exec.run, "
                    + "parameters: {command: 'true'}, requires: {power: external}}")
            let run = try await box.run("run", "--once")
            #expect(run.error.contains("Not launched: org.test.sync waits for power: external"))
            let quiet = try await box.run("run", "--once", "--quiet")
            #expect(quiet.error == "")
            #expect(run.code == 0 && quiet.code == 0)
        }
    }

    @Test("a report names no missing host if the host is only stopped")
    func stopped() async throws {
        struct Report: Decodable {
            struct Task: Decodable {
                struct Waiting: Decodable { var reason: String }
                var pending: Waiting?
            }
            var tasks: [Task]
        }
        try await Sandbox.with { box in
            let task =
                "org.test.sync: {kind: processing, handler: exec.run, "
                + "parameters: {command: 'true'}, requires: {power: external}}"
            try box.write(plugins: ["exec": "exec"], tasks: task)
            let host = try box.start("run", "--stay")
            try await host.line("Scheduling task with identifier org.test.sync")
            host.signal(SIGSTOP)
            try box.write(plugins: ["exec": "exec"], device: "{power: external}", tasks: task)
            let output = try await box.run("report", "--json").output
            let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
            await host.stop(SIGKILL)
            let reasons = report.tasks.compactMap(\.pending?.reason)
            #expect(reasons == ["eligible; the host does not answer"], "\(output)")
        }
    }
}

extension Sandbox {
    fileprivate func runs(_ words: [String]) async throws {
        let about = ["--manifest", manifest, "--state", state]
        let finished = try await start([words[0]] + about + words.dropFirst()).end()
        #expect(finished.code == 0, "\(words): \(finished.error)")
    }

    /// The only reason that `explain` gives.
    fileprivate func reason() async throws -> String {
        struct Explained: Decodable { var reason: String? }
        let finished = try await run("explain", "org.test.sync", "--json")
        return try JSONDecoder().decode(Explained.self, from: Data(finished.output.utf8)).reason
            ?? ""
    }
}
