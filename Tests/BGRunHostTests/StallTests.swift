// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import CBGRunPlugin
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunStorage

@Suite("Another program that writes to the store", .timeLimit(.minutes(5)))
struct StallTests {
    @Test("delays actions and answers until they are stored, and keeps their order")
    func waits() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        let writer = try StoreWriter(bench)
        var answers: [String] = []
        for name in ["org.test.a", "org.test.b"] {
            bench.submit(name) { reply in
                if case .accepted = reply { answers.append(name) }
            }
        }
        #expect(answers == [] && bench.supervisor.launched == [])
        #expect(bench.host.breakdown == nil)
        #expect(bench.log.has("Waiting for another program that is writing to \(bench.path); "))
        // Queries are still answered.
        #expect(bench.host.engine.runningAttempt("org.test.a") != nil)
        let since = bench.host.now
        #expect(bench.host.waitsForStoreSince == since)
        bench.clock.advance(by: .seconds(1))
        #expect(answers == [] && bench.supervisor.launched == [])
        #expect(bench.host.waitsForStoreSince == since)

        try writer.release()
        #expect(answers == ["org.test.a", "org.test.b"])
        #expect(bench.supervisor.launched == [1, 2])
        #expect(try bench.stored().running().count == 2)
        #expect(bench.log.has("can be written again") && bench.host.waitsForStoreSince == nil)
    }

    @Test("does not change the date of a request, but the date at which its attempt begins")
    func dates() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.settle()
        let writer = try StoreWriter(bench)
        let before = bench.host.now
        bench.submit("org.test.a")
        bench.clock.advance(by: .seconds(1))
        try writer.release()
        bench.settle()
        let events = try bench.stored().events(limit: 100).map(\.line)
        let scheduled = try #require(events.last { $0.kind == "scheduling" })
        let starting = try #require(events.last { $0.kind == "starting" })
        #expect(scheduled.at.wall == before && starting.at.wall > before)
    }

    @Test("is in the overview while it writes, and observers receive each change")
    func overview() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.launch("org.test.a")
        #expect(bench.host.overview().host?.waitsForStoreSince == nil)
        let writer = try StoreWriter(bench)
        let (since, changes) = (bench.host.now, bench.observer.changes)
        bench.call(.putCheckpoint(version: 1, data: [1]), from: 1)
        // The host notices it now, or when it first tries to store the checkpoint.
        bench.clock.advance(by: .milliseconds(1))
        let told = try #require(bench.host.overview().host?.waitsForStoreSince)
        #expect((since...since.advanced(by: .milliseconds(1))).contains(told))
        #expect(bench.observer.changes > changes)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.overview().host?.waitsForStoreSince == told)

        let before = bench.observer.changes
        try writer.release()
        #expect(bench.host.overview().host?.waitsForStoreSince == nil)
        #expect(bench.observer.changes > before)
    }

    @Test("and that does not stop ends the host after `store_wait`, with nothing acknowledged")
    func givesUp() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a"), rest: "policy: {profile: server, store_wait: 2s}")
        try bench.host.start()
        let writer = try StoreWriter(bench)
        var answer: Reply?
        bench.submit("org.test.a") { answer = $0 }
        bench.clock.advance(by: .seconds(1))
        #expect(answer == nil && bench.host.breakdown == nil)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.host.breakdown == .busy(path: bench.path))
        #expect(answer == .refused(.unavailable) && bench.supervisor.launched == [])
        try writer.letGo()
    }

    @Test("lines from meanwhile are stored afterwards, in their order")
    func lines() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.launch("org.test.a")
        let writer = try StoreWriter(bench)
        for text in ["first", "second"] {
            bench.supervisor.onNotice(
                .line(attempt: 1, HandlerLine(source: .standardOutput, text: text)))
            bench.settle()
        }
        #expect(try bench.stored().output(attempt: 1).isEmpty)
        try writer.release()
        bench.settle()
        #expect(try bench.stored().output(attempt: 1).map(\.text) == ["first", "second"])
    }

    @Test("a store that was removed ends the host before it accepts a request")
    func removed() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        // A launch is checked too if it is the first write of a second.
        let store = try #require(bench.host.store as? Store)
        store.file.second = { 0 }
        try store.checkFiles()
        try FileManager.default.removeItem(atPath: bench.path)
        #expect(bench.submit("org.test.a") == .refused(.unavailable))
        #expect(bench.host.breakdown == .replaced(path: bench.path))
        // The next host does not know the attempt, and does not report an interruption.
        #expect(!bench.log.has("The end of attempt"))
        // A launch does not wait for a check of the files.
        #expect(bench.supervisor.launched == [1] && bench.supervisor.calls.contains(.kill(1)))
    }

    @Test("a store that was removed ends the host when a checkpoint is to be stored")
    func removedBeforeCheckpoint() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.launch("org.test.a")
        try FileManager.default.removeItem(atPath: bench.path)
        #expect(bench.call(.putCheckpoint(version: 1, data: [1]), from: 1)?.status == BGRUN_E_IO)
        #expect(bench.host.breakdown == .replaced(path: bench.path))
        #expect(bench.supervisor.calls.contains(.kill(1)))
    }

    @Test("nothing is launched after the loss of the store is noticed")
    func noticed() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        try FileManager.default.removeItem(atPath: bench.path)
        bench.host.checkFiles()
        #expect(bench.host.breakdown == .replaced(path: bench.path))
        #expect(bench.submit("org.test.a") == nil)
        #expect(bench.supervisor.launched == [])
    }

    @Test("that begins between a launch and its answer does not launch it twice")
    func launchedOnce() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        var writer: StoreWriter?
        bench.supervisor.looking = { call in
            if case .launch = call, writer == nil { writer = try? StoreWriter(bench) }
        }
        var isAnswered = false
        bench.submit("org.test.a") { _ in isAnswered = true }
        #expect(bench.supervisor.launched == [1] && !isAnswered)
        bench.clock.advance(by: .seconds(1))
        #expect(!isAnswered)
        try writer?.letGo()
        bench.clock.advance(by: .seconds(1))
        #expect(isAnswered && bench.supervisor.launched == [1])
    }

    @Test("keeps a finished host running until the end of its attempt is stored")
    func end() throws {
        let bench = try HostBench(HostBench.task("org.test.a"), ending: .whenIdle).started()
        bench.submit("org.test.a")
        bench.supervisor.hasWarmWorkers = true
        let writer = try StoreWriter(bench)
        bench.supervisor.end(1)
        #expect(!bench.supervisor.calls.contains(.retire))
        try writer.release()
        #expect(bench.supervisor.calls.contains(.retire))
        #expect(try bench.stored().history(limit: 1).first?.outcome == .completed)
    }

    @Test("delays a checkpoint and its handler until the checkpoint is stored")
    func checkpoint() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.submit("org.test.a")
        let writer = try StoreWriter(bench)
        var statuses: [Int32] = []
        for number: UInt8 in 1...2 {
            bench.call(.putCheckpoint(version: 1, data: [number]), from: 1) {
                statuses.append($0.status)
            }
        }
        bench.clock.advance(by: .seconds(3))
        #expect(statuses == [] && bench.host.breakdown == nil)
        try writer.release()
        #expect(statuses == [0, 0])
        #expect(try bench.stored().checkpoint("org.test.a")?.data == [2])
    }

    @Test(
        "drops the checkpoint of an attempt that completes meanwhile, not of a failed one",
        arguments: [Outcome.completed, .failed])
    func checkpointOfTheEnded(_ outcome: Outcome) throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.submit("org.test.a")
        let writer = try StoreWriter(bench)
        var statuses: [Int32] = []
        bench.call(.putCheckpoint(version: 1, data: [1]), from: 1) { statuses.append($0.status) }
        bench.supervisor.end(1, outcome)
        try writer.release()
        let isDone = outcome == .completed
        #expect(statuses == [isDone ? BGRUN_E_STATE : BGRUN_OK])
        #expect(try bench.stored().checkpoint("org.test.a")?.data == (isDone ? nil : [1]))
        bench.submit("org.test.a")
        #expect(bench.supervisor.launched == [1, 2])
        #expect(bench.supervisor.works[2]?.launch.checkpoint?.data == (isDone ? nil : [1]))
        #expect(bench.host.waitsForStoreSince == nil)
    }

    @Test("begins before the sync of a push: its sender is answered when the push is on the disk")
    func push() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.p")).started()
        var answers: [Bool] = []
        bench.push("org.test.p") { result in
            answers.append((try? result.get()) != nil)
        }
        let writer = try StoreWriter(bench)
        bench.settle()
        bench.clock.advance(by: .seconds(3))
        #expect(answers == [] && bench.host.breakdown == nil)
        #expect(bench.log.lines.filter { $0.text.hasPrefix("Waiting for another") }.count == 1)
        try writer.release()
        #expect(answers == [true])
    }

    @Test("and that does not stop: the sender of a push learns that it is not stored")
    func pushGivesUp() throws {
        let bench = try HostBench(
            HostBench.pushTask("org.test.p"), rest: "policy: {profile: server, store_wait: 2s}")
        try bench.host.start()
        var answers: [Bool] = []
        bench.push("org.test.p") { result in
            answers.append((try? result.get()) != nil)
        }
        let writer = try StoreWriter(bench)
        bench.settle()
        bench.clock.advance(by: .seconds(3))
        #expect(answers == [false] && bench.host.breakdown == .busy(path: bench.path))
        try writer.letGo()
    }

    @Test("is reported once while a checkpoint waits, and ends the host after `store_wait`")
    func checkpointGivesUp() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a"), rest: "policy: {profile: server, store_wait: 2s}")
        try bench.host.start()
        bench.launch("org.test.a")
        let writer = try StoreWriter(bench)
        bench.call(.putCheckpoint(version: 1, data: [1]), from: 1)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.breakdown == nil)
        #expect(bench.log.lines.filter { $0.text.hasPrefix("Waiting for another") }.count == 1)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.host.breakdown == .busy(path: bench.path))
        try writer.letGo()
    }

    @Test("does not end a host whose manifest gets other hooks meanwhile")
    func hooks() throws {
        let tasks = HostBench.task("org.test.a")
        let bench = try HostBench(tasks).started()
        bench.settle()
        let writer = try StoreWriter(bench)
        bench.host.reload(
            try HostBench.manifest(
                tasks,
                """
                policy: {profile: server}
                hooks: [{on: completed, run: "true"}]
                """))
        bench.settle()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.breakdown == nil)
        try writer.release()
        bench.settle()
        #expect(bench.host.manifest.hooks.count == 1 && bench.host.breakdown == nil)
    }

    @Test("delays a launch, and the attempt's time limit begins at that launch")
    func time() throws {
        let bench = try HostBench(
            HostBench.task("org.test.a", "submit: manual\n  expiration: {after: 2s}"),
            rest: "policy: {profile: server, store_wait: 1m}"
        ).started()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.a")
        bench.clock.advance(by: .seconds(30))
        #expect(bench.supervisor.launched == [])
        try writer.release()
        let launch = try #require(bench.stored().running().first)
        let attempt = try #require(bench.host.engine.runningAttempt("org.test.a"))
        #expect(launch.attempt == attempt && bench.host.running.map(\.attempt) == [attempt])
        #expect(attempt.launched.wall > bench.host.now.advanced(by: .seconds(-1)))
        #expect(
            bench.supervisor.works[1]?.launch.deadlineBoottime
                == bench.clock.boottime(at: attempt.deadlineElapsed))
        let line = try #require(bench.log.lines.first { $0.text.contains("Starting") })
        #expect(line.at == attempt.launched.wall)
        bench.settle()
        let event = try bench.stored().events(limit: 9).first { $0.line.kind == "starting" }
        #expect(event?.line.at == attempt.launched)
        #expect(!bench.supervisor.calls.contains { if case .expire = $0 { true } else { false } })
        bench.clock.advance(by: .seconds(2))
        #expect(bench.supervisor.calls.contains { if case .expire = $0 { true } else { false } })
    }

    @Test("does not end the host if it unlocks the store while the machine sleeps")
    func sleep() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        let writer = try StoreWriter(bench)
        var answer: Reply?
        bench.submit("org.test.a") { answer = $0 }
        try writer.letGo()
        bench.clock.sleep(.minutes(5))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.host.breakdown == nil && bench.supervisor.launched == [1])
        guard case .accepted? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
    }

    @Test("lets a push expire afterwards, without checking for it repeatedly")
    func expiry() throws {
        let bench = try HostBench(
            HostBench.pushTask("org.test.p") + HostBench.task("org.test.a"),
            rest: "policy: {profile: apple}"
        ).started()
        for _ in 0..<2 {
            // The first push is delivered; the second one has to wait.
            bench.push("org.test.p", expires: bench.host.now.advanced(by: .seconds(2)))
        }
        bench.settle()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.a")
        bench.clock.advance(by: .seconds(5))
        #expect(bench.host.breakdown == nil)
        try writer.letGo()
        bench.clock.advance(by: .seconds(2))
        bench.settle()
        #expect(bench.log.has("its expiration has come"))
    }
}
