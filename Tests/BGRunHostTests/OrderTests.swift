// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import BGRunSystem
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunStorage

@Suite("The order of storing, acting and answering", .timeLimit(.minutes(5)))
struct OrderTests {
    @Test("a request is on the disk when it is answered")
    func replyAfterCommit() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        var isStored: Bool?
        bench.submit("org.test.a", after: .hours(1)) { reply in
            guard case .accepted = reply else { return }
            isStored = (try? bench.stored().request("org.test.a")) != nil
        }
        #expect(isStored == true)
    }

    @Test(
        "an answer is synced to the disk; answers at the end of a round share one sync")
    func durability() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        var answered: Durability?
        bench.submit("org.test.a", after: .hours(1)) { _ in answered = bench.store.durability }
        #expect(answered == .full)
        bench.host.ask(
            { .submit(Submission(identifier: "org.test.a", delay: .hours(2)), ticket: $0) },
            isLate: true, { _ in answered = bench.store.durability })
        #expect(answered == .normal)
    }

    @Test("a launch is stored, with its worker, before the handler is entered")
    func launchAfterCommit() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        var rows: [RunningRow] = []
        bench.supervisor.looking = { call in
            if case .launch = call { rows = (try? bench.stored().running()) ?? [] }
        }
        bench.submit("org.test.a")
        #expect(rows.map(\.attempt.id) == [1] && rows.first?.worker?.pid == .max)
        #expect(try bench.stored().request("org.test.a") == nil)
    }

    @Test("the end of an attempt and its consequences are stored in one commit")
    func end() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  retry: {backoff: linear, from: 1m}"))
        try bench.host.start()
        bench.submit("org.test.a")
        bench.supervisor.end(1, .failed, message: "said")
        let stored = try bench.stored()
        #expect(try stored.running().isEmpty)
        #expect(try stored.history(limit: 1).first?.message == "said")
        #expect(try stored.request("org.test.a")?.failures == 1)
        #expect(bench.host.hasFailures)
    }

    @Test("a request that cannot be stored is refused, and the host ends")
    func cannotStore() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        try bench.store.access { try $0.execute("DROP TABLE request") }
        #expect(bench.submit("org.test.a", after: .hours(1)) == .refused(.unavailable))
        #expect(bench.host.breakdown != nil)
        // Nothing is launched later, either.
        bench.host.send(.timer)
        #expect(bench.supervisor.launched == [])
    }

    @Test("running attempts are killed when nothing can be stored any more")
    func breakdown() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.submit("org.test.a")
        try bench.store.access { try $0.execute("DROP TABLE request") }
        bench.submit("org.test.b", after: .hours(1))
        #expect(bench.supervisor.calls.contains(.kill(1)))
    }

    @Test("the time of a handler's entry is between launch and end, whatever its worker reports")
    func entered() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        for (attempt, said) in [(1, Int64.min), (2, 0), (3, Int64.max)] as [(Int64, Int64)] {
            bench.submit("org.test.a")
            bench.supervisor.end(attempt, entered: said)
        }
        let lengths = try bench.stored().history(limit: 9).map { $0.entered?.nanoseconds }
        // The entry of the last one is no later than its end.
        #expect(lengths.count == 3 && lengths.allSatisfy { ($0 ?? -1) >= 0 })
        #expect(lengths[1...] == [0, 0])
    }

    @Test("a host without work ends when its warm workers have ended, and not before")
    func endOfHost() throws {
        let bench = try HostBench(HostBench.task("org.test.a"), ending: .whenIdle)
        bench.supervisor.hasWarmWorkers = true
        try bench.host.start()
        bench.host.shutDown()
        #expect(bench.supervisor.calls.contains(.retire))
        var isStopped = false
        bench.loop.afterThisRound {
            // If the host did not wait for warm workers, it would have stopped before.
            bench.supervisor.finishRetiring()
            isStopped = true
        }
        bench.loop.run()
        #expect(isStopped)
        #expect(bench.supervisor.calls.filter { $0 == .retire }.count == 1)
    }

    /// Counts its ends.
    private final class ClosedFeature: HostFeature {
        private(set) var count = 0
        private(set) var stops = 0
        var isReady = true

        func stop() -> Bool {
            stops += 1
            return isReady
        }

        func close() { count += 1 }
    }

    @Test("a host that has broken down does not have its features finish their work")
    func brokenDown() throws {
        let feature = ClosedFeature()
        feature.isReady = false
        let bench = try HostBench(
            HostBench.task("org.test.a"), ending: .afterOneRound, more: [{ _, _ in feature }])
        try bench.host.start()
        try FileManager.default.removeItem(atPath: bench.path)
        bench.host.checkFiles()
        let stops = feature.stops
        #expect(stops > 0)
        bench.host.endIfDone()
        #expect(feature.stops == stops && feature.count == 1)
    }

    @Test("a store that was lost before the start ends the host")
    func lostBeforeStart() throws {
        let bench = try HostBench(HostBench.task("org.test.a"))
        try FileManager.default.removeItem(atPath: bench.path)
        bench.host.checkFiles()
        // The loop that reads the device ends with this.
        bench.loop.run()
        try bench.host.start()
        bench.loop.run()
        #expect(bench.supervisor.launched == [] && !bench.host.isStarted)
    }

    @Test("a host ends its warm workers once, and closes once, despite events meanwhile")
    func endsOnce() throws {
        let feature = ClosedFeature()
        let bench = try HostBench(
            HostBench.task("org.test.a"), ending: .whenIdle, more: [{ _, _ in feature }])
        bench.supervisor.hasWarmWorkers = true
        try bench.host.start()
        bench.host.shutDown()
        for _ in 0..<2 { bench.host.endIfDone() }
        #expect(bench.supervisor.calls.filter { $0 == .retire }.count == 1 && feature.count == 0)
        bench.supervisor.finishRetiring()
        #expect(feature.count == 1)
    }

    @Test("progress of continued work reaches the engine; progress of other work is only shown")
    func progress() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual")
                + "org.test.c:\n  kind: continued\n"
                + "  call: {library: libc.so.6, function: sync}\n"
        ).started()
        bench.submit("org.test.a")
        bench.submit("org.test.c")
        bench.supervisor.onNotice(.progress(attempt: 1, completed: 1, total: 2))
        bench.supervisor.onNotice(.progress(attempt: 2, completed: 3, total: 4))
        let told = bench.observer.events.filter { if case .progress = $0 { true } else { false } }
        #expect(told == [.progress(attempt: 2, completed: 3, total: 4)])
        #expect(bench.host.running.map(\.completed) == [1, 3])
    }

    @Test("the start of an attempt is logged when its plugin has been loaded")
    func loadedBeforeStart() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.supervisor.plugin = .loading
        bench.launch("org.test.a")
        #expect(bench.supervisor.launched == [1] && !bench.log.has("Starting "))
        let loaded = WorkerMessage.Loaded(
            name: "p", version: nil, abiVersion: 0, flags: 0, handlers: [], registrations: [])
        bench.supervisor.onNotice(.loaded(attempt: 1, plugin: "p", loaded))
        #expect(bench.log.lines.count { $0.text.hasPrefix("Starting ") } == 1)
    }

    @Test("a host of one round launches nothing that is submitted after its start")
    func oneRound() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "parameters: {}") + HostBench.task("org.test.b"),
            ending: .afterOneRound
        ).started()
        #expect(bench.supervisor.launched == [1])
        bench.launch("org.test.b")
        #expect(bench.supervisor.launched == [1])
        #expect(
            bench.host.engine.pendingReason("org.test.b", at: bench.host.now) == .notAdmitted)
    }

    @Test("a checkpoint is synced to the disk before its handler continues")
    func checkpoint() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.submit("org.test.a")
        bench.submit("org.test.b")
        bench.supervisor.end(2)
        #expect(bench.store.durability == .normal)
        var answered: Durability?
        bench.call(.putCheckpoint(version: 1, data: [7]), from: 1) { _ in
            answered = bench.store.durability
        }
        #expect(answered == .full)
        #expect(try bench.stored().checkpoint("org.test.a")?.data == [7])
    }

    @Test("an empty checkpoint removes the stored one")
    func emptyCheckpoint() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.submit("org.test.a")
        bench.call(.putCheckpoint(version: 1, data: [7]), from: 1)
        #expect(try bench.stored().checkpoint("org.test.a") != nil)
        #expect(bench.call(.putCheckpoint(version: 1, data: []), from: 1)?.status == 0)
        #expect(try bench.stored().checkpoint("org.test.a") == nil)
    }

    @Test("a push is synced to the disk before its sender is answered")
    func push() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.a")).started()
        var answered: Durability?
        bench.push("org.test.a") { result in
            if case .success = result { answered = bench.store.durability }
        }
        #expect(bench.store.durability == .normal)
        bench.settle()
        #expect(answered == .full)
    }

    @Test("the number of an attempt counts failures and interruptions before it")
    func attemptNumber() throws {
        let now = TestClock().now.wall
        let bench = try HostBench(HostBench.task("org.test.a")) { store in
            let request = TaskRequest(
                id: 1, identifier: "org.test.a", kind: .processing, submitted: now, failures: 2,
                interruptions: 3)
            try store.apply([.putRequest(request)], durability: .normal)
        }
        try bench.host.start()
        #expect(bench.supervisor.works[1]?.launch.attemptNumber == 6)
    }
}
