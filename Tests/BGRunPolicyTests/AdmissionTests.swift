// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Admission of requests", .timeLimit(.minutes(5)))
struct AdmissionTests {
    @Test("an identifier that is not permitted is refused, with the nearest one that is")
    func permission() {
        var world = World([.task("com.app.refresh")])
        #expect(
            world.submit("com.app.Refresh")
                == .refused(
                    .notPermitted(identifier: "com.app.Refresh", nearest: "com.app.refresh"))
        )
        #expect(
            world.submit("org.other")
                == .refused(
                    .notPermitted(identifier: "org.other", nearest: nil)))
    }

    @Test("a task that only a pattern permits is suggested for a similar last part")
    func lastPart() {
        var world = World([.task("com.app.refresh")], permitted: ["com.app.*"])
        #expect(
            world.submit("refresh")
                == .refused(.notPermitted(identifier: "refresh", nearest: "com.app.refresh")))
    }

    @Test("a permitted identifier that no task handles is refused")
    func handler() {
        var world = World([.task("a")], permitted: ["a", "b"])
        #expect(world.submit("b") == .refused(.noHandler(identifier: "b", nearest: nil)))
    }

    @Test(
        "each kind needs its mode",
        arguments: [
            (TaskKind.appRefresh, Mode.fetch), (.processing, .processing),
            (.push, .remoteNotification),
        ])
    func mode(kind: TaskKind, mode: Mode) {
        var without = World([.task("a", kind: kind)], modes: Set(Mode.allCases).subtracting([mode]))
        #expect(
            without.submit("a") == .refused(.modeMissing(identifier: "a", kind: kind, mode: mode)))
        var only = World([.task("a", kind: kind)], modes: [mode])
        only.submit("a")
        #expect(only.launched == ["a"])
    }

    @Test(
        "1 app-refresh, 10 processing and 10 push requests may be pending",
        arguments: [(TaskKind.appRefresh, 1), (.processing, 10), (.push, 10)])
    func pendingLimit(kind: TaskKind, limit: Int) {
        let identifiers = (0...limit).map { "task\($0)" }
        var world = World(identifiers.map { .task($0, kind: kind, earliest: .hours(1)) })
        for identifier in identifiers.dropLast() {
            world.submit(identifier)
            #expect(world.isPending(identifier))
        }
        #expect(
            world.submit(identifiers[limit]) == .refused(.tooManyPending(kind: kind, limit: limit)))
        #expect(!world.isPending(identifiers[limit]))
    }

    @Test("a replacement is accepted at the limit, and a cancelled request makes room")
    func atTheLimit() {
        var world = World([
            .task("a", kind: .appRefresh, earliest: .hours(1)),
            .task("b", kind: .appRefresh, earliest: .hours(1)),
        ])
        world.submit("a")
        world.submit("a")
        #expect(world.isPending("a"))
        world.handle(.cancel(identifier: "a", ticket: nil))
        world.submit("b")
        #expect(world.isPending("b"))
    }

    @Test("each kind is counted separately")
    func kindsApart() {
        var world = World([
            .task("a", kind: .appRefresh, earliest: .hours(1)), .task("b", earliest: .hours(1)),
        ])
        world.submit("a")
        world.submit("b")
        #expect(world.engine.pendingRequests.map(\.identifier) == ["a", "b"])
    }

    @Test("a running attempt does not count as pending")
    func runningIsNotPending() {
        var world = World([.task("a", kind: .appRefresh), .task("b", kind: .appRefresh)])
        world.submit("a")
        world.submit("b")
        #expect(world.isRunning("a") && world.isRunning("b"))
    }

    @Test("a request that the system requeues is never refused because of the limit")
    func requeueAtTheLimit() {
        var world = World([
            .task("a", kind: .appRefresh), .task("b", kind: .appRefresh, earliest: .hours(1)),
        ])
        world.submit("a")
        world.submit("b")
        world.end("a", .expired(.powerLost, reported: nil))
        #expect(world.isRunning("a"))
        #expect(world.isPending("b"))
    }

    @Test("a submission replaces the pending request of its identifier completely")
    func replacement() throws {
        var world = World([.task("a")])
        world.submit("a", delay: .hours(1), parameters: "{\"n\":1}")
        let first = try #require(world.engine.pendingRequest("a"))
        let reply = world.submit("a", delay: .hours(2))
        let second = try #require(world.engine.pendingRequest("a"))
        #expect(reply == .accepted(second, replaced: first.id))
        #expect(second.id > first.id)
        #expect(second.parameters == nil)
        #expect(world.delay(of: "a") == .hours(2))
        #expect(world.engine.pendingRequests == [second])
    }

    @Test("a request is stored before it is acknowledged")
    func storedFirst() throws {
        var world = World([.task("a", earliest: .hours(1))])
        world.submit("a")
        let store = try #require(
            world.actions.firstIndex { if case .store = $0 { true } else { false } })
        let reply = try #require(
            world.actions.firstIndex { if case .reply = $0 { true } else { false } })
        #expect(store < reply)
    }

    @Test("identifiers under a wildcard have separate requests")
    func wildcard() {
        var world = World([.task("com.app.export.*", earliest: .hours(1))])
        world.submit("com.app.export.one")
        world.submit("com.app.export.two")
        #expect(
            world.engine.pendingRequests.map(\.identifier) == [
                "com.app.export.one", "com.app.export.two",
            ])
    }

    @Test("ids increase and are never reused, regardless of the end of their requests")
    func ids() throws {
        var world = World(
            [.task("a", earliest: .hours(1))],
            restoring: Engine.Restoration(nextRequestID: 40, nextAttemptID: 90))
        var requests: [Int64] = []
        var attempts: [Int64] = []
        for _ in 0..<3 {
            world.submit("a")
            requests.append(try #require(world.engine.pendingRequest("a")).id)
            world.handle(.cancel(identifier: "a", ticket: nil))
            world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
            let attempt = try #require(world.engine.runningAttempt("a"))
            requests.append(attempt.request.id)
            attempts.append(attempt.id)
            world.end("a")
        }
        #expect(requests == Array(40..<46))
        #expect(attempts == [90, 91, 92])
    }

    @Test("a refused submission at launch is recorded")
    func refusedAtLaunch() {
        var world = World([
            .task("a", kind: .appRefresh, earliest: .hours(1), submission: .launch),
            .task("b", kind: .appRefresh, submission: .launch),
        ])
        world.handle(.start)
        #expect(
            world.records.contains(.refused("b", .tooManyPending(kind: .appRefresh, limit: 1))))
    }

    @Test(
        "an invalid identifier is not permitted, whatever the pattern",
        arguments: [
            "a.\n", "a.\u{0}", "a.*", "a..b", "a.b.", String(repeating: "a.", count: 200) + "a",
        ])
    func malformed(_ identifier: String) {
        var world = World([.task("a.*")], permitted: ["a.*"])
        #expect(
            world.submit(identifier)
                == .refused(.notPermitted(identifier: identifier, nearest: nil)))
    }
}
