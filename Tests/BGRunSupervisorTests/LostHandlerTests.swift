// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import Foundation
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("The handler of a continued task that was registered after init", .timeLimit(.minutes(5)))
final class LostHandlerTests: SupervisorBench {
    private func isLost(_ identifier: String = "org.test.a", plugin: String = "/bin/true") -> Bool {
        place(identifier, Self.work(1, plugin: plugin).key) == .lost
    }

    private func place(_ identifier: String, _ key: WorkerKey) -> HandlerPlace {
        supervisor.handlerPlace(of: identifier, key)
    }

    private func place(_ key: WorkerKey) -> HandlerPlace { place("org.test.a", key) }

    /// A worker that runs attempt 1 and has registered the handler of `identifier`.
    private func registering(
        _ identifier: String = "org.test.a", plugin: String = "/bin/true"
    ) throws -> WorkerProcess {
        let worker = try launched(1, .processing, plugin: plugin)
        say(.registered(Registration(identifier: identifier)), worker)
        return worker
    }

    private static func loaded(_ registrations: [Registration]) -> WorkerMessage {
        .loaded(
            WorkerMessage.Loaded(
                name: "p", version: nil, abiVersion: 0, flags: 0, handlers: ["default"],
                registrations: registrations))
    }

    @Test("is lost with its worker until another one has registered it")
    func lost() throws {
        #expect(!isLost(), "unknown")
        let worker = try registering()
        #expect(!isLost())
        die(worker)
        #expect(isLost())
        #expect(!isLost("org.test.b") && !isLost(plugin: "/bin/false"))
        _ = try registering()
        #expect(!isLost())
    }

