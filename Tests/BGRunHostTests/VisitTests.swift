// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunVisits

@Suite("A plugin that reports visits", .timeLimit(.minutes(5)))
final class VisitTests {
    /// A plugin file that is never loaded.
    private let plugin = FileManager.default.temporaryDirectory
        .appendingPathComponent("bgrun-visits-\(UUID().uuidString).so").path

    init() throws { try #require(FileManager.default.createFile(atPath: plugin, contents: nil)) }

    deinit { try? FileManager.default.removeItem(atPath: plugin) }

    private func bench(
        _ policy: String = "profile: server", at directory: String? = nil
    ) throws -> HostBench {
        try HostBench(Self.task, rest: rest(policy), at: directory)
    }

    private static let task = "org.test.a: {kind: processing, handler: app, submit: manual}"

    private func rest(_ policy: String = "profile: server") -> String {
        "policy: {\(policy)}\nplugins: {app: \(plugin)}"
    }

    /// The number of a host's first visit.
    private static let visit = Int64.min / 2

    @Test(
        "is notified once, or by the next host if it was not loaded or launched in time",
        arguments: [
            (Outcome.completed, false), (.failed, false), (.crashed(signal: 11), false),
            (.limited(.memory), false), (.expired(.shutdown, reported: true), false),
            (.refused, true),
            // The SDK refuses an attempt that expires before it can start.
            (.expired(.shutdown, reported: false), true), (.expired(.time, reported: false), true),
            // The worker is killed while it loads the plugin.
            (.expired(.shutdown, reported: nil), true), (.expired(.time, reported: nil), true),
        ])
    func once(_ outcome: Outcome, isToldAgain: Bool) throws {
        let first = try bench().started()
        #expect(first.supervisor.launched == [Self.visit])
        first.supervisor.end(Self.visit, outcome)
        first.settle()
        #expect(first.supervisor.launched == [Self.visit])

        let next = try bench(at: first.directory).started()
        #expect(next.supervisor.launched == (isToldAgain ? [Self.visit] : []))
    }

    @Test(
        "is not notified again if it was loaded and used all of its time", arguments: [true, false])
    func overdue(_ isLoaded: Bool) throws {
        let first = try bench().started()
        if isLoaded {
            let loaded = WorkerMessage.Loaded(
                name: "app", version: nil, abiVersion: 1, flags: 0, handlers: [])
            first.supervisor.onNotice(.loaded(attempt: Self.visit, plugin: "app", loaded))
        }
        first.supervisor.end(Self.visit, .expired(.time, reported: nil))
        first.settle()

        let next = try bench(at: first.directory).started()
        #expect(next.supervisor.launched == (isLoaded ? [] : [Self.visit]))
    }

    @Test("is notified once more by a host whose clock was set back before the last visit")
    func clockSetBack() throws {
        let first = try bench()
        first.clock.advance(by: .hours(1))
        try first.host.start()
        first.supervisor.end(Self.visit)
        first.settle()

        let next = try bench(at: first.directory).started()
        #expect(next.supervisor.launched == [Self.visit])
        next.supervisor.end(Self.visit)
        next.settle()
        #expect(next.supervisor.launched == [Self.visit])

        #expect(try bench(at: first.directory).started().supervisor.launched == [])
    }

    @Test(
        "reports to the observer that the work has ended, so that a rehearsal advances the time")
    func work() throws {
        let bench = try bench().started()
        #expect(bench.host.hasVisits)
        var wasVisited: [Bool] = []
        bench.observer.workedIsCalled = { wasVisited.append(bench.host.hasVisits) }
        bench.supervisor.end(Self.visit)
        bench.settle()
        #expect(wasVisited.last == false)
    }

    @Test("is not notified after a force quit until the next use, and no rehearsal waits for it")
    func forceQuit() throws {
        let first = try bench().started()
        first.host.ask({ .appForceQuit(ticket: $0) }, { _ in })

        let next = try bench(at: first.directory).started()
        #expect(next.supervisor.launched == [])
        #expect(!next.host.hasVisits)
        next.host.ask({ .appOpened(ticket: $0) }, { _ in })
        #expect(next.supervisor.launched == [Self.visit])
        #expect(next.host.hasVisits)
    }

    @Test("is notified of the next visit by the running host or the next one")
    func next() throws {
        let first = try bench().started()
        first.supervisor.end(Self.visit)
        first.settle()
        first.clock.advance(by: .seconds(1))
        first.host.ask({ .appOpened(ticket: $0) }, { _ in })
        #expect(first.supervisor.launched == [Self.visit, Self.visit - 1])

        let next = try bench(at: first.directory).started()
        #expect(next.supervisor.launched == [Self.visit], "the other one has not ended")
    }

    @Test("is notified once when a changed manifest adds it, also if that changes again")
    func added() throws {
        let other = HostBench.task("org.test.b")
        let bench = try HostBench(other).started()
        bench.settle()
        #expect(bench.supervisor.launched == [])
        bench.host.reload(try HostBench.manifest(other + Self.task, rest()))
        bench.settle()
        #expect(bench.supervisor.launched == [Self.visit])

        bench.host.reload(try HostBench.manifest(Self.task, rest()))
        bench.settle()
        bench.supervisor.end(Self.visit)
        bench.settle()
        #expect(bench.supervisor.launched == [Self.visit], "it was running")
        bench.host.reload(try HostBench.manifest(other + Self.task, rest()))
        bench.settle()
        #expect(bench.supervisor.launched == [Self.visit], "it was told")
        #expect(!bench.host.hasVisits)
    }

    @Test("is no longer notified when a changed manifest removes it")
    func removed() throws {
        let bench = try bench()
        bench.supervisor.shortage = .processes
        try bench.host.start()
        bench.settle()
        try #require(bench.host.hasVisits)
        bench.host.reload(
            try HostBench.manifest(HostBench.task("org.test.b"), "policy: {profile: server}"))
        bench.settle()
        #expect(!bench.host.hasVisits)
    }

    @Test("is notified later if no worker can be started now")
    func short() throws {
        let bench = try bench("profile: server, shortage_wait: 10ms")
        bench.supervisor.shortage = .processes
        try bench.host.start()
        bench.settle()
        try #require(bench.supervisor.launched == [] && bench.host.hasVisits)
        bench.supervisor.shortage = nil
        let launch = try bench.wait { if case .launch = $0 { true } else { false } }
        #expect(launch == .launch(Self.visit - 1))
    }

    @Test("is notified later if the worker lacks a resource before it has begun")
    func deferred() throws {
        let bench = try bench("profile: server, shortage_wait: 10ms").started()
        try #require(bench.supervisor.launched == [Self.visit])
        bench.supervisor.onNotice(.deferred(attempt: Self.visit, .memory))
        let launch = try bench.wait { if case .launch = $0 { true } else { false } }
        #expect(launch == .launch(Self.visit - 1))
    }

    @Test(
        "registers a handler, which is logged, at launch, during a visit and between attempts",
        arguments: [(visit, true), (visit, false), (0, false)])
    func registers(_ attempt: Int64, _ isAtLaunch: Bool) throws {
        let bench = try bench().started()
        let loaded = WorkerMessage.Loaded(
            name: "app", version: nil, abiVersion: 0, flags: 0,
            handlers: [WorkerMessage.Loaded.defaultHandler],
            registrations: [Registration(identifier: "org.test.a")])
        let line = "Registered handler for task with identifier org.test.a"
        #expect(!bench.log.has(line))
        bench.supervisor.onNotice(
            isAtLaunch
                ? .loaded(attempt: attempt, plugin: "app", loaded)
                : .registered(attempt: attempt, plugin: "app", loaded))
        #expect(bench.log.has(line))
    }

    @Test("is killed when its grace is over")
    func overdue() throws {
        let bench = try bench("profile: server, grace: 0s").started()
        bench.host.shutDown()
        #expect(bench.supervisor.calls.filter(Self.isExpiry).count == 1)
        let next = try bench.wait { $0 == .kill(Self.visit) || Self.isExpiry($0) }
        #expect(next == .kill(Self.visit))
    }

    private static func isExpiry(_ call: SimulatedSupervisor.Call) -> Bool {
        if case .expire(visit, _, _, _) = call { true } else { false }
    }
}
