// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// What holds of processes of attempts, however their host finds them.
@Suite("Containment of an attempt", .timeLimit(.minutes(10)))
struct ContainmentTests {
    /// The ends of an attempt that has left a process of every form.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case completion, crash, told, terminated, killed, expired, cancelled

        /// The handler, and further keys of the task.
        var task: String {
            switch self {
            case .completion: "processing, handler: leaver.completes"
            case .crash: "processing, handler: leaver.crashes"
            case .told: "processing, handler: leaver.obeys, expiration: {after: 2s, grace: 60s}"
            case .terminated:
                "processing, handler: leaver.waits, expiration: {after: 2s, grace: 0s}"
            case .killed: "processing, handler: leaver.ignores, expiration: {after: 2s, grace: 0s}"
            case .expired: "processing, handler: leaver.ignores, expiration: {grace: 0s}"
            case .cancelled: "continued, handler: leaver.ignores, expiration: {grace: 0s}"
            }
        }

        /// The command that ends it.
        var command: String? {
            switch self {
            case .expired: "expire"
            case .cancelled: "cancel"
            default: nil
            }
        }

        var outcome: String {
            switch self {
            case .completion: "completed"
            case .crash: "crashed"
            default: "expired"
            }
        }

        var testDescription: String { rawValue }
    }

    private static let places = Containment.allCases.flatMap { way in
        AttackUser.available.map { (way, $0) }
    }

    @Test("leaves no process after its end", arguments: places, End.allCases)
    func nothingLeft(_ place: (way: Containment, user: AttackUser), _ end: End) async throws {
        let tasks = "org.test.leaver: {kind: \(end.task)}"
        try await Contained.with(place.way, place.user, tasks: tasks) { app in
            let host = try app.start("run", "--stay")
            if end == .cancelled {
                // A person starts continued work.
                try await host.line("Background refresh is available")
                let submit = try await app.start("submit", "org.test.leaver").end()
                #expect(submit.code == 0, "\(submit.error)")
            }
            if let command = end.command {
                try await host.line("left them")
                let ended = try await app.start(command, "org.test.leaver").end()
                #expect(ended.code == 0, "\(ended.error)")
            }
            // Completed, failed or ended.
            try await host.line("ed with identifier org.test.leaver")
            let left = app.box.processes.filter { $0.pid != host.pid }
            #expect(left.isEmpty, "\(left)")
            let attempt = try await app.attempt("org.test.leaver")
            #expect(attempt.outcome == end.outcome, "\(attempt) \(host.errorLines)")
            await host.stop()
            await app.box.expectNothingLeft()
        }
    }

    @Test("leaves no process after the death of its host", arguments: places)
    func hostDies(_ way: Containment, _ user: AttackUser) async throws {
        let tasks = "org.test.leaver: {kind: processing, handler: leaver.ignores}"
        try await Contained.with(way, user, tasks: tasks) { app in
            let host = try app.start("run")
            try await host.line("left them")
            await host.stop(SIGKILL)
            await app.box.expectNothingLeft()
        }
    }

    @Test("sends SIGTERM to each process before SIGKILL", arguments: places)
    func terminate(_ way: Containment, _ user: AttackUser) async throws {
        let tasks = """
            org.test.mourner: {kind: processing, handler: leaver.mourns, expiration: {grace: 0s}}
            """
        try await Contained.with(way, user, tasks: tasks) { app in
            let host = try app.start("run", "--once")
            try await host.line("left them")
            let expire = try await app.start("expire", "org.test.mourner").end()
            #expect(expire.code == 0, "\(expire.error)")
            let end = await host.end()
            for name in ["the handler", "a child", "a session", "a daemon", "a stopped child"] {
                #expect(end.error.contains("SIGTERM reaches \(name)\n"), "\(end.error)")
            }
            #expect(end.error.contains("(SIGKILL)"), "\(end.error)")
            await app.box.expectNothingLeft()
        }
    }

    @Test("reports how the worker ended", arguments: places)
    func outcomes(_ way: Containment, _ user: AttackUser) async throws {
        let expected = [
            "segfault": "crashed with signal 11 (SIGSEGV)",
            "abort": "crashed with signal 6 (SIGABRT)",
            "exit-3": "exited with code 3 without a report",
            "exit-0": "exited with code 0 without a report",
            "killed": "crashed with signal 9 (SIGKILL)",
        ]
        let plugins = try expected.keys.filter { $0 != "killed" }.map {
            ($0, try Built.misbehaving($0))
        }
        let tasks = expected.keys.sorted().map {
            let handler = $0 == "killed" ? "leaver.kills_itself" : "\($0).run"
            return "org.test.\($0): {kind: processing, handler: \(handler)}"
        }
        try await Contained.with(
            way, user, plugins: Dictionary(uniqueKeysWithValues: plugins),
            tasks: tasks.joined(separator: "\n")
        ) { app in
            let run = try await app.start("run", "--once").end()
            #expect(run.code == 1)
            for (name, detail) in expected {
                #expect(try await app.attempt("org.test.\(name)").detail == detail, "\(run.error)")
            }
            await app.box.expectNothingLeft()
        }
    }

    @Test("suspends a warm worker, which continues for the next attempt", arguments: places)
    func warm(_ way: Containment, _ user: AttackUser) async throws {
        let probe = try await Built.probe.value
        let tasks = "org.test.who: {kind: processing, handler: probe.who}"
        try await Contained.with(way, user, plugins: ["probe": probe], tasks: tasks) { app in
            let host = try app.start("run", "--stay")
            let first = try await host.line("here 1").number(after: "pid ")
            func suspended() -> [pid_t] {
                app.box.workers.map(\.pid).filter { Sandbox.state(of: $0) == "T" }
            }
            #expect(await eventually { suspended().count == 1 })
            let handler = try #require(suspended().first)
            let depth = try Contained.depth(of: handler)
            if way != .namespace {
                #expect(depth == 0 && handler == first)
            } else if depth == 0 {
                print("this machine has no PID namespace for \(user)")
            }
            let submit = try await app.start("submit", "org.test.who").end()
            #expect(submit.code == 0, "\(submit.error)")
            #expect(try await host.line("here 2").number(after: "pid ") == first)
            #expect(await eventually { suspended() == [handler] })
            await host.stop()
            await app.box.expectNothingLeft()
        }
    }

    private struct Row: Decodable {
        var processorMilliseconds: Double?
    }

    @Test("measures the processor time of a handler and its child", arguments: places)
    func processor(_ way: Containment, _ user: AttackUser) async throws {
        let tasks = "org.test.burner: {kind: processing, handler: leaver.burns}"
        try await Contained.with(way, user, tasks: tasks) { app in
            #expect(try await app.start("run", "--once").end().code == 0)
            let history = try await app.start("history", "--json").end()
            let rows = try JSONDecoder().decode([Row].self, from: Data(history.output.utf8))
            let milliseconds = try #require(rows.first?.processorMilliseconds)
            // The kernel counts ticks; a worker starts in few.
            #expect((300...800).contains(milliseconds))
        }
    }
}
