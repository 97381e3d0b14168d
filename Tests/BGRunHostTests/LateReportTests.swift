// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSupervisor
import Foundation
import Testing

@testable import BGRunHost

@Suite("Reports while another program writes to the store", .timeLimit(.minutes(5)))
struct LateReportTests {
    private static let policy = "policy: {profile: server, store_wait: 2m}"

    /// Makes the host wait for the store.
    private func stall(_ bench: HostBench) { bench.submit("org.test.other") }

    /// A host that waits for the store while an attempt of org.test.a runs.
    private func stalled(_ settings: String = "submit: manual") throws -> (HostBench, StoreWriter) {
        let bench = try HostBench(
            HostBench.task("org.test.a", settings) + HostBench.task("org.test.other"),
            rest: Self.policy
        ).started()
        bench.submit("org.test.a")
        let writer = try StoreWriter(bench)
        stall(bench)
        return (bench, writer)
    }

    private func expirations(_ bench: HostBench) -> Int {
        bench.supervisor.calls.count { if case .expire = $0 { true } else { false } }
    }

    @Test("an attempt that reports its end in time completes as of its report")
    func end() throws {
        let (bench, writer) = try stalled("submit: manual\n  expiration: {after: 6s}")
        let launched = bench.host.now
        bench.clock.advance(by: .seconds(4))
        bench.supervisor.end(1)
        bench.clock.advance(by: .seconds(7))
        try writer.release()
        #expect(expirations(bench) == 0)
        let row = try #require(bench.stored().history(limit: 1).first)
        #expect(row.attempt == 1 && row.outcome == .completed)
        #expect(row.ended == launched.advanced(by: .seconds(4)))
        #expect(bench.supervisor.launched == [1, 2])
    }

    @Test("an attempt that makes progress does not stall")
    func progress() throws {
        let continued = ["org.test.a", "org.test.b"].map {
            "\($0):\n  kind: continued\n  call: {library: libc.so.6, function: sync}\n"
        }.joined()
        let bench = try HostBench(
            continued + HostBench.task("org.test.other"), rest: Self.policy
        ).started()
        bench.submit("org.test.a")
        bench.submit("org.test.b")
        try #require(bench.supervisor.launched == [1, 2])
        let writer = try StoreWriter(bench)
        stall(bench)
        for step: Int64 in 1...100 {
            bench.clock.advance(by: .seconds(1))
            for attempt: Int64 in 1...2 {
                bench.host.send(.progress(attempt: attempt, completed: step, total: 200))
            }
        }
        try writer.release()
        #expect(bench.host.breakdown == nil && expirations(bench) == 0)
        // Without further progress both attempts stall.
        bench.clock.advance(by: bench.host.manifest.policy.stallLimit)
        #expect(expirations(bench) == 2)
    }

    @Test("an attempt whose time ends expires afterwards, with its whole grace")
    func grace() throws {
        let (bench, writer) = try stalled(
            "submit: manual\n  expiration: {after: 6s, grace: 5s}")
        bench.clock.advance(by: .seconds(30))
        #expect(expirations(bench) == 0)
        try writer.release()
        #expect(expirations(bench) == 1 && !bench.supervisor.calls.contains(.terminate(1)))
        bench.clock.advance(by: .seconds(5))
        #expect(bench.supervisor.calls.contains(.terminate(1)))
    }

