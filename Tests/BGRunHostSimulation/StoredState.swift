// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunSystem

/// The content of a store as a value; changes follow the rules of the schema.
package struct StoredState: Sendable {
    /// Pending requests, by identifier.
    public private(set) var requests: [String: TaskRequest] = [:]
    /// Running attempts, by number.
    public private(set) var running: [Int64: RunningRow] = [:]
    public private(set) var history: [Int64: HistoryRow] = [:]
    public private(set) var checkpoints: [String: Checkpoint] = [:]
    private(set) var output: [Int64: [(number: Int64, text: String)]] = [:]
    private(set) var firings: [Int64: StoredFiring] = [:]
    public private(set) var pushes: [Int64: PushMessage] = [:]
    private(set) var facts: [String: Int64] = ["next-request": 1]

    /// Requests with recorded attempts; pruning keeps them here.
    public private(set) var recorded: Set<Int64> = []
    /// Requests that were removed or replaced.
    public private(set) var gone: Set<Int64> = []

    package init() {}

    /// Applies one change; after an error the state is undefined.
    mutating func apply(_ change: StoreChange, path: String) throws(StoreError) {
        switch change {
        case .putRequest(let request): put(request)
        case .removeRequest(let identifier):
            if let old = requests.removeValue(forKey: identifier) { gone.insert(old.id) }
        case .beginAttempt(let attempt, let worker):
            requests[attempt.request.identifier] = nil
            guard running[attempt.id] == nil else { throw Self.duplicate("running", path) }
            running[attempt.id] = RunningRow(attempt: attempt, worker: worker)
            guard attempt.declaration == attempt.request.identifier else { return }
            facts["launch:" + attempt.declaration] = attempt.launched.wall.milliseconds
        case .withdrawAttempt(let attempt):
            let request = running.removeValue(forKey: attempt)?.attempt.request
            // A newer request has replaced it.
            if let request, requests[request.identifier] != nil { gone.insert(request.id) }
            output[attempt] = nil
        case .expiring(let attempt, let reason, let instant):
            running[attempt]?.expiring = RunningRow.Expiring(reason: reason, at: instant.wall)
        case .endAttempt(let attempt, let outcome, let message, let instant, let entered, let lost):
            let row = try ended(attempt, outcome, message, instant, entered, lost, path)
            running[attempt] = nil
            if outcome == .interrupted { facts["cancelled:\(attempt)"] = nil }
            history[attempt] = row
            recorded.insert(row.request)
        case .cancelAttempt(let attempt): facts["cancelled:\(attempt)"] = 1
        case .putCheckpoint(let identifier, let version, let data):
            checkpoints[identifier] = Checkpoint(version: version, data: data)
        case .removeCheckpoint(let identifier): checkpoints[identifier] = nil
        case .remember(let entries):
            for entry in entries { facts["app:" + entry.name] = entry.value }
        case .output(let attempt, _, let text, _): write(text, number: 1, of: attempt)
        case .lastOutput(let attempt, let replaced, let lines):
            output[attempt]?.removeAll { replaced.contains($0.number) }
            for line in lines { write(line.line.text, number: line.number, of: attempt) }
        case .event: break
        case .putFiring(let firing):
            guard firings[firing.id] == nil else { throw Self.duplicate("firing", path) }
            firings[firing.id] = firing
        case .removeFiring(let id): firings[id] = nil
        case .rememberOfHooks(let name, let value): facts["hook:" + name] = value
        case .rememberVisit(let plugin, let date): facts["visit:" + plugin] = date.milliseconds
        case .holdPush(let message):
            guard pushes[message.id] == nil else { throw Self.duplicate("push", path) }
            pushes[message.id] = message
        case .dropPush(let id): pushes[id] = nil
        case .fetched(let attempt, let result): history[attempt]?.result = result
        case .processorTime(let attempt, let milliseconds):
            history[attempt]?.processor = .milliseconds(milliseconds)
        case .nextPush(let id): facts["next-push"] = id
        }
    }

    private static func duplicate(_ table: String, _ path: String) -> StoreError {
        .rejected(path: path, detail: "UNIQUE constraint failed: \(table)")
    }

    /// Adds a line with `number`, or with the next number if that is higher.
    private mutating func write(_ text: String, number: Int64, of attempt: Int64) {
        let next = (output[attempt]?.last?.number ?? 0) + 1
        output[attempt, default: []].append((max(number, next), text))
    }

    private mutating func put(_ request: TaskRequest) {
        if let old = requests[request.identifier], old.id != request.id { gone.insert(old.id) }
        gone.remove(request.id)
        requests[request.identifier] = request
        facts["next-request"] = max(facts["next-request"] ?? 1, request.id + 1)
    }

    private func ended(
        _ attempt: Int64, _ outcome: Outcome, _ message: String?, _ instant: Instant,
        _ entered: Interval?, _ outputDropped: Int64, _ path: String
    ) throws(StoreError) -> HistoryRow {
        guard let row = running[attempt] else { throw .notRunning(attempt: attempt) }
        guard history[attempt] == nil else { throw Self.duplicate("history", path) }
        let request = row.attempt.request
        let ran = instant.elapsed - row.attempt.launched.elapsed
        return HistoryRow(
            attempt: attempt, identifier: request.identifier, kind: request.kind,
            request: request.id, submitted: request.submitted, earliest: request.earliest,
            failures: request.failures, interruptions: request.interruptions,
            launched: row.attempt.launched.wall, ended: instant.wall,
            duration: outcome == .interrupted ? nil : Interval(nanoseconds: ran),
            entered: entered, outcome: outcome, message: message, worker: row.worker?.pid,
            outputDropped: outputDropped)
    }

    /// Removes old attempts except the newest `keepAttempts` of each identifier and the newest of all.
    mutating func prune(keepAttempts: Int, olderThan date: WallTime) {
        let newest = history.keys.max()
        for (_, rows) in Dictionary(grouping: history.values, by: \.identifier) {
            let newestFirst = rows.sorted { $0.attempt > $1.attempt }
            for row in newestFirst.dropFirst(keepAttempts)
            where row.ended < date && row.launched < date && row.attempt != newest {
                history[row.attempt] = nil
                output[row.attempt] = nil
            }
        }
    }

    // MARK: reading

    /// Whether a request is pending, running, recorded, or was removed.
    package func accounts(for request: Int64) -> Bool {
        recorded.contains(request) || gone.contains(request)
            || requests.values.contains { $0.id == request }
            || running.values.contains { $0.attempt.request.id == request }
    }

    var restoration: Engine.Restoration {
        let launches = entries("launch:").map { ($0.name, WallTime(milliseconds: $0.value ?? 0)) }
        let newest = max(history.keys.max() ?? 0, running.keys.max() ?? 0)
        return Engine.Restoration(
            requests: requests.values.sorted { $0.identifier < $1.identifier },
            lastLaunches: Dictionary(launches) { _, later in later },
            facts: AppFacts(entries: entries("app:")),
            nextRequestID: facts["next-request"] ?? 1, nextAttemptID: newest + 1)
    }

    /// The facts whose names begin with `prefix`, which is removed from the names.
    func entries(_ prefix: String) -> [Fact] {
        facts.filter { $0.key.hasPrefix(prefix) }
            .map { Fact(String($0.key.dropFirst(prefix.count)), $0.value) }
            .sorted { $0.name < $1.name }
    }

    var runningInOrder: [RunningRow] {
        running.values.sorted { $0.attempt.id < $1.attempt.id }
    }

    var nextPushID: Int64 {
        max((pushes.keys.max() ?? 0) + 1, facts["next-push"] ?? 1, 1)
    }
}
