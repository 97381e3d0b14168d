// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("A launch with a missing resource", .timeLimit(.minutes(5)))
final class ImpossibleLaunchTests: SupervisorBench {
    private final class FullPoller: LoopPoller {
        func add(
            _ descriptor: Int32, for interest: EventLoop.Readiness, mark: UInt64
        ) throws(SystemFailure) { throw SystemFailure("epoll_ctl", code: ENOSPC) }

        func change(_ descriptor: Int32, to interest: EventLoop.Readiness, mark: UInt64) {}

        func remove(_ descriptor: Int32) {}

        func wait(mayBlock: Bool, _ ready: (_ mark: UInt64, EventLoop.Readiness) -> Void) {}
    }

    @Test("waits while the user may not watch more descriptors")
    func unwatched() {
        let supervisor = Supervisor(
            EventLoop(FullPoller()), executable: "/bin/true", limits: SupervisorLimits(.server),
            app: ScriptedWorkers.app("first"))
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        #expect(supervisor.prepare(Self.work(1)) == .short(.descriptors))
        #expect(supervisor.workers.count == 1)
        for pid in supervisor.workers.keys { SupervisorBench.kill(pid) }
    }

    /// A supervisor of at most this many workers.
    private func bounded(_ count: Int) -> Supervisor {
        let supervisor = Supervisor(
            loop, executable: "/bin/true", limits: SupervisorLimits(.server),
            app: ScriptedWorkers.app("first"), bound: (count, .processes))
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        return supervisor
    }

    @Test("waits while as many attempts run as the limits of the system have room for")
    func bound() {
        let supervisor = bounded(1)
        guard case .ready(let first) = supervisor.prepare(Self.work(1)) else {
            Issue.record("the first attempt has no worker")
            return
        }
        supervisor.launch(1)
        #expect(supervisor.prepare(Self.work(2)) == .short(.processes))
        SupervisorBench.kill(first.pid)
    }

    @Test("ends as many idle workers of other environments as it needs, the longest idle first")
    func endsIdleWorkers() throws {
        let supervisor = bounded(2)
        defer { for pid in supervisor.workers.keys { SupervisorBench.kill(pid) } }
        let idle = try (1...2).map { number in
            let work = Self.work(Int64(number), environment: ["N": "\(number)"])
            guard case .ready(let identity) = supervisor.prepare(work) else {
                throw CancellationError()
            }
            return try #require(supervisor.workers[identity.pid])
        }
        for worker in idle.reversed() { supervisor.keep(worker) }
        for attempt in Int64(3)...4 {
            let work = Self.work(attempt, environment: ["N": "\(attempt)"])
            guard case .ready = supervisor.prepare(work) else {
                Issue.record("attempt \(attempt) has no worker")
                return
            }
            #expect(idle.map(\.isEnding) == [attempt == 4, true])
        }
        let last = Self.work(5, environment: ["N": "5"])
        #expect(supervisor.prepare(last) == .short(.processes))
    }

    @Test("starts a worker if all that have room are idle and needed later, but no second one")
    func held() throws {
        let supervisor = bounded(1)
        defer { for pid in supervisor.workers.keys { SupervisorBench.kill(pid) } }
        let works = (1...3).map { Self.work($0, environment: ["N": "\($0)"]) }
        guard case .ready(let identity) = supervisor.prepare(works[0]) else {
            Issue.record("the first attempt has no worker")
            return
        }
        let held = try #require(supervisor.workers[identity.pid])
        supervisor.prepared.removeAll()
        supervisor.keep(held)
        held.heldFor = "org.test.a"
        guard case .ready = supervisor.prepare(works[1]) else {
            Issue.record("the second attempt has no worker")
            return
        }
        #expect(!held.isEnding)
        #expect(supervisor.prepare(works[2]) == .short(.processes))
    }

    @Test("ends all idle workers when a resource is short")
    func shortage() throws {
        let idle = try prepare(1)
        supervisor.keep(idle)
        supervisor.image = { _ in
            .failure(PluginRefusal(message: "open: Too many open files", shortage: .descriptors))
        }
        let work = Self.work(2, environment: ["N": "2"])
        #expect(supervisor.prepare(work) == .short(.descriptors))
        #expect(idle.isEnding && supervisor.warm.values.joined().isEmpty)
    }

    @Test("is refused if it is larger than one message to a worker")
    func tooLarge() {
        var work = Self.work(1)
        work.launch.parameters = String(repeating: " ", count: FrameBuffer.largestFrame)
        #expect(supervisor.prepare(work) == .refused)
        launch(1)
        #expect(ends[1]?.map(\.outcome) == [.refused] && supervisor.workers.isEmpty)
        let long = String(repeating: "a", count: FrameBuffer.largestFrame)
        supervisor.change(SupervisorLimits(.server), app: ScriptedWorkers.app(long))
        #expect(supervisor.prepare(Self.work(2)) == .refused)
        launch(2)
        #expect(ends[2]?.map(\.outcome) == [.refused] && supervisor.workers.isEmpty)
    }

    @Test("is refused with the name of a missing plugin")
    func unknownPlugin() throws {
        let supervisor = Supervisor(
            loop, executable: "/bin/true", limits: SupervisorLimits(.server),
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []))
        supervisor.onNotice = { [unowned self] in notices.append($0) }
        #expect(supervisor.prepare(Self.work(1, plugin: "photos")) == .refused)
        supervisor.launch(1, deadlineElapsed: nil)
        #expect(ends[1]?.map(\.message) == ["unknown plugin \"photos\""])
    }
}