    @Test("is lost with its worker also if the plugin was replaced after an earlier registration")
    func replacedPlugin() throws {
        let path = NSTemporaryDirectory() + "bgrun-plugin-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("one".utf8).write(to: URL(filePath: path), options: .atomic)
        die(try registering(plugin: path))
        #expect(isLost(plugin: path))
        try Data("two".utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(!isLost(plugin: path))
        die(try registering(plugin: path))
        #expect(isLost(plugin: path))
    }

    @Test("is lost under each name of a pattern")
    func pattern() throws {
        die(try registering("org.test.export.*"))
        #expect(isLost("org.test.export.photos") && !isLost())
    }

    @Test("is lost when its worker must end")
    func expired() throws {
        _ = try registering()
        supervisor.expire(1, .cancelled, grace: .seconds(1), deadlineElapsed: .max)
        #expect(isLost())
    }

    @Test("is not lost if workers register it in their init")
    func atInit() throws {
        die(try registering())
        let next = try prepare(2, .processing)
        say(Self.loaded([Registration(identifier: "org.test.b")]), next)
        #expect(isLost())
        let last = try prepare(3, .processing)
        say(Self.loaded([Registration(identifier: "org.test.*")]), last)
        #expect(!isLost())
    }

    @Test(
        "is not lost if a new worker registers it by another name, in any order",
        arguments: [
            ("org.test.export.*", "org.test.export.photos"),
            ("org.test.export.photos", "org.test.export.*"),
        ])
    func atInitByOtherName(early: String, late: String) throws {
        let worker = try launched(1, .processing)
        say(Self.loaded([Registration(identifier: early)]), worker)
        say(.registered(Registration(identifier: late)), worker)
        die(worker)
        #expect(!isLost("org.test.export.photos"))
        // Only the pattern includes this name.
        #expect(isLost("org.test.export.notes") == (late == "org.test.export.*"))
    }

    @Test("is in a process with another environment, unless workers register it in their init")
    func otherEnvironment() throws {
        let other = WorkerKey(plugin: "/bin/true", environment: ["A": "b"])
        #expect(place(other) == .available, "unknown")
        let worker = try registering()
        #expect(place(other) == .otherEnvironment)
        #expect(place("org.test.b", other) == .available)
        #expect(place(WorkerKey(plugin: "/bin/false", environment: [:])) == .available)
        // Workers of the other environment register it in their init; none has to be alive.
        let second = try launched(2, .processing, environment: other.environment)
        say(Self.loaded([Registration(identifier: "org.test.a")]), second)
        #expect(place(other) == .available)
        say(.registered(Registration(identifier: "org.test.b")), second)
        die(second)
        #expect(place(other) == .available)
        say(Self.loaded([Registration(identifier: "org.test.a")]), worker)
        #expect(place(other) == .available)
    }

    @Test("is not available at once while its worker runs an attempt")
    func busy() throws {
        let key = Self.work(1).key
        let worker = try registering()
        #expect(place(key) == .busy(attempt: 1))
        say(.registered(Registration(identifier: "org.test.b")), worker)
        #expect(place("org.test.b", key) == .busy(attempt: 1))
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0), worker)
        say(.idle(attempt: 1, leftovers: []), worker)
        #expect(place(key) == .available)
    }

    /// The pending requests, set by a test.
    private final class Pending: PendingHandlers {
        var identifiers: Set<String> = ["org.test.export.photos"]
        private let key = SupervisorBench.work(1).key

        func isPending(_ identifier: String, _ key: WorkerKey) -> Bool {
            key == self.key && identifiers.contains(identifier)
        }

        func firstPending(_ key: WorkerKey, where matches: (String) -> Bool) -> String? {
            key == self.key ? identifiers.first(where: matches) : nil
        }
    }

    /// Keeps an idle worker only while one of the returned requests needs it.
    private func keepNeededWorkersOnly() -> Pending {
        let pending = Pending()
        supervisor.pendingHandlers = pending
        var limits = SupervisorLimits(.server)
        limits.warmWorkers = 0
        changeManifest(limits)
        return pending
    }

    /// Lets the worker become idle after attempt 1.
    private func becomeIdle(_ worker: WorkerProcess) {
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0), worker)
        say(.idle(attempt: 1, leftovers: []), worker)
    }

    @Test(
        "stays in its idle worker, beyond the limits of the pool, while a pending request needs it",
        arguments: [false, true])
    func held(_ isTooLong: Bool) throws {
        let pending = Pending()
        supervisor.pendingHandlers = pending
        var limits = SupervisorLimits(.server)
        if isTooLong { limits.warmIdle = .zero } else { limits.warmWorkers = 0 }
        changeManifest(limits)
        let worker = try registering("org.test.export.*")
        becomeIdle(worker)
        if !isTooLong { supervisor.pendingRequestsChanged() }
        func look() {
            // The time limit of the suite cancels the task.
            guard worker.heldFor == nil, !worker.isEnding, !Task.isCancelled else {
                return loop.stop()
            }
            loop.inNextRound(look)
        }
        look()
        loop.run()
        supervisor.pendingRequestsChanged()
        #expect(worker.heldFor == "org.test.export.photos" && !worker.isEnding)
        #expect(place("org.test.export.photos", worker.key) == .available)
        pending.identifiers = ["org.test.export.notes"]
        supervisor.pendingRequestsChanged()
        #expect(worker.heldFor == "org.test.export.notes" && !worker.isEnding)
        pending.identifiers = ["org.test.a"]
        supervisor.pendingRequestsChanged()
        #expect(worker.isEnding && isLost("org.test.export.photos"))
    }

    @Test("stays in one of two idle workers that have it, beyond the limits of the pool")
    func heldOnce() throws {
        let pending = keepNeededWorkersOnly()
        let workers = [try prepare(1), try prepare(2)].sorted { $0.pid < $1.pid }
        for worker in workers { worker.dynamicIdentifiers = ["org.test.export.*"] }
        for worker in workers { supervisor.keep(worker) }
        supervisor.pendingRequestsChanged()
        #expect(!workers[0].isEnding && workers[1].isEnding)
        withExtendedLifetime(pending) {}
    }

    @Test("stays in one worker only when a further one that is preferred becomes idle")
    func heldAnew() throws {
        let pending = keepNeededWorkersOnly()
        let workers = [try prepare(1), try prepare(2)].sorted { $0.pid < $1.pid }
        for worker in workers { worker.dynamicIdentifiers = ["org.test.export.*"] }
        workers[0].work = RunningWork(attempt: 3)
        supervisor.keep(workers[1])
        supervisor.pendingRequestsChanged()
        #expect(workers[1].heldFor != nil && !workers[1].isEnding)
        workers[0].work = nil
        supervisor.keep(workers[0])
        supervisor.pendingRequestsChanged()
        #expect(!workers[0].isEnding && workers[1].isEnding)
        withExtendedLifetime(pending) {}
    }

    @Test(
        "stays in its worker until the engine has handled the requests before its end",
        arguments: [false, true])
    func submitted(_ isSubmitted: Bool) throws {
        let pending = keepNeededWorkersOnly()
        pending.identifiers = []
        let worker = try registering("org.test.export.*")
        becomeIdle(worker)
        #expect(!worker.isEnding && place("org.test.export.photos", worker.key) == .available)
        if isSubmitted { pending.identifiers = ["org.test.export.photos"] }
        supervisor.pendingRequestsChanged()
        #expect(worker.isEnding == !isSubmitted)
        #expect(isLost("org.test.export.photos") == !isSubmitted)
    }

    /// The moment at which a worker sends a request.
    enum Moment: CaseIterable {
        case beforeItsEnd, afterItsEnd
        /// Sent before the worker could be released, but not read yet.
        case unread
    }

    @Test(
        "stays in its worker until the host has handled a request with its end",
        arguments: Moment.allCases)
    func submittedAtEnd(_ moment: Moment) throws {
        let identifier = "org.test.export.photos"
        let pending = keepNeededWorkersOnly()
        pending.identifiers = []
        let worker = try registering("org.test.export.*")
        var places: [HandlerPlace] = []
        supervisor.onNotice = { [unowned self] notice in
            if case .call(_, _, let answer) = notice {
                places.append(place(identifier, worker.key))
                pending.identifiers = [identifier]
                answer(HostMessage.Answer(status: 0))
            }
            supervisor.pendingRequestsChanged()
        }
        let request = WorkerMessage.Call.submit(WorkerMessage.Request(identifier: identifier))
        let isOfAttempt = moment == .beforeItsEnd
        let call = WorkerMessage.call(attempt: isOfAttempt ? 1 : 0, call: 1, request)
        if moment == .beforeItsEnd { say(call, worker) }
        becomeIdle(worker)
        if moment == .afterItsEnd { say(call, worker) }
        if moment == .unread {
            try unread(call, of: worker) { settle() }
        } else {
            settle()
        }
        #expect(places == [.available])
        #expect(worker.heldFor == identifier && !worker.isEnding)
    }

    /// Runs `body` after the worker has sent `message` and before the host reads it.
    private func unread(
        _ message: WorkerMessage, of worker: WorkerProcess, _ body: () -> Void
    ) throws {
        let ends = try socketPair()
        let own = worker.control
        worker.control = Outlet(ends[0])
        defer {
            worker.control = own
            for end in ends { close(end) }
        }
        let frame = message.frame
        try #require(write(ends[1], frame, frame.count) == frame.count)
        body()
    }

    @Test("is not used for other work while an idle worker has no needed handlers")
    func unneeded() throws {
        let workers = [try prepare(1, .processing), try prepare(2, .processing)]
        for worker in workers {
            worker.dynamicIdentifiers = ["org.test.a"]
            supervisor.keep(worker)
        }
        workers[1].heldFor = "org.test.a"
        #expect(try prepare(3, .processing) === workers[0])
    }

    @Test("is not used for other work while a worker without it is idle")
    func spared() throws {
        let worker = try registering()
        let other = try prepare(2, .processing)
        supervisor.keep(other)
        becomeIdle(worker)
        #expect(try prepare(3, .processing) === other)
        #expect(try prepare(4, .processing) === worker)
    }

    @Test("is remembered for at most 1,000 names of all workers of a plugin")
    func most() throws {
        let workers = [try prepare(1, .processing), try prepare(2, .processing)]
        for number in 0..<1_000 {
            say(.registered(Registration(identifier: "org.test.\(number)")), workers[0])
        }
        say(.registered(Registration(identifier: "org.test.late")), workers[1])
        for worker in workers { die(worker) }
        #expect(isLost("org.test.999") && !isLost("org.test.late"))
    }

    @Test("is no longer remembered as lost after the plugin's file or the manifest has changed")
    func changed() throws {
        let path = FileManager.default.temporaryDirectory.path + "/bgrun-\(UUID().uuidString)"
        defer { unlink(path) }
        try Data("one".utf8).write(to: URL(filePath: path))
        die(try registering(plugin: path))
        #expect(isLost(plugin: path))
        try Data("two".utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(!isLost(plugin: path))

        die(try registering())
        #expect(isLost())
        changeManifest()
        #expect(!isLost())
    }

    private func changeManifest(_ limits: SupervisorLimits = SupervisorLimits(.server)) {
        supervisor.change(
            limits,
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []))
    }

    @Test(
        "is lost with its worker after a change of the manifest, which ends it if it is idle",
        arguments: [false, true])
    func changedBefore(_ isIdle: Bool) throws {
        let worker = try registering("org.test.export.*")
        if isIdle {
            worker.work = nil
            supervisor.busy[1] = nil
            supervisor.keep(worker)
        }
        changeManifest()
        // The change ends an idle worker: the handler is lost although the process still exists.
        #expect(isLost("org.test.export.photos") == isIdle)
        die(worker)
        #expect(isLost("org.test.export.photos") && !isLost())
    }

    @Test("is no longer remembered as lost if the changed manifest names another plugin file")
    func changedPath() throws {
        let worker = try registering()
        supervisor.image = { _ in
            .success(PluginImage(displayPath: "/bin/false", path: "/bin/false"))
        }
        changeManifest()
        die(worker)
        #expect(!isLost())
    }
}
