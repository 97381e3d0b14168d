// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Foundation
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("Launches and their workers", .timeLimit(.minutes(5)))
final class LaunchTests: SupervisorBench {
    @Test("an attempt whose worker has ended has the outcome of the worker's end")
    func dead() throws {
        die(try prepare(1))
        #expect(ends.isEmpty)
        launch(1)
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.crashed(signal: SIGKILL)])
        #expect(end[0].message == "while the plugin was loaded (its constructors, entry or init)")
        supervisor.kill(1)
        #expect(ends[1]?.count == 1)
    }

    @Test(
        "a report of the worker before the launch counts, even if the worker has ended",
        arguments: [true, false])
    func refused(_ isGone: Bool) throws {
        let worker = try prepare(1)
        say(.refused("the licence has run out"), worker)
        if isGone { die(worker) }
        launch(1)
        if !isGone { die(worker) }
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.refused] && end[0].message == "the licence has run out")
    }

    @Test("a worker receives the deadline of its attempt", arguments: [nil, 100] as [Int64?])
    func deadline(_ ofLaunch: Int64?) throws {
        let worker = try prepare(1)
        var expected = Self.work(1).launch
        if let ofLaunch { expected.deadlineBoottime = ofLaunch }
        let sent = try sent(to: worker, by: \.launch) {
            guard let ofLaunch else { return supervisor.launch(1) }
            supervisor.launch(1, deadlineElapsed: ofLaunch)
        }
        #expect(sent == HostMessage.launch(expected).frame)
    }

    @Test("a refusal and a lost channel of a worker are kept with its attempt")
    func signs() throws {
        let worker = try prepare(1)
        worker.signs.refusal = "early"
        launch(1)
        #expect(worker.work?.signs.refusal == "early")
        worker.signs.hasLostChannel = true
        let signs = try #require(worker.work?.signs)
        #expect(signs.refusal == "early" && signs.hasLostChannel)
    }

    @Test("registrations of a worker are accepted up to the limit")
    func registrations() throws {
        let worker = try prepare(1)
        for number in 0...1_000 {
            say(.registered(Registration(identifier: "org.test.\(number)")), worker)
        }
        #expect(worker.dynamicIdentifiers.count == 1_000)
    }

    @Test("an attempt whose worker lacked a resource before the launch is deferred")
    func short() throws {
        let worker = try prepare(1)
        say(.short(ENOMEM), worker)
        die(worker)
        launch(1)
        #expect(ends.isEmpty)
        let isDeferred = notices.contains {
            if case .deferred(attempt: 1, .memory) = $0 { true } else { false }
        }
        #expect(isDeferred)
    }

    /// A worker that runs attempt 1 and has registered the handler of attempt 2.
    private func needed() throws -> WorkerProcess {
        let worker = try launched(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        return worker
    }

    @Test("an attempt that needs the handlers of an ended worker is refused")
    func behindDead() throws {
        die(try needed())
        launch(2)
        #expect(ends[1]?.map(\.outcome) == [.crashed(signal: SIGKILL)])
        let end = try #require(ends[2])
        #expect(end.map(\.outcome) == [.refused])
        let reason = "org.test.a: the process that registered it has ended"
        #expect(end[0].message?.contains(reason) == true)
    }

    /// The notices about attempts that wait for their workers.
    private var waits: [String] {
        settle()
        return notices.compactMap { notice in
            switch notice {
            case .waits(let attempt): "\(attempt) waits"
            case .began(let attempt): "\(attempt) began"
            default: nil
            }
        }
    }

    @Test("an attempt that waits for its worker reports it, and has all of its time when it begins")
    func waiting() throws {
        let worker = try needed()
        #expect(waits == [])
        supervisor.launch(2, deadlineElapsed: 100)
        #expect(waits == ["2 waits"])
        let work = try #require(worker.waiting.first)
        let since = try #require(work.waitsSince)
        #expect(work.beginning(at: since + 50).launch.deadlineBoottime == 150)
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 1), worker)
        say(.idle(attempt: 1, leftovers: []), worker)
        #expect(waits == ["2 waits", "2 began"])
        #expect(worker.work?.attempt == 2 && supervisor.busy[2] === worker)
    }

    @Test("an attempt that waits for its worker ends when its time is revoked")
    func waitingExpires() throws {
        let worker = try needed()
        launch(2)
        supervisor.expire(2, .cancelled, grace: .seconds(1), deadlineElapsed: .max)
        #expect(ends[2]?.map(\.outcome) == [.expired(.cancelled, reported: false)])
        worker.work = nil
        #expect(!supervisor.startWaiting(in: worker) && waits == ["2 waits"])
    }

    @Test("an attempt that needs the handlers of an idle worker begins at once")
    func behindIdle() throws {
        let worker = try needed()
        worker.work = nil
        supervisor.busy[1] = nil
        #expect(supervisor.isAwaited(worker))
        launch(2)
        #expect(!supervisor.isAwaited(worker))
        #expect(worker.work?.attempt == 2 && worker.waiting.isEmpty)
        #expect(supervisor.busy[2] === worker && waits == [])
    }

    @Test("a worker ends when the launch that waits for its handlers is withdrawn")
    func withdrawn() throws {
        let worker = try needed()
        worker.work = nil
        supervisor.busy[1] = nil
        supervisor.withdraw(2)
        #expect(!supervisor.isAwaited(worker))
        #expect(worker.waitForEnd(milliseconds: 60_000))
    }

    @Test("a worker continues if a launch waits for it other than the withdrawn one")
    func withdrawnOne() throws {
        let worker = try prepare(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        supervisor.withdraw(2)
        #expect(!supervisor.hasWarmWorkers, "nothing was ended")
        launch(1)
        #expect(worker.work?.attempt == 1)
    }

    @Test("a worker continues its attempt when a launch that waits for it is withdrawn")
    func withdrawnBehind() throws {
        let worker = try needed()
        supervisor.withdraw(2)
        #expect(!supervisor.hasWarmWorkers, "nothing was ended")
        #expect(worker.work?.attempt == 1 && !supervisor.isAwaited(worker))
    }

    @Test("no end is awaited for a withdrawn launch whose worker has ended")
    func withdrawnDead() throws {
        die(try prepare(1))
        supervisor.withdraw(1)
        #expect(!supervisor.hasWarmWorkers)
    }

    @Test("the second of two attempts for the same idle worker waits for the first")
    func both() throws {
        let worker = try prepare(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        launch(1)
        launch(2)
        #expect(worker.work?.attempt == 1)
        #expect(worker.waiting.map(\.launch.attempt) == [2])
        die(worker)
        #expect(ends[1]?.count == 1 && ends[2]?.map(\.outcome) == [.refused])
    }

    @Test("a killed attempt ends even if its worker has ended")
    func killed() throws {
        let worker = try launched(1)
        worker.death = .signalled(SIGKILL)
        supervisor.forget(worker)
        #expect(ends.isEmpty)
        supervisor.kill(1)
        supervisor.kill(1)
        #expect(ends[1]?.map(\.outcome) == [.crashed(signal: SIGKILL)])
    }

    /// A worker that was kept after attempt 1.
    private func kept() throws -> WorkerProcess {
        let worker = try prepare(1)
        worker.work = nil
        supervisor.keep(worker)
        #expect(supervisor.hasWarmWorkers)
        return worker
    }

    @Test("a kept worker is used by one attempt only, also if that needs its handlers")
    func once() throws {
        let worker = try kept()
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        #expect(!supervisor.hasWarmWorkers)
        #expect(try prepare(3, .processing) !== worker)
    }

    @Test("a kept worker that continues at once is not stopped in between")
    func atOnce() throws {
        let worker = try kept()
        #expect(try prepare(2, .processing) === worker)
        launch(2)
        settle()
        #expect(worker.work?.attempt == 2 && !worker.isStopped)
    }

    @Test("a worker that becomes idle is not kept while a prepared launch waits for it")
    func awaited() throws {
        let worker = try needed()
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0), worker)
        say(.idle(attempt: 1, leftovers: []), worker)
        #expect(ends[1]?.map(\.outcome) == [.completed])
        #expect(!supervisor.hasWarmWorkers && !worker.isStopped)
        #expect(try prepare(3, .processing) !== worker)
        launch(2)
        #expect(worker.work?.attempt == 2)
    }

    @Test("an attempt does not run in a worker of another plugin, even if it has the handler")
    func otherPlugin() throws {
        let worker = try prepare(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2, .continued, plugin: "/bin/false") !== worker)
    }

    @Test("a kept worker is not used again after the plugin's file has changed")
    func changedFile() throws {
        let path = FileManager.default.temporaryDirectory.path + "/bgrun-\(UUID().uuidString)"
        defer { unlink(path) }
        try Data("one".utf8).write(to: URL(filePath: path))
        for isChanged in [false, true] {
            let worker = try prepare(isChanged ? 2 : 1, .processing, plugin: path)
            worker.work = nil
            supervisor.keep(worker)
            if isChanged { try Data("two".utf8).write(to: URL(filePath: path), options: .atomic) }
            let next = try prepare(isChanged ? 4 : 3, .processing, plugin: path)
            #expect((next === worker) == !isChanged)
        }
    }

    @Test("a launch waits if resources to inspect the plugin are missing, else is refused")
    func uninspected() throws {
        supervisor.image = { _ in
            .failure(PluginRefusal(message: "cannot be opened", shortage: .descriptors))
        }
        #expect(supervisor.prepare(Self.work(1)) == .short(.descriptors))
        supervisor.image = { _ in .failure(PluginRefusal(message: "cannot be opened")) }
        #expect(supervisor.prepare(Self.work(2)) == .refused)
        launch(2)
        #expect(ends[2]?.map(\.message) == ["cannot be opened"])
    }

    @Test(
        "a worker that is being killed or has died is used for no attempt",
        arguments: [true, false])
    func dying(isEnding: Bool) throws {
        let worker = try kept()
        if isEnding { supervisor.end(worker) } else { worker.death = .signalled(SIGKILL) }
        #expect(try prepare(2, .processing) !== worker)
    }

    @Test("a plugin's file stays open as long as its image is kept")
    func owner() {
        final class Owner {}
        weak var weakOwner: Owner?
        let image: PluginImage = {
            let owner = Owner()
            weakOwner = owner
            return PluginImage(displayPath: "a", path: "a", descriptor: 0, owner: owner)
        }()
        withExtendedLifetime(image) { #expect(weakOwner != nil) }
    }

    @Test("warm workers are awaited until the limit")
    func unretired() throws {
        let worker = try prepare(1)
        supervisor.keep(worker)
        var isDone = false
        supervisor.retireWarmWorkers { isDone = true }
        for _ in 0..<3 {
            loop.inNextRound { [loop] in loop.stop() }
            loop.run()
        }
        #expect(!isDone)
        supervisor.forget(worker)
        #expect(isDone)
    }

    @Test("the end of warm workers is reported when all have ended")
    func allRetired() throws {
        let workers = [try prepare(1), try prepare(2)]
        for worker in workers { supervisor.keep(worker) }
        var count = 0
        supervisor.retireWarmWorkers { count += 1 }
        supervisor.forget(workers[0])
        #expect(count == 0 && supervisor.hasWarmWorkers)
        supervisor.forget(workers[1])
        #expect(count == 1 && !supervisor.hasWarmWorkers)
    }

    @Test("a worker whose attempt must end is used for no other attempt")
    func told() throws {
        let worker = try launched(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        supervisor.expire(1, .suspend, grace: .seconds(1), deadlineElapsed: .max)
        #expect(try prepare(2) !== worker)
    }

    @Test("a worker that has ended, got SIGTERM or refused is used for no other attempt")
    func cannotContinue() throws {
        let signs: [(WorkerProcess) -> Void] = [
            { $0.death = .signalled(SIGKILL) }, { $0.isTerminating = true },
            { $0.signs.refusal = "the licence has run out" },
        ]
        for (number, show) in signs.enumerated() {
            let attempt = Int64(number * 2 + 1)
            let worker = try launched(attempt)
            worker.dynamicIdentifiers = ["org.test.a"]
            show(worker)
            #expect(try prepare(attempt + 1) !== worker, "sign \(number)")
        }
    }

    @Test("a reload ends the kept workers, which count until they have ended")
    func reloaded() throws {
        let worker = try kept()
        var killed: [pid_t] = []
        supervisor.makeSweep = { root, spared in
            killed.append(root)
            return KillSweep(below: root, sparing: spared)
        }
        supervisor.change(SupervisorLimits(.server), app: ScriptedWorkers.app("second"))
        #expect(killed == [worker.pid] && supervisor.hasWarmWorkers)
        supervisor.forget(worker)
        #expect(!supervisor.hasWarmWorkers)
    }

    @Test("a worker whose plugin was replaced is ended, and another one starts")
    func replaced() throws {
        let worker = try kept()
        worker.plugin = LoadedFile("/nonexistent")
        #expect(try prepare(2, .processing) !== worker)
        // The worker counts until it has ended.
        #expect(supervisor.hasWarmWorkers)
        supervisor.forget(worker)
        #expect(!supervisor.hasWarmWorkers)
    }

    @Test("a worker that got SIGTERM is not kept, even if it becomes idle")
    func terminated() throws {
        let worker = try launched(1)
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0), worker)
        supervisor.terminate(1)
        say(.idle(attempt: 1, leftovers: []), worker)
        #expect(!supervisor.hasWarmWorkers && ends.isEmpty)
        die(worker)
        #expect(ends[1]?.map(\.outcome) == [.completed])
    }
}
