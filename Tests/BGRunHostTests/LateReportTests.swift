// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunManifest
import BGRunSupervisor
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunStore

@Suite("What happens while another program writes to the store", .timeLimit(.minutes(4)))
struct LateReportTests {
    private static let policy = "policy: {profile: server, store_wait: 2m}"

    private func locked(_ bench: HostBench) throws -> Database {
        let database = try Database(bench.path, .write, patience: 0)
        try database.execute("BEGIN IMMEDIATE")
        return database
    }

    /// Makes the host wait for the store.
    private func stall(_ bench: HostBench) {
        bench.host.ask(
            { .submit(Submission(identifier: "org.test.other"), ticket: $0) }, { _ in })
    }

    private func expirations(_ bench: HostBench) -> Int {
        bench.supervisor.calls.count { if case .expire = $0 { true } else { false } }
    }

    @Test("and is reported in time is not too late: the attempt ends when it said so")
    func end() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  expiration: {after: 6s}")
                + HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        bench.submit("org.test.a")
        let launched = bench.host.now
        let writer = try locked(bench)
        stall(bench)
        bench.clock.advance(by: .seconds(4))
        bench.supervisor.end(1)
        bench.clock.advance(by: .seconds(7))
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        #expect(expirations(bench) == 0)
        let row = try #require(bench.stored().history(limit: 1).first)
        #expect(row.attempt == 1 && row.outcome == .completed)
        #expect(row.ended == launched.advanced(by: .seconds(4)))
        #expect(bench.supervisor.launched == [1, 2])
    }

    @Test("and moves on is not stalled")
    func progress() throws {
        let continued = ["org.test.a", "org.test.b"].map {
            "\($0):\n  kind: continued\n  call: {library: libc.so.6, function: sync}\n"
        }.joined()
        let bench = try HostBench(
            continued + HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        bench.submit("org.test.a")
        bench.submit("org.test.b")
        try #require(bench.supervisor.launched == [1, 2])
        let writer = try locked(bench)
        stall(bench)
        for step: Int64 in 1...100 {
            bench.clock.advance(by: .seconds(1))
            for attempt: Int64 in 1...2 {
                bench.host.send(.progress(attempt: attempt, completed: step, total: 200))
            }
        }
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.breakdown == nil && expirations(bench) == 0)
        // Without another word they are stalled as ever.
        bench.clock.advance(by: bench.host.manifest.policy.stallLimit)
        #expect(expirations(bench) == 2)
    }

    @Test("ends an attempt whose time has run out after it, with all of its grace")
    func grace() throws {
        let bench = try HostBench(
            HostBench.task(
                "org.test.a", "submit: manual\n  expiration: {after: 6s, grace: 5s}")
                + HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        bench.submit("org.test.a")
        let writer = try locked(bench)
        stall(bench)
        bench.clock.advance(by: .seconds(30))
        #expect(expirations(bench) == 0)
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        #expect(expirations(bench) == 1 && !bench.supervisor.calls.contains(.terminate(1)))
        bench.clock.advance(by: .seconds(5))
        #expect(bench.supervisor.calls.contains(.terminate(1)))
    }

    @Test("is not handled in the middle of what waited: no timer is lost")
    func nested() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a") + HostBench.task("org.test.b"), rest: Self.policy)
        try bench.host.start()
        let writer = try locked(bench)
        bench.host.ask(
            {
                .submit(
                    Submission(identifier: "org.test.a", delay: .minutes(10)), ticket: $0)
            },
            { [unowned bench] _ in
                bench.host.ask(
                    {
                        .submit(
                            Submission(identifier: "org.test.b", delay: .seconds(5)), ticket: $0)
                    }, { _ in })
            })
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.engine.pendingCount == 2 && bench.supervisor.launched == [])
        bench.clock.advance(by: .seconds(6))
        #expect(bench.supervisor.launched == [1])
    }

    @Test("as a second request to end is not put off: the host gives the store up")
    func signals() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a") + HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        bench.submit("org.test.a")
        let writer = try locked(bench)
        stall(bench)
        bench.host.end()
        #expect(bench.host.breakdown == nil && expirations(bench) == 0)
        bench.host.end()
        #expect(bench.host.breakdown == .busy(path: bench.path))
        #expect(bench.supervisor.calls.contains(.kill(1)))
        try writer.execute("COMMIT")
    }

    @Test("as grants of the daemon lapses, and no room is asked for meanwhile")
    func grants() throws {
        let bench = try HostBench(HostBench.task("org.test.a"), rest: Self.policy)
        try bench.host.start()
        bench.host.send(.granted(0))
        let writer = try locked(bench)
        var asked = 0
        bench.observer.sharesIsCalled = { _, wantsMore in if wantsMore { asked += 1 } }
        bench.submit("org.test.a")
        bench.host.send(.granted(1))
        bench.clock.advance(by: .seconds(2))
        #expect(asked == 0 && bench.supervisor.launched == [])
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        #expect(asked == 1 && bench.supervisor.launched == [])
        bench.host.send(.granted(1))
        #expect(bench.supervisor.launched == [1])
    }

    @Test("takes the place of what it makes obsolete: the events that wait do not grow without end")
    func obsolete() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  expiration: {after: 1h}")
                + HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        bench.submit("org.test.a")
        let writer = try locked(bench)
        stall(bench)
        let before = bench.observer.events.count
        for step: Int64 in 1...1_000 {
            bench.host.send(.timer)
            bench.host.send(.progress(attempt: 1, completed: step, total: 1_000))
            bench.host.send(.granted(1))
        }
        bench.host.send(.suspending(within: nil))
        bench.host.send(.resumed)
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        #expect(bench.observer.events.count < before + 10)
        #expect(expirations(bench) == 0)
    }

    @Test("and is a long sleep of the machine does not count as waiting")
    func sleep() throws {
        let bench = try HostBench(HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        let writer = try locked(bench)
        stall(bench)
        bench.clock.sleep(.hours(8))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.breakdown == nil)
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        #expect(bench.supervisor.launched == [1])
    }
}
