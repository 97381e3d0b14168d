// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunStorage

/// The store of one host, on a simulated disk.
package final class SimulatedStore: HostStore {
    package let path: String
    package let damaged: Set<DamagedRow> = []
    private let disk: SimulatedDisk
    /// The number of the opened files.
    private let files: Int
    /// Called before and after each access; throws when the process has died there.
    var accessed: (Moment) throws(StoreError) -> Void = { _ throws(StoreError) in }
    /// Called when the store was busy, with the time the caller was willing to wait.
    var waited: (Interval) -> Void = { _ in }
    /// Called with the changes of each commit.
    var committed: ([StoreChange], Durability) -> Void = { _, _ in }

    enum Moment {
        case before
        case after
    }

    package init(_ disk: SimulatedDisk) {
        self.disk = disk
        path = disk.path
        files = disk.files
    }

    private func access<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try accessed(.before)
        let value = try body()
        try accessed(.after)
        return value
    }

    package func checkFiles() throws(StoreError) {
        try access { () throws(StoreError) in try checkOpened() }
    }

    private func checkOpened() throws(StoreError) {
        if disk.files != files { throw .replaced(path: path) }
    }

    package func apply(
        _ changes: [StoreChange], durability: Durability, timeout: Interval?
    ) throws(StoreError) {
        guard !changes.isEmpty else { return }
        try access { () throws(StoreError) in
            if durability == .full { try checkOpened() }
            if disk.isBusy { waited(timeout ?? .seconds(5)) }
            try disk.commit(changes, durability)
            committed(changes, durability)
        }
    }

    package func prune(
        keepAttempts: Int, olderThan date: WallTime, rows: Int, timeout: Interval?
    ) throws(StoreError) -> Bool {
        try access { () throws(StoreError) in
            try checkOpened()
            if disk.isBusy { waited(timeout ?? .seconds(5)) }
            try disk.prune(keepAttempts: keepAttempts, olderThan: date)
            return false
        }
    }

    package func restoration() throws(StoreError) -> (Engine.Restoration, [InterruptedAttempt]) {
        try access { () throws(StoreError) in
            (disk.current.restoration, openAttempts(isCancelled: false))
        }
    }

    package func cancelledAttempts() throws(StoreError) -> [InterruptedAttempt] {
        try access { () throws(StoreError) in openAttempts(isCancelled: true) }
    }

    private func openAttempts(isCancelled: Bool) -> [InterruptedAttempt] {
        let cancelled = Set(disk.current.entries("cancelled:").map(\.name))
        return disk.current.runningInOrder
            .filter { cancelled.contains(String($0.attempt.id)) == isCancelled }
            .map { InterruptedAttempt(id: $0.attempt.id, request: $0.attempt.request) }
    }

    package func running() throws(StoreError) -> [RunningRow] {
        try access { () throws(StoreError) in disk.current.runningInOrder }
    }

    package func lastEnded(limit: Int) throws(StoreError) -> [HistoryRow] {
        try access { () throws(StoreError) in
            let rows = disk.current.history.values.sorted {
                ($0.ended, $0.attempt) > ($1.ended, $1.attempt)
            }
            return Array(rows.prefix(limit))
        }
    }

    package func checkpointed() throws(StoreError) -> Set<String> {
        try access { () throws(StoreError) in Set(disk.current.checkpoints.keys) }
    }

    package func checkpoint(_ identifier: String) throws(StoreError) -> Checkpoint? {
        try access { () throws(StoreError) in disk.current.checkpoints[identifier] }
    }

    package func lastOutput(attempt: Int64, limit: Int) throws(StoreError) -> [String] {
        try access { () throws(StoreError) in
            (disk.current.output[attempt] ?? []).suffix(limit).map(\.text)
        }
    }

    package func firings() throws(StoreError) -> [StoredFiring] {
        try access { () throws(StoreError) in
            disk.current.firings.values.sorted { $0.id < $1.id }
        }
    }

    package func rememberedOfHooks() throws(StoreError) -> [String: Int64] {
        try access { () throws(StoreError) in remembered("hook:") }
    }

    package func visits() throws(StoreError) -> [String: Int64] {
        try access { () throws(StoreError) in remembered("visit:") }
    }

    private func remembered(_ prefix: String) -> [String: Int64] {
        disk.current.entries(prefix).reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    package func heldPushes(of identifier: String?) throws(StoreError) -> [PushMessage] {
        try access { () throws(StoreError) in
            disk.current.pushes.values
                .filter { identifier == nil || $0.identifier == identifier }
                .sorted { $0.id < $1.id }
        }
    }

    package func nextPushID() throws(StoreError) -> Int64 {
        try access { () throws(StoreError) in disk.current.nextPushID }
    }
}