    @Test("a request that an answer submits loses no timer of the waiting events")
    func nested() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a") + HostBench.task("org.test.b"), rest: Self.policy)
        try bench.host.start()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.a", after: .minutes(10)) { [unowned bench] _ in
            bench.submit("org.test.b", after: .seconds(5))
        }
        try writer.release()
        #expect(bench.host.engine.pendingCount == 2 && bench.supervisor.launched == [])
        bench.clock.advance(by: .seconds(6))
        #expect(bench.supervisor.launched == [1])
    }

    @Test("a second request to end makes the host give up the store")
    func signals() throws {
        let (bench, writer) = try stalled()
        bench.host.end()
        #expect(bench.host.breakdown == nil && expirations(bench) == 0)
        bench.host.end()
        #expect(bench.host.breakdown == .busy(path: bench.path))
        #expect(bench.supervisor.calls.contains(.kill(1)))
        try writer.letGo()
    }

    @Test("a host that is ending launches nothing more, and ends")
    func ending() throws {
        let tasks = ["a", "b", "c", "other"].map { HostBench.task("org.test.\($0)") }.joined()
        let bench = try HostBench(tasks, rest: Self.policy).started()
        bench.launch("org.test.a")
        let writer = try StoreWriter(bench)
        var answers: [Reply] = []
        bench.host.ask(
            { .trigger(Submission(identifier: "org.test.other"), ticket: $0) },
            { answers.append($0) })
        for name in ["org.test.b", "org.test.c"] {
            bench.submit(name) { answers.append($0) }
        }
        bench.host.end()
        bench.clock.advance(by: .seconds(2))
        #expect(bench.host.breakdown == nil && answers.isEmpty)
        try writer.release()
        #expect(bench.supervisor.launched == [1])
        #expect(bench.supervisor.calls.contains(.withdraw(2)))
        #expect(expirations(bench) == 1 && bench.host.running.map(\.attempt.id) == [1])
        #expect(!bench.log.has("Starting task with identifier org.test.other"))
        #expect(answers.count == 3)
        #expect(answers.first == .refused(.unavailable))
        bench.supervisor.end(1, .expired(.shutdown, reported: nil))
        bench.settle()
        #expect(bench.host.engine.hasNoAttempt && bench.host.breakdown == nil)
        let (store, waiting) = (try bench.stored(), ["a", "b", "c", "other"])
        #expect(try store.running().isEmpty && store.history(limit: 9).map(\.attempt) == [1])
        let found = try store.restoration().0.requests.map(\.identifier).sorted()
        #expect(found == waiting.map { "org.test.\($0)" }, "\(answers)")
    }

    @Test("a host that is ending waits for a few seconds only", arguments: [false, true])
    func endsSoon(_ isStalledFirst: Bool) throws {
        let bench = try HostBench(
            HostBench.task("org.test.a") + HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        bench.submit("org.test.a")
        let writer = try StoreWriter(bench)
        if isStalledFirst {
            stall(bench)
            bench.clock.advance(by: .seconds(20))
        }
        bench.host.end()
        let timeout = BGRunHost.Host.timeoutAtEnd.nanoseconds
        bench.clock.advance(by: Interval(nanoseconds: timeout / 2))
        #expect(bench.host.breakdown == nil)
        bench.clock.advance(by: Interval(nanoseconds: timeout))
        #expect(bench.host.breakdown == .busy(path: bench.path))
        #expect(bench.supervisor.launched == [1] && bench.supervisor.calls.contains(.kill(1)))
        try writer.letGo()
    }

    @Test("a host that is ending waits for a few seconds in all")
    func endsAfterAll() throws {
        let tasks = ["a", "b", "other"].map { HostBench.task("org.test.\($0)") }.joined()
        let bench = try HostBench(tasks, rest: Self.policy).started()
        bench.submit("org.test.a")
        bench.submit("org.test.b")
        bench.host.end()
        bench.settle()
        let most = Interval(nanoseconds: BGRunHost.Host.timeoutAtEnd.nanoseconds * 2 / 3)
        let writer = try StoreWriter(bench)
        bench.supervisor.end(1, .expired(.shutdown, reported: nil))
        bench.clock.advance(by: most)
        #expect(bench.host.breakdown == nil)
        try writer.release()
        let second = try StoreWriter(bench)
        bench.supervisor.end(2, .expired(.shutdown, reported: nil))
        bench.clock.advance(by: most)
        #expect(bench.host.breakdown == .busy(path: bench.path))
        try second.letGo()
    }

    @Test("grants of the daemon lapse, and the host requests no room")
    func grants() throws {
        let bench = try HostBench(HostBench.task("org.test.a"), rest: Self.policy).started()
        bench.host.send(.granted(0))
        let writer = try StoreWriter(bench)
        var asked = 0
        bench.observer.sharesIsCalled = { _, wantsMore in if wantsMore { asked += 1 } }
        bench.submit("org.test.a")
        bench.host.send(.granted(1))
        bench.clock.advance(by: .seconds(2))
        #expect(asked == 0 && bench.supervisor.launched == [])
        try writer.release()
        #expect(asked == 1 && bench.supervisor.launched == [])
        bench.host.send(.granted(1))
        #expect(bench.supervisor.launched == [1])
    }

    @Test("an event replaces an obsolete one in the queue")
    func obsolete() throws {
        let (bench, writer) = try stalled("submit: manual\n  expiration: {after: 1h}")
        let before = bench.observer.events.count
        for step: Int64 in 1...1_000 {
            bench.host.send(.timer)
            bench.host.send(.progress(attempt: 1, completed: step, total: 1_000))
            bench.host.send(.granted(1))
        }
        bench.host.send(.suspending(within: nil))
        bench.host.send(.resumed)
        try writer.release()
        #expect(bench.observer.events.count < before + 10)
        #expect(expirations(bench) == 0)
    }

    @Test("sleep of the machine does not count as waiting")
    func sleep() throws {
        let bench = try HostBench(HostBench.task("org.test.other"), rest: Self.policy).started()
        let writer = try StoreWriter(bench)
        stall(bench)
        bench.clock.sleep(.hours(8))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.breakdown == nil)
        try writer.release()
        #expect(bench.supervisor.launched == [1])
    }
}
