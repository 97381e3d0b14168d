// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Recovery of attempts whose host died", .timeLimit(.minutes(5)))
struct RecoveryTests {
    private func interrupted(times: Int = 0, identifier: String = "a") -> InterruptedAttempt {
        InterruptedAttempt(
            id: 5,
            request: TaskRequest(
                id: 2, identifier: identifier, kind: .processing,
                submitted: WallTime(milliseconds: 1), failures: 1, interruptions: times))
    }

    private let ids = Engine.Restoration(nextRequestID: 3, nextAttemptID: 6)

    @Test("an attempt is recorded as interrupted, and its request runs again without a failure")
    func requeued() throws {
        var world = World([.task("a")], restoring: ids)
        world.handle(.recover([interrupted()]))
        #expect(world.records.contains(.ended(identifier: "a", attempt: 5, .interrupted)))
        let stored = world.stored
        #expect(!world.isRunning("a"), "nothing is launched before the device is known")
        world.handle(.start)
        let attempt = try #require(world.engine.runningAttempt("a"))
        #expect(attempt.id == 6)
        #expect(attempt.request.id == 2)
        #expect(attempt.request.failures == 1)
        #expect(attempt.request.interruptions == 1)
        #expect(stored == [attempt.request])
    }

    @Test(
        "a request is given up if the host died too often during its attempts",
        arguments: [(2, true), (3, false)])
    func limit(times: Int, runsAgain: Bool) {
        var world = World([.task("a")], restoring: ids)
        world.handle(.recover([interrupted(times: times)]))
        #expect(world.stored.isEmpty == !runsAgain)
        world.handle(.start)
        #expect(world.isRunning("a") == runsAgain)
    }

    @Test("a periodic request that is given up continues with its next period")
    func periodic() {
        let restoration = Engine.Restoration(
            lastLaunches: ["a": World([]).wall.advanced(by: .hours(-1))], nextRequestID: 3,
            nextAttemptID: 6)
        var world = World([.task("a", every: .days(1))], restoring: restoration)
        world.handle(.recover([interrupted(times: 3)]))
        #expect(world.delay(of: "a") == .hours(23))
        #expect(world.engine.pendingRequest("a")?.interruptions == 0)
    }

    @Test("a request submitted during the attempt replaces the interrupted one, and is recorded")
    func superseded() {
        let next = TaskRequest(
            id: 3, identifier: "a", kind: .processing, submitted: WallTime(milliseconds: 2),
            earliest: World([]).wall.advanced(by: .hours(1)))
        var world = World(
            [.task("a")],
            restoring: Engine.Restoration(requests: [next], nextRequestID: 4, nextAttemptID: 6))
        world.handle(.recover([interrupted()]))
        #expect(world.engine.pendingRequests == [next])
        let old = interrupted(times: 1).request
        #expect(
            world.records == [
                .ended(identifier: "a", attempt: 5, .interrupted), .superseded(old, by: 3),
            ])
    }

    @Test("the request of a task that is no longer declared stays stored")
    func undeclared() {
        var world = World([.task("a")], restoring: ids)
        world.handle(.recover([interrupted(identifier: "gone")]))
        #expect(world.stored.map(\.identifier) == ["gone"])
        #expect(world.engine.isIdle)
    }

    @Test("the first of two stored requests with equal identifiers is pending")
    func storedTwice() {
        // SQLite distinguishes texts that are equal in Swift.
        let requests = zip(1..., ["a.\u{E9}", "a.e\u{301}"]).map {
            TaskRequest(
                id: $0, identifier: $1, kind: .processing, submitted: WallTime(milliseconds: 1))
        }
        let world = World(
            [.task("a.*")],
            restoring: Engine.Restoration(requests: requests, nextRequestID: 3))
        #expect(world.engine.pendingRequests.map(\.id) == [1])
    }

    @Test("a start after the recovery submits no second request")
    func thenStart() {
        var world = World(
            [.task("a", requires: .idle, submission: .launch)], restoring: ids)
        world.handle(.recover([interrupted()]))
        world.handle(.start)
        #expect(world.engine.pendingRequests.map(\.id) == [2])
    }

    @Test("a start does not submit a request that was pending or is running")
    func startWhileRunning() {
        let request = TaskRequest(
            id: 1, identifier: "a", kind: .processing, submitted: WallTime(milliseconds: 0))
        var world = World(
            [.task("a", submission: .launch)],
            restoring: Engine.Restoration(requests: [request], nextRequestID: 2))
        world.handle(.recover([]))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.isRunning("a"))
        world.handle(.start)
        #expect(!world.isPending("a"))
        world.end("a")
        #expect(world.engine.isIdle)
    }

    @Test("a launch during which the host died does not delay the next one")
    func spacing() {
        var facts = AppFacts()
        facts.spacedFrom["a"] = World([]).wall.advanced(by: .seconds(-10))
        var world = World(
            [.task("a", kind: .appRefresh)],
            restoring: Engine.Restoration(facts: facts, nextRequestID: 3, nextAttemptID: 6))
        let request = TaskRequest(
            id: 2, identifier: "a", kind: .appRefresh, submitted: WallTime(milliseconds: 1))
        world.handle(.recover([InterruptedAttempt(id: 5, request: request)]))
        world.handle(.start)
        #expect(world.isRunning("a"))
    }

    @Test("a launch that was withdrawn before the host ended does not delay the next one")
    func takenBack() {
        let refresh = TaskDeclaration.task("a", kind: .appRefresh)
        var world = World([refresh])
        world.submit("a")
        world.handle(.suspending(within: nil))
        world.end("a", .expired(.suspend, reported: false))
        var next = World(
            [refresh],
            restoring: Engine.Restoration(
                requests: world.engine.pendingRequests, lastLaunches: ["a": world.wall],
                facts: world.engine.appFacts, nextRequestID: 3, nextAttemptID: 6))
        next.handle(.start, after: .minutes(1))
        #expect(next.launched == ["a"])
    }

    @Test("a request that is useful only immediately is given up, whatever its task declares")
    func onlyImmediate() {
        let request = TaskRequest(
            id: 2, identifier: "a", kind: .continued, submitted: WallTime(milliseconds: 1),
            isOnlyImmediate: true)
        var world = World([.task("a", kind: .continued)], restoring: ids)
        world.handle(.recover([InterruptedAttempt(id: 5, request: request)]))
        #expect(world.records.last.map { if case .gaveUp = $0 { true } else { false } } == true)
        world.handle(.start)
        #expect(world.engine.isIdle)
    }
}
