// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// What a host needs of its store: `Store`, or a simulated one.
/// Belongs to the loop's thread. The same tests run against every implementation (StorePortTests).
package protocol HostStore: FeatureStore {
    /// The file that is named in messages.
    var path: String { get }
    /// Damaged rows found while reading.
    var damaged: Set<DamagedRow> { get }

    /// Throws `replaced` when the files are not those that were opened.
    func checkFiles() throws(StoreError)
    /// Makes all of `changes`, in order, or none; what is stored then is as sure as `durability` says.
    func apply(
        _ changes: [StoreChange], durability: Durability, timeout: Interval?
    ) throws(StoreError)
    /// Removes a part of what is old; true: there is more to remove.
    func prune(
        keepAttempts: Int, olderThan date: WallTime, rows: Int, timeout: Interval?
    ) throws(StoreError) -> Bool

    /// What a host that starts must know.
    func restoration() throws(StoreError) -> (Engine.Restoration, [InterruptedAttempt])
    /// Attempts whose end is not recorded, in the order of their launch.
    func running() throws(StoreError) -> [RunningRow]
    /// Attempts that are over, the newest first.
    func history(identifier: String?, limit: Int, before: Int64?) throws(StoreError) -> [HistoryRow]
    /// The attempts that ended last, the newest first.
    func lastEnded(limit: Int) throws(StoreError) -> [HistoryRow]
    /// The identifiers that have a checkpoint.
    func checkpointed() throws(StoreError) -> Set<String>
    func checkpoint(_ identifier: String) throws(StoreError) -> Checkpoint?
    /// The last lines of an attempt's output, in their order.
    func lastOutput(attempt: Int64, limit: Int) throws(StoreError) -> [String]
}

extension Store: HostStore {}
