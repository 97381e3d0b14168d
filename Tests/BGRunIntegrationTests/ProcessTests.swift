// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Work that belongs to the process of a plugin", .timeLimit(.minutes(5)))
struct ProcessTests {
    /// A host whose app runs `org.test.tap` until the gate is open: it registers `org.test.export.*`, which
    /// is declared with `more`, and submits work to it.
    private static func withTap(
        _ more: String = "", other: String = "", rest: String = "policy: {profile: server}",
        isOneAtATime: Bool = false, _ body: (Sandbox, Running, Gate) async throws -> Void
    ) async throws {
        try await Sandbox.withApp(
            """
            org.test.tap: {kind: processing, handler: app, submit: manual}
            org.test.export.*: {kind: continued, handler: app\(more)}
            \(other)
            """, rest: rest, isOneAtATime: isOneAtATime
        ) { box in
            let gate = try box.gate("gate")
            let host = try box.start("run", "--stay")
            #expect(try await box.run("submit", "org.test.tap").code == 0)
            try await body(box, host, gate)
        }
    }

    @Test("continued work that is registered while its plugin runs is run by that worker")
    func dynamicRegistration() async throws {
        try await Self.withTap { box, host, gate in
            let tapped = try await host.line("tapped in").number(after: "in ")
            try await host.line("Starting task with identifier org.test.export.photos")
            #expect(try await box.pending().running.count == 2)
            gate.open()
            let exported = try await host.line("exporting in")
            #expect(exported.contains("registered 1"))
            #expect(exported.number(after: "in ") == tapped)
            try await host.line("Task completed with identifier org.test.export.photos")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("a worker is kept for continued work that it registered and that cannot start yet")
    func waitsWithoutWarmWorkers() async throws {
        try await Self.withTap(
            rest: "policy: {profile: server, warm_workers: 0}", isOneAtATime: true
        ) { box, host, gate in
            let tapped = try await host.line("tapped in").number(after: "in ")
            #expect(try await box.pending().running.count == 1)
            gate.open()
            let exported = try await host.line("exporting in")
            #expect(exported.contains("registered 1"))
            #expect(exported.number(after: "in ") == tapped)
            try await host.line("Task completed with identifier org.test.export.photos")
            // The worker has ended, and its handlers with it, because no request needs it.
            #expect(try await box.run("submit", "org.test.export.notes").code == 77)
            #expect(await host.stop().code == 0)
        }
    }

    @Test("continued work that waits for its worker does not stall before it begins")
    func waitsForItsWorker() async throws {
        try await Self.withTap(
            other: "org.test.photos: {kind: continued, handler: app}",
            rest: "policy: {profile: server, stall_warning: 1s, stall_limit: 1s}"
        ) { box, host, gate in
            try await host.line("Starting task with identifier org.test.export.photos")
            // This one begins later, and expires after `stall_limit`.
            #expect(
                try await box.run(
                    "submit", "org.test.photos", "--parameters", #"{"hold": true}"#
                ).code == 0)
            try await host.line("Task ended with identifier org.test.photos: expired (stalled)")
            let explained = try await box.run("explain", "org.test.export.photos").output
            #expect(explained.contains("its worker runs another attempt first"))
            gate.open()
            try await host.line("Task completed with identifier org.test.export.photos")
            await host.stop()
        }
    }

    @Test("continued work that must start at once is refused while its worker runs another attempt")
    func workerIsBusy() async throws {
        try await Self.withTap(", strategy: fail") { box, host, gate in
            // The attempt that submits it runs in its worker.
            try await host.line("Starting task with identifier org.test.export.photos")
            let refused = try await box.run("submit", "org.test.export.notes")
            #expect(refused.code == 77)
            #expect(refused.error.contains("its worker runs another attempt first"), "\(refused)")
            gate.open()
            try await host.line("Task completed with identifier org.test.export.photos")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("continued work whose handler is in another environment is refused with a message")
    func otherEnvironment() async throws {
        try await Self.withTap(", environment: {A: b}") { box, host, gate in
            try await host.line("was refused: No launch handler registered")
            let refused = try await box.run("submit", "org.test.export.photos")
            #expect(refused.code == 77)
            #expect(refused.error.contains("a process with another environment"), "\(refused)")
            gate.open()
            #expect(await host.stop().code == 0)
        }
    }

    @Test("continued work whose process has ended is refused with a message")
    func processIsGone() async throws {
        try await Self.withTap { box, host, gate in
            try await host.line("Starting task with identifier org.test.export.photos")
            // A worker whose attempt was revoked is not kept.
            #expect(try await box.run("expire", "org.test.tap", "--reason", "cancelled").code == 0)
            try await host.line("the process that registered it has ended")
            await host.stop()
            let attempt = try await box.attempt("org.test.export.photos")
            #expect(attempt.outcome == "refused")
            gate.open()
        }
    }

    @Test(
        "continued work registered at a tap runs in that process, and after its end submit refuses it"
    )
    func handlerIsLost() async throws {
        try await Self.withTap { box, host, gate in
            let photos = "org.test.export.photos"
            let completed = "Task completed with identifier \(photos)"
            gate.open()
            try await host.line(completed)
            let tapped = try await host.line("tapped in").number(after: "in ")
            let process = try #require(tapped)

            var seen = host.errorLines.count
            #expect(try await box.run("submit", photos).code == 0)
            let exported = try await host.line("exporting in", after: seen)
            #expect(exported.number(after: "in ") == process)
            try await host.line(completed, after: seen)

            // The process has ended once the host has reaped it.
            kill(process, SIGKILL)
            try #require(await eventually { kill(process, 0) != 0 })
            for command in ["submit", "trigger"] {
                let refused = try await box.run(command, photos)
                #expect(refused.code == 77)
                #expect(
                    refused.error.contains("the process that registered it has ended"),
                    "\(refused.error)")
            }
            #expect(try await box.pending().pending.isEmpty)
            #expect(try await box.history(photos).map(\.outcome) == ["completed", "completed"])

            seen = host.errorLines.count
            #expect(try await box.run("submit", "org.test.tap").code == 0)
            gate.open()
            try await host.line(completed, after: seen)
            #expect(await host.stop().code == 0)
        }
    }

    @Test("`cancel` reaches continued work that runs")
    func cancelContinued() async throws {
        try await Sandbox.withApp("org.test.photos: {kind: continued, handler: app}") { box in
            let host = try box.start("run", "--stay")
            #expect(
                try await box.run(
                    "submit", "org.test.photos", "--parameters", #"{"hold": true}"#
                ).code == 0)
            try await host.line("exporting in")
            let cancel = try await box.run("cancel", "org.test.photos")
            #expect(cancel.code == 0)
            #expect(cancel.output == "Cancelled 1 request\n")
            try await host.line("expired (cancelled)")
            try await host.line("Task ended with identifier org.test.photos: expired (cancelled)")
            #expect(try await box.run("cancel", "org.test.photos").code == 1)
            await host.stop()
        }
    }

    @Test("a request has its kind, its strategy and its requirements, and so have its copies")
    func requests() async throws {
        try await Sandbox.withApp(
            """
            org.test.kinds: {kind: processing, handler: app, submit: manual}
            org.test.later: {kind: processing, handler: app, submit: manual}
            org.test.held: {kind: continued, handler: app, requires: {power: external}}
            """, device: "{power: battery, network: unmetered}"
        ) { box in
            let host = try box.start("run", "--stay")
            #expect(try await box.run("submit", "org.test.kinds").code == 0)
            // -21 is BGRUN_E_NOT_PERMITTED, -22 BGRUN_E_NOT_IMMEDIATELY.
            try await host.line("wrong kind -21")
            try await host.line(
                "The app's request for org.test.later was refused: it is of kind app-refresh, and "
                    + "the manifest says processing")
            try await host.line("right kind 0")
            try await host.line("fail -22")
            try await host.line("queue 0")
            // A continued request has no earliest date.
            try await host.line(
                #"pending org.test.held kind 4 requires 2 strategy 2 at once {"title":"Export"}"#)
            try await host.line(
                #"pending org.test.later kind 2 requires 2 strategy 2 in over 30 min "#
                    + #"{"title":"Export"}"#)
            try await host.line("cancel 0")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("a request is answered while the app is launched and after its attempt has ended")
    func anyMoment() async throws {
        try await Sandbox.withApp(
            """
            org.test.after: {kind: processing, handler: app}
            org.test.later: {kind: processing, handler: app, submit: manual}
            """
        ) { box in
            let run = try await box.run("run", "--once")
            // -5 is BGRUN_E_NOT_FOUND.
            #expect(run.error.contains("at launch of the app -5"))
            #expect(run.error.contains("org.test.undeclared was refused"))
            #expect(run.error.contains("after the end 0"))
            #expect(try await box.pending().pending.map(\.identifier) == ["org.test.later"])
        }
    }

    @Test(
        "requests of an app whose refresh is off are unavailable, and the running app is notified")
    func refreshSwitch() async throws {
        try await Sandbox.withApp(
            """
            org.test.watch: {kind: processing, handler: app}
            org.test.kinds: {kind: continued, handler: app}
            org.test.later: {kind: processing, handler: app, submit: manual}
            """
        ) { box in
            let host = try await box.host("--stay", until: "at launch: refresh 2")
            #expect(try await box.run("refresh", "off").code == 0)
            try await host.line("while it runs: refresh 1")
            try await host.line("Task completed with identifier org.test.watch: saw it")
            #expect(try await box.run("submit", "org.test.kinds").code == 0)
            // -6 is BGRUN_E_UNAVAILABLE.
            try await host.line("right kind -6")
            try await host.line(
                "The app's request for org.test.later was refused: background refresh is denied")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("a request for an identifier that is not listed is not permitted, and stores nothing")
    func notPermitted() async throws {
        let plugin = try Built.misbehaving("unpermitted-submit")
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": plugin], rest: "policy: {profile: server}",
                tasks: "org.test.bad: {kind: processing, handler: bad.run}")
            let run = try await box.run("run", "--once")
            // The plugin's message for BGRUN_E_NOT_PERMITTED.
            let attempt = try await box.attempt("org.test.bad")
            #expect(attempt.outcome == "completed", "\(run.error)")
            #expect(attempt.message == "submit was refused")
            #expect(
                run.error.contains("The app's request for org.somebody.else was refused: "),
                "\(run.error)")
            #expect(run.error.contains("permitted_identifiers"), "\(run.error)")
            #expect(try await box.pending().pending.isEmpty)
        }
    }

    @Test("a handler without `expire` delays the next launch of its task")
    func abandoned() async throws {
        try await Sandbox.withApp(
            "org.test.deaf: {kind: processing, handler: app, expiration: {after: 1s}}",
            rest: "policy: {profile: server, missed_completion_penalty: 1h}"
        ) { box in
            let host = try await box.host("--stay", until: "expired (time)")
            try await host.line("expired (time), without a report: it has nothing to be told with")
            #expect(try await box.run("submit", "org.test.deaf").code == 0)
            let reason = try await box.pending().pending.map(\.reason)
            #expect(reason.count == 1 && reason[0] != "eligible", "\(reason)")
            let doctor = try await box.run("doctor").output
            #expect(
                doctor.contains("org.test.deaf ran out of time without a report the last time\n"),
                "\(doctor)")
            await host.stop()
            #expect(try await box.attempt("org.test.deaf").detail.contains("without a report"))
        }
    }

    @Test("an app is notified of a visit at its first run and when the user opens it")
    func visits() async throws {
        try await Sandbox.withApp("org.test.late: {kind: processing, handler: app, submit: manual}")
        { box in
            let first = try await box.run("run", "--once")
            #expect(first.error.occurrences(of: "visit of org.test.app") == 1)
            #expect(try await box.run("run", "--once").error.occurrences(of: "visit of") == 0)
            // Without a host: the next host notifies the app.
            #expect(try await box.run("open").code == 0)
            let host = try await box.host("--stay", until: "visit of org.test.app")
            let index = host.errorLines.count
            #expect(try await box.run("open").code == 0)
            try await host.line("visit of org.test.app", after: index)
            #expect(await host.stop().code == 0)
            #expect(host.errorLines.filter { $0.contains("visit of") }.count == 2)
        }
    }
}

extension String {
    fileprivate func occurrences(of text: String) -> Int {
        components(separatedBy: text).count - 1
    }
}

extension Sandbox {
    /// A sandbox whose tasks are handled by an app.
    fileprivate static func withApp(
        _ tasks: String, device: String = "{power: external, network: unmetered}",
        rest: String = "policy: {profile: server}", isOneAtATime: Bool = false,
        _ body: (Sandbox) async throws -> Void
    ) async throws {
        let app = try await Built.app.value
        let plugin = isOneAtATime ? "{path: \(app), workers: 1}" : app
        try await with { box in
            try box.write(plugins: ["app": plugin], device: device, rest: rest, tasks: tasks)
            try await body(box)
        }
    }
}
