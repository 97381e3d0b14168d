// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunPolicy
import Foundation
import Glibc
import Testing

@Suite("The replay of recorded runs", .timeLimit(.minutes(5)))
struct ReplayTests {
    private struct Report: Decodable {
        struct File: Decodable {
            var ending: String
            var records: Int
        }
        var same: Bool
        var events: Int
        var decisions: Int
        var hosts: Int
        var files: [File]
        var manifestChanged: Bool?
    }

    private struct Explanation: Decodable {
        struct Wait: Decodable {
            var reason: String
            var until: Int64?
            var attempt: Int64?
        }
        struct Launch: Decodable {
            var identifier: String
        }
        var state: String
        var reason: String?
        var host: String?
        var history: [Wait]?
        var launches: [Launch]?
    }

    private static let tasks = """
        org.test.ok: {kind: processing, handler: probe.who, every: 1s, jitter: 500ms}
        org.test.retry: {kind: processing, handler: probe.fail-twice, retry: {from: 1s, to: 1s, attempts: 2}}
        org.test.wait: {kind: processing, handler: probe.wait, submit: manual}
        org.test.late: {kind: app-refresh, handler: probe.who, submit: manual}
        org.test.power: {kind: processing, handler: probe.who, submit: manual, requires: {power: external}}
        """

    private static func replay(_ box: Sandbox, code: Int32 = 0) async throws -> Report {
        let finished = try await box.run("replay", "--json")
        try #require(finished.code == code, "\(finished.output)\(finished.error)")
        return try JSONDecoder().decode(Report.self, from: Data(finished.output.utf8))
    }

    private static func explain(
        _ box: Sandbox, _ identifier: String, at time: String? = nil
    ) async throws -> Explanation {
        let options = ["--manifest", box.manifest, "--state", box.state, "--json"]
        let finished = try await box.run(
            ["explain", identifier] + options + (time.map { ["--at", $0] } ?? []))
        try #require(finished.code == 0, "\(finished.error)")
        return try JSONDecoder().decode(Explanation.self, from: Data(finished.output.utf8))
    }

