// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunHostSimulation
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Foundation
import Testing

/// The implementations of the store port.
enum StoreArm: String, CaseIterable, CustomTestStringConvertible {
    case real
    /// Its first change opens it for writing.
    case whenChanged
    case simulated

    var testDescription: String { rawValue }
}

/// A location for a store of one implementation, which can be opened repeatedly.
final class StoreBench {
    let arm: StoreArm
    private let directory: String
    let disk: SimulatedDisk

    init(_ arm: StoreArm) throws {
        self.arm = arm
        directory = NSTemporaryDirectory() + "bgrun-port-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        disk = SimulatedDisk(path: directory + "/bgrun.sqlite")
        if arm == .whenChanged { _ = try Store.open(path) }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var path: String { directory + "/bgrun.sqlite" }

    func open() throws -> any HostStore {
        switch arm {
        case .real: try Store.open(path)
        case .whenChanged: try Store.open(path, whenChanged: true)
        case .simulated: SimulatedStore(disk)
        }
    }
}

/// All data that a host reads from a store.
struct Reading: Equatable {
    var requests: [TaskRequest]
    var lastLaunches: [String: WallTime]
    var facts: AppFacts
    var nextRequest: Int64
    var nextAttempt: Int64
    var interrupted: [InterruptedAttempt]
    var cancelled: [InterruptedAttempt]
    var running: [RunningRow]
    var history: [HistoryRow]
    var checkpoints: [String: Checkpoint?]
    var output: [Int64: [String]]
    var firings: [StoredFiring]
    var hooks: [String: Int64]
    var visits: [String: Int64]
    var pushes: [PushMessage]
    var nextPush: Int64
    var damaged: Set<DamagedRow>

    init(_ store: any HostStore) throws {
        let (restoration, interrupted) = try store.restoration()
        requests = restoration.requests
        lastLaunches = restoration.lastLaunches
        facts = restoration.facts
        nextRequest = restoration.nextRequestID
        nextAttempt = restoration.nextAttemptID
        self.interrupted = interrupted
        cancelled = try store.cancelledAttempts()
        running = try store.running()
        history = try store.lastEnded(limit: 1_000)
        checkpoints = try store.checkpointed().reduce(into: [:]) {
            $0[$1] = try store.checkpoint($1)
        }
        output = try (0..<20).reduce(into: [:]) {
            $0[$1] = try store.lastOutput(attempt: $1, limit: 9)
        }
        firings = try store.firings()
        hooks = try store.rememberedOfHooks()
        visits = try store.visits()
        pushes = try store.heldPushes(of: nil)
        nextPush = try store.nextPushID()
        damaged = store.damaged
    }
}

extension TaskRequest {
    static func sample(_ id: Int64, _ identifier: String = "org.test.a") -> TaskRequest {
        TaskRequest(
            id: id, identifier: identifier, kind: .processing,
            submitted: WallTime(milliseconds: 1_000 + id))
    }
}

extension Attempt {
    static func sample(_ id: Int64, of request: TaskRequest) -> Attempt {
        Attempt(
            id: id, request: request, declaration: request.identifier, deadlineElapsed: 90_000,
            launched: .sample(id))
    }
}

extension Instant {
    static func sample(_ tick: Int64) -> Instant {
        Instant(elapsed: tick * 1_000_000, wall: WallTime(milliseconds: tick))
    }
}

extension StoreChange {
    static func end(_ attempt: Int64, _ outcome: Outcome = .completed, tick: Int64) -> StoreChange {
        .endAttempt(
            attempt: attempt, outcome, message: "m\(tick)", at: .sample(tick), entered: nil,
            outputDropped: 0)
    }
}

extension NumberedLine {
    static func sample(_ number: Int64, text: String) -> NumberedLine {
        NumberedLine(
            number: number,
            line: OutputLine(
                stream: .log, at: WallTime(milliseconds: number), text: "\(text), \(number)"))
    }
}

extension ProcessIdentity {
    static let sample = ProcessIdentity(pid: 7, startTicks: 8, bootID: "boot")
}

extension HostStore {
    func apply(_ changes: StoreChange..., durability: Durability = .normal) throws {
        try apply(changes, durability: durability, timeout: nil)
    }
}
