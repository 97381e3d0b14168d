// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunStorage
@testable import BGRunSupervisor

@Suite("Stored and displayed data of attempts", .timeLimit(.minutes(5)))
struct RunningViewTests {
    private func running() throws -> HostBench {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.launch("org.test.a")
        try #require(bench.supervisor.launched == [1])
        return bench
    }

    @Test("the title and the subtitle are the last that the handler has set")
    func title() throws {
        let bench = try running()
        bench.supervisor.onNotice(.title(attempt: 1, title: "Copying", subtitle: "1 of 2"))
        bench.supervisor.onNotice(.title(attempt: 1, title: nil, subtitle: "2 of 2"))
        let view = try #require(bench.host.running.first)
        #expect(view.title == "Copying" && view.subtitle == "2 of 2")
    }

    @Test("an attempt whose time is revoked is shown with the reason until it has ended")
    func expiring() throws {
        let bench = try running()
        #expect(bench.host.running.first?.expiring == nil)
        bench.host.send(.expire(identifier: "org.test.a", .cancelled, ticket: nil))
        #expect(bench.host.running.map(\.expiring) == [.cancelled])
        bench.supervisor.end(1, .expired(.cancelled, reported: nil))
        #expect(bench.host.running.isEmpty)
    }

    @Test("the log says why the time of an attempt was revoked, and how it ended")
    func reasons() throws {
        let bench = try running()
        bench.host.send(.expire(identifier: "org.test.a", .cancelled, ticket: nil))
        bench.supervisor.end(1, .failed)
        bench.settle()
        let lines = bench.log.lines.compactMap { $0.attempt == 1 ? $0.subject : nil }
        #expect(lines.compactMap(\.reason) == [StopReason.cancelled.name, Outcome.failed.name])
    }

    @Test("the history has the number of dropped lines")
    func dropped() throws {
        let bench = try running()
        bench.supervisor.onNotice(
            .ended(attempt: 1, AttemptEnd(outcome: .completed, droppedLines: 7)))
        bench.settle()
        #expect(try bench.stored().ended(1)?.outputDropped == 7)
    }

    @Test("the log has the last lines of an attempt, below a note that lines are missing")
    func lastLines() throws {
        let bench = try running()
        let last = LastLines.Line(
            line: HandlerLine(source: .standardError, text: "the end"), age: .zero)
        let end = AttemptEnd(
            outcome: .completed, droppedLines: 8,
            lastLines: LastLines(replaced: 1...1, first: 8, lines: [last]))
        bench.supervisor.onNotice(.ended(attempt: 1, end))
        let lines = bench.log.lines
        let gap = try #require(lines.firstIndex { $0.text.contains("7 lines were not kept") })
        #expect(lines[gap].level == .info)
        #expect(lines[(gap + 1)...].contains { $0.text == "the end" && $0.level == .warning })
    }

    @Test("a host whose task waits for the machine to wake does not end when it is idle")
    func resume() throws {
        for (on, isDone) in [("", true), ("\n  on: {resume: true}", false)] {
            let bench = try HostBench(
                HostBench.task("org.test.a", "submit: manual" + on), ending: .whenIdle)
            #expect(bench.host.isDone == isDone)
        }
    }

    @Test("the home of the app is in the environment unless the task sets it itself")
    func home() throws {
        let base = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-host-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: base) }
        let state = try StateDirectory(
            app: "org.test.app", override: base, environment: [:], userID: 0)
        let own = "submit: manual\n  environment: {BGRUN_APP_HOME: /own, A: b}"
        let bench = try HostBench(
            HostBench.task("org.test.a") + HostBench.task("org.test.b", own), state: state)
        let found = bench.host.manifest.tasks.map {
            bench.host.workerKey(of: $0, plugin: "exec").environment
        }
        let home = StateDirectory.appHome(state.absolutePath)
        #expect(found.first == ["BGRUN_APP_HOME": home, "BGRUN_APP_HOME_KEEP": ""])
        let expected = [
            "BGRUN_APP_HOME": "/own", "BGRUN_APP_HOME_KEEP": "A BGRUN_APP_HOME", "A": "b",
        ]
        #expect(found.last == expected)
    }

    @Test("a line of a worker between two attempts is logged, and stored for no attempt")
    func lineOfNoAttempt() throws {
        let bench = try running()
        bench.supervisor.onNotice(
            .line(attempt: 0, HandlerLine(source: .standardError, text: "between")))
        bench.settle()
        let line = try #require(bench.log.lines.last)
        #expect(line.text == "between" && line.handler == "(no attempt)")
        #expect(try bench.stored().output(attempt: 0).isEmpty)
        #expect(bench.host.breakdown == nil)
    }
}
