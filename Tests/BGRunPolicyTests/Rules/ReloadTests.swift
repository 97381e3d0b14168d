// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A changed manifest", .timeLimit(.minutes(5)))
struct ReloadTests {
    /// A world in which "a" runs and "b" waits for power.
    private func world() -> World {
        var world = World(
            [.task("a"), .task("b", requires: .externalPower)], policy: .atOnce(2))
        world.submit("a")
        world.submit("b")
        return world
    }

    @Test("an attempt whose task changes ends within its grace, and its request is pending again")
    func stopped() throws {
        var world = world()
        let request = try #require(world.engine.runningAttempt("a")).request
        world.handle(.manifestChanged(stopping: [1]))
        #expect(world.expired == [.manifestChanged])
        world.end("a", .expired(.manifestChanged, reported: false))
        #expect(world.engine.pendingRequest("a") == request)
    }

    @Test("nothing is launched between the manifests, and a trigger is refused")
    func held() {
        var world = world()
        world.handle(.manifestChanged(stopping: [1]))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)))
        #expect(world.launchCount == 1)
        #expect(world.reason("b") == .reloading)
        let explanation = world.engine.explain("b", at: world.wall)
        #expect(explanation?.lines.contains { $0.name == "manifest" && !$0.satisfied } == true)
        world.handle(.trigger(Submission(identifier: "b"), ticket: 7))
        guard case .refused(.notImmediately) = world.reply else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
    }

    @Test("an attempt of a task that the new manifest lacks delays the change")
    func keptOut() {
        var world = world()
        world.handle(.manifestChanged(stopping: [1]))
        world.reload([.task("b")])
        #expect(world.engine.isReloading)
        world.end("a", .expired(.manifestChanged, reported: true))
        world.reload([.task("b")])
        world.handle(.manifestLoaded(added: []))
        #expect(world.engine.pendingRequest("a") == nil)
    }

    @Test("a pending request waits for the new requirements, and keeps its waiting time")
    func waits() throws {
        var world = world()
        let since = world.wall
        world.handle(.manifestChanged(stopping: []), after: .hours(1))
        world.reload([.task("a"), .task("b", requires: .unmeteredNetwork)])
        world.handle(.manifestLoaded(added: []))
        #expect(world.records == [.manifestLoaded])
        #expect(world.reason("b") == .conditions(.unmeteredNetwork))
        #expect(try #require(world.engine.pendingRequest("b")).submitted == since)
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a"), .task("b")])
        world.handle(.manifestLoaded(added: []))
        #expect(world.launched == ["b"])
    }

    @Test("an attempt keeps its time, and loses it with the new requirements")
    func runs() throws {
        var world = world()
        let deadline = try #require(world.engine.runningAttempt("a")).deadlineElapsed
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a", requires: .idle, timeLimit: .seconds(1)), .task("b")])
        world.handle(.manifestLoaded(added: []))
        #expect(world.engine.runningAttempt("a")?.deadlineElapsed == deadline)
        #expect(world.expired == [.userActive])
    }

    @Test("new tasks are submitted, and other tasks are not submitted again")
    func added() {
        var world = World([.task("a", submission: .launch)], policy: .atOnce(2))
        world.handle(.start)
        world.end("a")
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("c", submission: .launch), .task("a", submission: .launch)])
        world.handle(.manifestLoaded(added: ["c"]))
        #expect(world.launched == ["c"])
    }

    @Test("requests that only the new manifest declares are loaded from the store")
    func stored() {
        var world = world()
        let request = TaskRequest(
            id: 90, Submission(identifier: "c"), .task("c"), now: world.wall)
        world.handle(.manifestChanged(stopping: []))
        world.reload(
            [.task("a"), .task("b", requires: .externalPower), .task("c")],
            stored: Engine.Restoration(requests: [request]))
        world.handle(.manifestLoaded(added: []))
        #expect(world.launched == ["c"])
    }

    @Test(
        "a task keeps the spacing from its last launch, and of its own submissions")
    func spacing() {
        let refresh = TaskDeclaration.task("r", kind: .appRefresh)
        var world = World([refresh])
        world.handle(.appOpened(ticket: nil))
        world.submit("r")
        world.passUntilTimer()
        #expect(world.isRunning("r"))
        world.submit("r")
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("new"), refresh])
        world.handle(.manifestLoaded(added: []))
        #expect(world.isPending("r"))
        world.end("r")
        #expect(world.reason("r").map { if case .factor = $0 { true } else { false } } == true)
    }

    @Test("a budget that the new manifest removes limits no attempt")
    func budget() {
        var policy = Policy.apple
        policy.pushSpacing = .zero
        let task = TaskDeclaration.task("p", kind: .push, timeLimit: .hours(1))
        var world = World([task], policy: policy, device: .battery)
        world.submit("p")
        world.handle(.manifestChanged(stopping: []))
        policy.budget = .zero
        world.reload([task], policy: policy)
        world.handle(.manifestLoaded(added: []))
        world.handle(.timer, after: .minutes(30))
        #expect(world.expired.isEmpty && world.isRunning("p"))
    }

    @Test("a penalty that the new manifest removes delays no request")
    func penalty() {
        var world = World([.task("a", kind: .processing)], policy: .atOnce(2))
        world.submit("a")
        world.end("a", .expired(.time, reported: nil))
        world.submit("a")
        #expect(world.launched.isEmpty)
        world.handle(.manifestChanged(stopping: []))
        var policy = Policy.atOnce(2)
        policy.missedCompletionPenalty = .zero
        world.reload([.task("a", kind: .processing)], policy: policy)
        world.handle(.manifestLoaded(added: []))
        #expect(world.launched == ["a"])
    }

    @Test("a request keeps its date")
    func date() {
        var world = World([.task("a")], policy: .atOnce(2))
        world.submit("a", delay: .hours(2))
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a")])
        world.handle(.manifestLoaded(added: []))
        #expect(world.launched.isEmpty)
        world.handle(.timer, after: .hours(1))
        #expect(world.launched.isEmpty)
        world.handle(.timer, after: .hours(1))
        #expect(world.launched == ["a"])
    }

    @Test("admission stays closed")
    func closed() {
        var world = World([.task("a")])
        world.handle(.closeAdmission)
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a")])
        world.handle(.manifestLoaded(added: []))
        world.submit("a")
        #expect(world.launched == [] && world.reason("a") == .notAdmitted)
    }

    @Test("a shortage of the machine continues, and launches wait for its end")
    func shortage() {
        var world = World([.task("a")], policy: .atOnce(2))
        world.submit("a")
        world.handle(.launchDeferred([1], .memory))
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a")])
        world.handle(.manifestLoaded(added: []))
        #expect(world.launched == [] && world.reason("a") == .resources(.memory))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
    }

    @Test("after a later withdrawal the spacing counts from the launch before it")
    func takenBack() {
        var world = World([.task("a")])
        let first = world.wall
        world.submit("a")
        world.end("a", after: .minutes(1))
        world.submit("a")
        #expect(world.isRunning("a"))
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a")])
        world.handle(.manifestLoaded(added: []))
        world.handle(.suspending(within: nil))
        world.end("a", .expired(.suspend, reported: false))
        world.submit("a", isFromApp: true)
        world.handle(.resumed)
        let spacing = Policy.apple.processingSpacing
        #expect(world.reason("a") == .factor(.rateLimit, until: first.advanced(by: spacing)))
    }
}
