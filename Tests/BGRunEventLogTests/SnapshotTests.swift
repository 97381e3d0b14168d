// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Testing

@testable import BGRunEventLog

@Suite("The snapshot of an engine", .timeLimit(.minutes(10)))
struct SnapshotTests {
    @Test(
        "an engine from a snapshot makes the same decisions as the original",
        arguments: 1...60 as ClosedRange<UInt64>)
    func twins(seed: UInt64) throws {
        var run = RandomRun(seed: seed)
        var twin = run.engine
        var launches = 0
        for step in 0..<400 {
            if step.isMultiple(of: 7) { twin = try Self.copy(run.engine) }
            let happened = run.step()
            var noted = Noted(number: happened.random ?? 0)
            let actions = twin.handle(happened.event, at: happened.at, using: &noted)
            try #require(actions == happened.actions, "seed \(seed), step \(step)")
            try #require(noted.isDrawn == (happened.random != nil))
            launches += actions.count { if case .launch = $0 { true } else { false } }
        }
        #expect(launches > 0, "seed \(seed)")
    }

    @Test("a stored property of the engine is in its snapshot, or follows from the configuration")
    func properties() throws {
        var engine = Engine(
            Engine.Configuration(
                permitted: ["a"],
                declarations: [TaskDeclaration(identifier: "a", kind: .continued)],
                modes: [], policy: .server), device: DeviceState())
        var noted = Noted(number: 0)
        let now = Instant(elapsed: 0, wall: WallTime(milliseconds: 0))
        _ = engine.handle(.start, at: now, using: &noted)
        #expect(
            Self.names(engine) == [
                "setup", "contendedSince", "suspendingSince", "reloadingSince", "share", "device",
                "facts",
                "pending",
                "running", "tasks",
                "groups", "runningByKind", "gate", "gateSeen", "gateFlips", "conditionsSince",
                "factorsSince", "nextRequestID", "nextAttemptID", "isShuttingDown", "expiry",
                "random", "isLate", "shortage",
                "wake",
            ])
        #expect(
            Self.names(try Self.part(engine, "gate")) == [
                "conditions", "factors", "powerWait", "fullKinds", "fullGroups", "lastID",
                "notBefore",
            ])
        let task = try #require((try Self.part(engine, "tasks") as? [Any])?.first)
        // `expiry` is computed again from the declaration and the request.
        #expect(
            Self.names(task) == [
                "declaration", "requestClass", "regularSpacing", "lastLaunch", "spacedFrom",
                "spacedBefore",
                "hasYielded", "expiry",
            ])
        let attempt = try #require((try Self.part(engine, "running") as? [Any])?.first)
        #expect(
            Self.names(attempt) == [
                "attempt", "task", "requestClass", "grace", "isForced", "spendingSince",
                "hasFollower",
                "progress",
                "assertions", "hasLeakedAssertion", "rung",
            ])
        #expect(
            Self.names(try #require(engine.snapshot.running.first?.progress)) == [
                "completed", "total", "movedAt", "isWarned", "warning", "limit",
            ])
        // `numbering` affects only lists that this process sends.
        #expect(
            Self.names(try Self.part(engine, "pending")) == [
                "requests", "places", "freeSlots", "slotByIdentifier", "delayed", "requestClasses",
                "ready",
                "countByKind", "parked", "staleEntries", "lastStamp", "numbering",
            ])
    }

    enum Forgery: CaseIterable {
        case genuine, repeatedAttempt, repeatedIdentifier, hiddenFollower
    }

    @Test(
        "a snapshot with an attempt or identifier that runs twice, or a hidden follower, is refused",
        arguments: Forgery.allCases)
    func forged(_ forgery: Forgery) throws {
        var policy = Policy.server
        policy.concurrentAttempts = 2
        let declarations = ["a", "b"].map {
            TaskDeclaration(identifier: $0, kind: .processing, submission: .manual, overlap: .queue)
        }
        var engine = Engine(
            Engine.Configuration(
                permitted: ["a", "b"], declarations: declarations, modes: [.processing],
                policy: policy), device: DeviceState())
        let now = Instant(elapsed: 5, wall: WallTime(milliseconds: 1_000_000))
        var noted = Noted(number: 0)
        for identifier in ["a", "b", "a"] {
            let submission = Submission(identifier: identifier)
            _ = engine.handle(.submit(submission, ticket: nil), at: now, using: &noted)
        }
        var snapshot = engine.snapshot
        try #require(snapshot.running.map(\.attempt.request.identifier) == ["a", "b"])
        try #require(snapshot.pending.map(\.request.identifier) == ["a"])
        switch forgery {
        case .genuine: break
        case .repeatedAttempt:
            snapshot.running[1].attempt.id = snapshot.running[0].attempt.id
        case .repeatedIdentifier:
            snapshot.pending = []
            snapshot.running[1].attempt.request = snapshot.running[0].attempt.request
        case .hiddenFollower: snapshot.running[0].hasFollower = false
        }
        var writer = WireWriter()
        writer.put(
            JournalRecord.beginning(
                JournalRecord.Beginning(
                    version: "test", app: "org.test.app", at: now, origin: .host,
                    configuration: engine.configuration, snapshot: snapshot)))
        var reader = WireReader(writer.bytes)
        var replay = Replay()
        switch replay.take(try JournalRecord(from: &reader)) {
        case .began: #expect(forgery == .genuine)
        case .senseless: #expect(forgery != .genuine)
        case let step: Issue.record("\(step)")
        }
    }

    private static func part(_ value: Any, _ name: String) throws -> Any {
        try #require(Mirror(reflecting: value).children.first { $0.label == name }?.value)
    }

    private static func names(_ value: Any) -> Set<String> {
        Set(Mirror(reflecting: value).children.compactMap(\.label))
    }

    private static func copy(_ engine: Engine) throws -> Engine {
        var writer = WireWriter()
        writer.put(engine.configuration)
        writer.put(engine.snapshot)
        var reader = WireReader(writer.bytes)
        let configuration = try Engine.Configuration(from: &reader)
        return try #require(
            Engine(configuration, try Engine.Snapshot(from: &reader)))
    }
}
