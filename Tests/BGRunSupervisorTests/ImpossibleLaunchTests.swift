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

    @Test("waits while as many attempts run as the limits of the system have room for")
    func bound() {
        let supervisor = Supervisor(
            loop, executable: "/bin/true", limits: SupervisorLimits(.server),
            app: ScriptedWorkers.app("first"),
            bound: AttemptBound(attempts: 1, resource: .processes))
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        guard case .ready(let first) = supervisor.prepare(Self.work(1)) else {
            Issue.record("the first attempt has no worker")
            return
        }
        supervisor.launch(1)
        #expect(supervisor.prepare(Self.work(2)) == .short(.processes))
        SupervisorBench.kill(first.pid)
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
