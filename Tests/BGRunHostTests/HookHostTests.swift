// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSystem
import CBGRunPlugin
import Testing

@testable import BGRunHooks
@testable import BGRunHost
@testable import BGRunManifest
@testable import BGRunSupervisor

@Suite("A host and its hooks", .timeLimit(.minutes(5)))
struct HookHostTests {
    /// A host whose task has failed twice. A hook is due for each failure; the first one has begun.
    private func failedTwice(short: Resource? = nil) throws -> HostBench {
        let bench = try HostBench(
            HostBench.task("org.test.a"),
            rest: "policy: {profile: server}\nhooks: [{on: failed, run: \"true\"}]"
        ).started()
        for attempt: Int64 in 1...2 {
            bench.submit("org.test.a")
            if attempt == 2 { bench.supervisor.shortage = short }
            bench.supervisor.end(attempt, .failed)
        }
        bench.settle()
        return bench
    }

    @Test("with one round reports a starved request, and runs the hook before it ends")
    func starvedOnce() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  requires: {power: external}"),
            rest: """
                policy: {profile: server}
                device: {power: battery}
                hooks: [{on: starved, run: "true"}]
                """, ending: .afterOneRound,
            prepare: { store in
                let request = TaskRequest(
                    id: 1, identifier: "org.test.a", kind: .processing,
                    submitted: TestClock().now.wall.advanced(by: .days(-2)))
                try store.apply([.putRequest(request)], durability: .normal)
            }
        ).started()
        bench.settle()
        #expect(bench.supervisor.launched == [-1])
    }

    // MARK: requests that are not launched

    private static let unlaunched = """
        policy: {profile: server}
        hooks: [{on: [skipped, refused], run: "true"}]
        """

    /// The events in the stored firings.
    private func told(_ bench: HostBench) throws -> [HookEvent] {
        bench.settle()
        return try bench.stored().firings().compactMap { HookEvent(json: $0.event) }
    }

    @Test("reports a request that is dropped because its task runs, and which attempt that is")
    func skipped() throws {
        let bench = try HostBench(HostBench.task("org.test.a"), rest: Self.unlaunched).started()
        bench.submit("org.test.a")
        bench.submit("org.test.a", after: .minutes(1))
        bench.settle()
        bench.host.reload(
            try HostBench.manifest(
                HostBench.task("org.test.a", "submit: manual\n  overlap: skip"), Self.unlaunched))
        bench.settle()
        bench.clock.advance(by: .minutes(2))
        let events = try told(bench)
        #expect(events.map(\.event) == [.skipped])
        #expect(events.first?.identifier == "org.test.a")
        #expect(events.first?.message == "attempt 1 is running")
    }

    @Test("reports a date that was not launched within its `start_deadline`")
    func missed() throws {
        let bench = try HostBench(
            HostBench.task(
                "org.test.a",
                "cron: '0 9 * * *'\n  zone: UTC\n  start_deadline: 10m\n"
                    + "  requires: {power: external}"),
            rest: Self.unlaunched)
        bench.host.deviceReads(DeviceState(externalPower: .no))
        try bench.host.start()
        // The host's time passes from 08:00 to 10:00.
        bench.clock.advance(by: .hours(2))
        let events = try told(bench)
        #expect(events.map(\.event) == [.skipped])
        #expect(events.first?.identifier == "org.test.a")
        #expect(events.first?.message?.hasPrefix("its `start_deadline` is over") == true)
        #expect(events.first?.subject.hasPrefix("bgrun: org.test.a skipped: its `start") == true)
    }

    @Test("reports its own refused submission with its reason")
    func refused() throws {
        let bench = try HostBench(HostBench.task("org.test.a"), rest: Self.unlaunched).started()
        bench.host.send(.submit(Submission(identifier: "org.test.b"), ticket: nil))
        let events = try told(bench)
        #expect(events.map(\.event) == [.refused])
        #expect(events.first?.identifier == "org.test.b")
        #expect(events.first?.message?.hasPrefix("No launch handler registered") == true)
    }

    // MARK: requests that starve

    /// The identifiers that a host reports as starved after its requests for power have waited for an hour.
    private func starved(
        _ tasks: [String], hooks: String, _ body: (HostBench) throws -> Void
    ) throws -> [String] {
        let bench = try HostBench(
            tasks.map {
                HostBench.task($0, "submit: manual\n  requires: {power: external}")
            }.joined(),
            rest: "policy: {profile: server}\nhooks: [\(hooks)]")
        bench.host.deviceReads(DeviceState(externalPower: .no))
        try bench.host.start()
        for task in tasks { bench.submit(task) }
        bench.settle()
        try body(bench)
        bench.clock.advance(by: .hours(1))
        bench.settle()
        return try bench.stored().firings().compactMap { HookEvent(json: $0.event)?.identifier }
    }

    @Test("reports each starved request at its own date, the earlier one first")
    func earlier() throws {
        let late = "{on: starved, tasks: [org.test.a], waiting: 50m, run: \"true\"}"
        let early = "{on: starved, tasks: [org.test.b], waiting: 10m, run: \"true\"}"
        let found = try starved(["org.test.a", "org.test.b"], hooks: "\(late), \(early)") { bench in
            bench.clock.advance(by: .minutes(11))
            bench.settle()
            let count = try bench.stored().firings().count
            #expect(count == 1)
        }
        #expect(found == ["org.test.b", "org.test.a"])
    }

    @Test("does not report a launched or cancelled request as starved")
    func launched() throws {
        let hook = "{on: starved, waiting: 10m, run: \"true\"}"
        let names = ["org.test.a", "org.test.b", "org.test.c"]
        let found = try starved(names, hooks: hook) { bench in
            bench.host.ask({ .cancel(identifier: "org.test.b", ticket: $0) }, { _ in })
            bench.host.ask(
                { .trigger(Submission(identifier: "org.test.c"), ticket: $0) }, { _ in })
            #expect(bench.supervisor.launched == [1])
        }
        #expect(found == ["org.test.a"])
    }

    @Test(
        "retries a hook whose worker or command lacks a resource", arguments: [false, true])
    func deferred(hasBegun: Bool) throws {
        let notice: AttemptNotice =
            hasBegun
            ? .ended(attempt: -1, AttemptEnd(outcome: .expired(.processShortage, reported: false)))
            : .deferred(attempt: -1, .memory)
        let bench = try failedTwice()
        #expect(bench.supervisor.launched == [1, 2, -1])
        bench.supervisor.onNotice(notice)
        let again = try bench.wait { $0 == .launch(-1) }
        #expect(again != nil)
        #expect(try bench.stored().firings().map(\.id) == [1, 2])
        bench.supervisor.end(-1)
        bench.settle()
        #expect(bench.supervisor.launched == [1, 2, -1, -1, -2])
        bench.supervisor.end(-2)
        bench.settle()
        #expect(try bench.stored().firings().isEmpty)
    }

    @Test(
        "logs the last lines of a hook that writes too many, and the number of missing ones")
    func lastLines() throws {
        let bench = try failedTwice()
        let last = LastLines.Line(
            line: HandlerLine(source: .standardOutput, text: "the end"), age: .zero)
        let end = AttemptEnd(
            outcome: .completed, droppedLines: 8,
            lastLines: LastLines(replaced: 1...1, first: 8, lines: [last]))
        bench.supervisor.onNotice(.ended(attempt: -1, end))
        let texts = bench.log.lines.map(\.text)
        let gap = try #require(texts.firstIndex { $0.contains("7 lines were not kept") })
        #expect(texts[(gap + 1)...].contains { $0.contains("the end") })
    }

    @Test("retries a hook when a worker could not be started")
    func short() throws {
        let bench = try failedTwice(short: .processes)
        #expect(bench.supervisor.launched == [1, 2])
        bench.supervisor.shortage = nil
        let launch = try bench.wait { $0 == .launch(-1) }
        #expect(launch != nil)
        #expect(try bench.stored().firings().map(\.id) == [1, 2])
    }

    @Test("reports a request as starved since it was first due, despite further submissions")
    func resubmitted() throws {
        let found = try starved(
            ["org.test.a"], hooks: "{on: starved, waiting: 90m, run: \"true\"}"
        ) { bench in
            bench.clock.advance(by: .minutes(40))
            bench.launch("org.test.a")
        }
        #expect(found == ["org.test.a"])
    }

    @Test("counts failures in a row across a change of the manifest")
    func reloaded() throws {
        let hooks = """
            policy: {profile: server}
            hooks: [{on: failed, after: 2, run: "true"}]
            """
        let bench = try HostBench(HostBench.task("org.test.a"), rest: hooks).started()
        bench.submit("org.test.a")
        bench.supervisor.end(1, .failed)
        bench.settle()
        #expect(try bench.stored().firings().isEmpty)
        bench.host.reload(
            try HostBench.manifest(
                HostBench.task("org.test.a") + HostBench.task("org.test.b"), hooks))
        bench.settle()
        bench.submit("org.test.a")
        bench.supervisor.end(2, .failed)
        bench.settle()
        #expect(try bench.stored().firings().count == 1)
    }

    @Test("ends without a hook that waits for a worker, and leaves it to the next host")
    func endsWhileShort() throws {
        let bench = try failedTwice(short: .processes)
        bench.supervisor.hasWarmWorkers = true
        bench.host.shutDown()
        bench.settle()
        #expect(bench.supervisor.calls.contains(.retire))
        #expect(!bench.log.has("Waiting for the hook that runs"))
        #expect(try bench.stored().firings().map(\.id) == [1, 2])
    }

    @Test("ends without a hook whose worker lacks a resource, and leaves it to the next host")
    func endsWhileDeferred() throws {
        let bench = try failedTwice()
        bench.supervisor.hasWarmWorkers = true
        bench.host.shutDown()
        bench.settle()
        #expect(bench.log.has("Waiting for the hook that runs"))
        bench.supervisor.onNotice(.deferred(attempt: -1, .memory))
        bench.settle()
        #expect(bench.supervisor.calls.contains(.retire))
        #expect(try bench.stored().firings().map(\.id) == [1, 2])
    }

    @Test("does not start a killed hook again, and leaves it to the next host")
    func killedWhileDeferred() throws {
        let bench = try failedTwice()
        bench.host.end()
        bench.host.end()
        #expect(bench.supervisor.calls.contains(.kill(-1)))
        bench.supervisor.onNotice(.deferred(attempt: -1, .memory))
        bench.settle()
        #expect(bench.supervisor.launched == [1, 2, -1])
        #expect(try bench.stored().firings().map(\.id) == [1, 2])
    }

    @Test("refuses the calls of a hook's attempt, which belongs to no task")
    func calls() throws {
        let bench = try failedTwice()
        #expect(bench.supervisor.launched == [1, 2, -1])
        #expect(bench.call(.pending, from: -1)?.status == BGRUN_E_STATE)
    }

    /// The launch of the attempt that runs `hook` after a failure.
    private func work(_ hook: HookDefinition) throws -> HostMessage.Launch {
        let supervisor = SimulatedSupervisor()
        let runner = HookRunner(
            try EventLoop(), supervisor, workerExecutable: "/nonexistent/bgrun-worker")
        let event = HookEvent(
            event: .failed, app: "org.test.app", identifier: "org.test.a", at: 1, failures: 1,
            manifest: "/tmp/app.yaml")
        let manifest = try HostBench.manifest(HostBench.task("org.test.a"))
        runner.run(1, hook, event, of: manifest) { _ in }
        return try #require(supervisor.works[-1]).launch
    }

    @Test("runs a command with the variables of the event, except those that the hook sets")
    func environment() throws {
        let hook = HookDefinition(
            triggers: [.failed],
            action: .run(parameters: #"{"command":"true","environment":{"BGRUN_EVENT":"x"}}"#))
        let parameters = try work(hook).parameters
        let variables = JSONValue(parameters.utf8)?.object?["environment"]?.object
        #expect(variables?["BGRUN_EVENT"] == .string("x"))
        #expect(variables?["BGRUN_APP"] == .string("org.test.app"))
    }

    @Test("gives a web request extra time after its limit to report the reason of its failure")
    func timeOfPost() throws {
        let hook = HookDefinition(
            triggers: [.failed], tasks: [],
            action: .post(address: "https://example.org/", headersFile: nil, authoritiesFile: nil),
            timeout: .seconds(30))
        let before = SystemClock().now.elapsed
        #expect(try work(hook).deadlineBoottime >= before + 32_000_000_000)
    }
}
