// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import Testing

@testable import BGRunHost
@testable import BGRunPushes

@Suite("A host that cannot start workers now", .timeLimit(.minutes(5)))
struct ShortageHostTests {
    @Test("keeps the stored request, launches nothing, and runs it when it can")
    func keeps() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.supervisor.shortage = .descriptors
        guard case .accepted(let request, _)? = bench.submit("org.test.a") else {
            Issue.record("not accepted")
            return
        }
        #expect(bench.supervisor.launched == [])
        let stored = try bench.stored()
        #expect(try stored.request("org.test.a") == request)
        #expect(try stored.running().isEmpty && stored.history(limit: 9).isEmpty)
        #expect(
            bench.host.engine.pendingReason("org.test.a", at: bench.host.now)
                == .resources(.descriptors))
        #expect(bench.log.has("too few file descriptors"))
        #expect(!bench.log.has("Starting task"))
        #expect(bench.host.running.isEmpty && !bench.host.hasFailures)

        bench.supervisor.shortage = nil
        bench.clock.advance(by: .seconds(1))
        #expect(bench.supervisor.launched.count == 1)
        #expect(try bench.stored().running().first?.attempt.request == request)
    }

    @Test("withdraws launches before it reads a machine that has slept past their deadlines")
    func slept() throws {
        let bench = try HostBench(HostBench.task("org.test.a", "expiration: {after: 1s}"))
        bench.supervisor.shortage = .memory
        bench.supervisor.looking = { [clock = bench.clock] call in
            if case .prepare = call { clock.sleep(.hours(1)) }
        }
        try bench.host.start()
        let kinds = bench.observer.events.map { event in
            switch event {
            case .launchDeferred: "deferred"
            case .slept: "slept"
            default: ""
            }
        }
        #expect(kinds.filter { !$0.isEmpty }.first == "deferred")
        let expired = bench.supervisor.calls.contains { call in
            if case .expire = call { true } else { false }
        }
        #expect(!expired && bench.host.running.isEmpty)
    }

    @Test(
        "tells a handler the strategy of a request that waits for a resource",
        arguments: ["fail", "queue"])
    func strategy(_ strategy: String) throws {
        let bench = try HostBench(
            "org.test.a:\n  kind: continued\n  strategy: \(strategy)\n"
                + "  call: {library: libc.so.6, function: sync}\n"
        ).started()
        bench.supervisor.shortage = .processes
        bench.submit("org.test.a")
        let answer = bench.call(.pending, from: 0)
        #expect(answer?.pending.map(\.isOnlyImmediate) == [strategy == "fail"])
    }

    @Test("reports the missing resource of the first of several launches")
    func first() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  requires: {power: external}")
                + HostBench.task("org.test.b", "submit: manual\n  requires: {power: external}"))
        bench.host.deviceReads(DeviceState(externalPower: .no))
        try bench.host.start()
        bench.submit("org.test.a")
        bench.submit("org.test.b")
        bench.supervisor.looking = { [unowned bench] call in
            if call == .prepare(1) { bench.supervisor.shortage = .descriptors }
            if call == .prepare(2) { bench.supervisor.shortage = .memory }
        }
        bench.host.deviceReads(DeviceState(externalPower: .yes))
        bench.clock.advance(by: .minutes(1))
        #expect(bench.supervisor.calls.contains(.prepare(2)))
        #expect(bench.supervisor.launched == [])
        #expect(bench.log.has("too few file descriptors") && !bench.log.has("memory"))
    }

    @Test("runs all of many requests within the available resources")
    func many() throws {
        let names = (1...40).map { "org.test.t\($0)" }
        let bench = try HostBench(
            names.map { HostBench.task($0) }.joined(),
            rest: "policy: {profile: server, concurrent_attempts: 1024}"
        ).started()
        bench.supervisor.capacity = 3
        for name in names { bench.submit(name) }
        var ended = 0
        while let next = bench.supervisor.launched.dropFirst(ended).first {
            #expect(bench.host.running.count <= 3)
            ended += 1
            bench.supervisor.end(next)
            if bench.supervisor.launched.count == ended { bench.clock.advance(by: .minutes(1)) }
        }
        #expect(ended == names.count)
        #expect(try bench.stored().history(limit: 100).allSatisfy { $0.outcome == .completed })
        #expect(try bench.stored().history(limit: 100).count == names.count)
    }

    @Test("tells the client that triggers it that the request waits, and launches it later")
    func trigger() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.supervisor.shortage = .processes
        var reply: Reply?
        bench.host.ask(
            { .trigger(Submission(identifier: "org.test.a"), ticket: $0) }, { reply = $0 })
        guard case .refused(let refusal)? = reply else {
            Issue.record("\(String(describing: reply))")
            return
        }
        let message = refusal.message
        #expect(message.contains("\"org.test.a\" is kept and starts later: it waits for resources"))
        #expect(message.contains("too few processes") && !message.contains("submit it again"))
        #expect(try bench.stored().request("org.test.a") != nil)
        bench.supervisor.shortage = nil
        bench.clock.advance(by: .seconds(1))
        #expect(bench.supervisor.launched.count == 1)
    }

    @Test("withdraws an attempt whose worker could not begin it, with all its stored data")
    func late() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.submit("org.test.a")
        bench.supervisor.onNotice(
            .line(attempt: 1, HandlerLine(source: .standardError, text: "no thread")))
        bench.settle()
        bench.supervisor.onNotice(.deferred(attempt: 1, .processes))
        let stored = try bench.stored()
        #expect(try stored.running().isEmpty && stored.history(limit: 9).isEmpty)
        #expect(try stored.output(attempt: 1).isEmpty)
        #expect(try stored.request("org.test.a")?.failures == 0)
        #expect(bench.host.running.isEmpty)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.supervisor.launched == [1, 2])
    }

    @Test("holds the messages of a push again for the attempt that starts later")
    func push() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.a")).started()
        bench.supervisor.shortage = .memory
        bench.push("org.test.a", #"{"album":7}"#)
        bench.settle()
        #expect(bench.supervisor.launched == [])
        #expect(bench.host.heldPushes(of: "org.test.a").count == 1)
        bench.supervisor.shortage = nil
        bench.clock.advance(by: .minutes(1))
        let launched = try #require(bench.supervisor.launched.last)
        let parameters = try #require(bench.supervisor.works[launched]?.launch.parameters)
        #expect(parameters.contains(#""album":7"#), "\(parameters)")
    }
}