    /// The current time in the format of RFC 3339.
    private static var now: String {
        Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func journal(_ box: Sandbox) -> String {
        box.state + "/org.test.app/journal"
    }

    @Test("a run with success, failure, retry, jitter, expiry, cancel and trigger is verified")
    func outcomes() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let host = try box.start("run", "--stay")
            #expect(try await box.run("submit", "org.test.wait").code == 0)
            try await host.line("waiting in")
            #expect(try await box.run("expire", "org.test.wait").code == 0)
            #expect(try await box.run("submit", "org.test.late", "--after", "1h").code == 0)
            #expect(try await box.run("cancel", "org.test.late").code == 0)
            #expect(try await box.run("submit", "org.test.Late").code == 77)
            #expect(try await box.run("trigger", "org.test.power").code == 0)
            try await host.line("Gave up a request of the task with identifier org.test.retry")
            let meanwhile = try await Self.replay(box)
            #expect(meanwhile.same && meanwhile.events > 10)
            await host.stop()
            let report = try await Self.replay(box)
            #expect(report.same && report.hosts == 1 && report.manifestChanged == false)
            #expect(report.events >= meanwhile.events && report.decisions > report.events)
            #expect(report.files.map(\.ending) == ["whole"])
        }
    }

    @Test("actions of a user are among the last events, with and without a host")
    func told() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let host = try await box.host("--stay", until: "Task completed")
            #expect(try await box.run("open").code == 0)
            try await host.line("The app was opened")
            #expect(try await box.run("refresh", "off").code == 0)
            try await host.line("Background refresh is denied")
            #expect(try await Self.replay(box).same)
            await host.stop()
            #expect(try await box.run("quit", "--force").code == 0)
            let explain = try await box.run("explain", "org.test.late").output
            let events = explain[try #require(explain.range(of: "LAST EVENTS")).upperBound...]
            for line in ["The app was opened", "refresh is denied", "The app was force-quit"] {
                #expect(events.contains(line), "\(explain)")
            }
        }
    }

    @Test("a journal without events exits with 66")
    func nothing() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let path = box.directory + "/journal"
            try Data("bgrunjl\u{5}".utf8).write(to: URL(filePath: path))
            let run = try await box.start(["replay", path]).end()
            #expect(run.code == 66)
            #expect(run.output.contains("nothing to replay"), "\(run.output)")
            #expect(!run.output.contains("the same"), "\(run.output)")
            let device = try await box.start(["replay", "/dev/zero"]).end()
            #expect(device.error.contains("is not a regular file"), "\(device.error)")
        }
    }

    @Test("a host that was killed and the next one are both replayed")
    func killed() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let first = try box.start("run", "--stay")
            #expect(try await box.run("submit", "org.test.wait").code == 0)
            try await first.line("waiting in")
            await first.stop(SIGKILL)
            let second = try await box.host("--stay", until: "waiting in")
            await second.stop()
            let report = try await Self.replay(box)
            #expect(report.same && report.hosts == 2)
            let history = try await Self.explain(box, "org.test.wait").history
            #expect(history?.last?.reason == "no host runs")
        }
    }

    @Test("a truncated journal is read, a changed one is found to be damaged")
    func damage() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            await box.journaledRun()
            let path = Self.journal(box)
            let whole = try Data(contentsOf: URL(filePath: path))
            try whole.dropLast(3).write(to: URL(filePath: path))
            let torn = try await Self.replay(box)
            #expect(torn.same && torn.files.map(\.ending) == ["torn"])
            var changed = whole
            changed[whole.count / 2] ^= 4
            try changed.write(to: URL(filePath: path))
            let damaged = try await Self.replay(box, code: 65)
            #expect(!damaged.same && damaged.files.map(\.ending) == ["damaged"])
            let file = try await box.start(["replay", path]).end()
            #expect(file.code == 65)
            #expect(file.output.contains("bytes read: damaged at byte "), "\(file.output)")
            #expect(!file.output.contains("Every decision is the same."))
            // The next host leaves the truncated file unchanged and starts its own.
            try whole.dropLast(3).write(to: URL(filePath: path))
            await box.journaledRun()
            #expect(try await Self.replay(box).files.map(\.ending) == ["torn", "whole"])
        }
    }

    @Test("the first decision that differs is shown, and the exit code is 1")
    func difference() async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let paths = JournalPaths(
                current: box.directory + "/journal", previous: box.directory + "/journal.1")
            let journal = try Journal(paths, app: "org.test.app", version: "0.0.9", bytes: 1 << 20)
            var engine = Engine(
                Engine.Configuration(
                    permitted: ["a"],
                    declarations: [TaskDeclaration(identifier: "a", kind: .processing)],
                    modes: [.processing], policy: .server), device: DeviceState())
            let now = Instant(elapsed: 1, wall: WallTime(milliseconds: 1_790_000_000_000))
            var random = SystemRandomNumberGenerator()
            try journal.begin(engine, at: now)
            let actions = engine.handle(.start, at: now, using: &random)
            try journal.note(
                .start, at: now, random: nil, Array(actions.dropLast()), from: engine)
            try journal.end(at: now)
            let replay = try await box.start([
                "replay", paths.current, "--manifest", box.manifest,
            ]).end()
            #expect(replay.code == 1)
            for words in [
                "record 2, 2026-09-21T", "the decision differs from the recorded one",
                "Event: start",
                "Decided now:", "launch(", "Written by bgrun 0.0.9; this is ",
                "The manifest has changed since",
            ] {
                #expect(replay.output.contains(words), "\(words) in \(replay.output)")
            }
        }
    }

    @Test("the reason at a past time is that of the event before; a future date gives a forecast")
    func explanations() async throws {
        try await Sandbox.withProbe(
            Self.tasks + "\norg.test.free: {kind: app-refresh, handler: probe.who, submit: manual}"
        ) { box in
            let host = try await box.host("--stay")
            #expect(try await box.run("submit", "org.test.power").code == 0)
            let first = Self.now
            #expect(try await box.run("submit", "org.test.power", "--after", "1h").code == 0)
            #expect(try await box.run("submit", "org.test.late", "--after", "1h").code == 0)
            let second = Self.now
            #expect(try await box.run("cancel", "org.test.power").code == 0)
            let power = "org.test.power"
            #expect(
                try await Self.explain(box, power, at: first).reason == "waits for power: external")
            let delayed = try await Self.explain(box, power, at: second)
            #expect(delayed.reason == "its earliest date has not come")
            #expect(delayed.host == "running")
            let now = try await Self.explain(box, power)
            #expect(now.state == "idle")
            #expect(
                now.history?.map(\.reason) == [
                    "waits for power: external", "its earliest date has not come",
                ])
            #expect(now.history?.allSatisfy { $0.until != nil } == true)
            let soon = try await Self.explain(box, "org.test.late", at: "+30m")
            #expect(soon.launches?.contains { $0.identifier == "org.test.late" } == false)
            let later = try await Self.explain(box, "org.test.late", at: "+2h")
            #expect(later.launches?.contains { $0.identifier == "org.test.late" } == true)
            await host.stop()
            #expect(try await Self.explain(box, power, at: "-0s").host == "ended")
            let foretold = try await Self.explain(box, "org.test.late", at: "+2h")
            #expect(foretold.host == "none")
            #expect(foretold.launches?.contains { $0.identifier == "org.test.late" } == true)
            let early = try await box.run("explain", power, "--at", "-1d")
            #expect(early.code == 66)
            #expect(early.error.contains("the journal begins at "), "\(early.error)")
        }
    }

    @Test(
        "each form of a time is accepted",
        arguments: [
            ("-2h", 66), ("2020-01-01T00:00:00Z", 66), ("2020-01-01 00:00", 66),
            ("2020-01-01T00:00:00.5+01:00", 66), ("00:00:00", 66), ("+1h30m", 0),
            ("2120-01-01T00:00:00-08:00", 0), ("yesterday", 64), ("25:00", 64), ("12:60", 64),
            ("2020-13-01T00:00:00Z", 64), ("2026-02-31 00:00", 64), ("2020-02-29 00:00", 66),
            ("-2", 64), ("2020-01-01", 66), ("", 64),
            ("2016-12-31T23:59:60Z", 66), ("2020-01-01T00:00:00+24:00", 64), ("23:60:60", 64),
            ("12:30x", 64), ("2020-01-01T00:00:00.Z", 64),
        ] as [(String, Int32)])
    func times(text: String, code: Int32) async throws {
        try await Sandbox.withProbe(Self.tasks) { box in
            let run = try await box.run("explain", "org.test.ok", "--at", text)
            #expect(run.code == code, "\(run.error)")
        }
    }

    @Test("replay without a journal exits with 66, and a policy may disable the journal")
    func none() async throws {
        try await Sandbox.withProbe(
            Self.tasks, rest: "policy: {profile: server, journal_size: 0B}"
        ) { box in
            await box.journaledRun()
            #expect(!FileManager.default.fileExists(atPath: Self.journal(box)))
            let replay = try await box.run("replay")
            #expect(replay.code == 66)
            #expect(replay.error.contains("no journal in"), "\(replay.error)")
            #expect(try await box.start(["replay", box.directory + "/nothing"]).end().code == 66)
            #expect(try await box.start(["replay", box.manifest]).end().code == 65)
            #expect(try await box.start(["replay"]).end().code == 64)
        }
    }
}

extension Sandbox {
    /// Runs the eligible requests once.
    fileprivate func journaledRun() async {
        let code = try? await run("run", "--once").code
        #expect(code == 0 || code == 1)
    }
}
