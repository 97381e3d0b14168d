// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// The host's interface to its store: `Store`, or a simulated one. Belongs to the loop's thread. The same tests run
/// against every implementation (StorePortTests).
package protocol HostStore: AnyObject {
    /// The path for messages.
    var path: String { get }
    /// Damaged rows found while reading.
    var damaged: Set<DamagedRow> { get }

    /// Throws `replaced` if the files are not the opened ones.
    func checkFiles() throws(StoreError)
    /// Makes all of `changes`, in order, or none; `durability` decides how durable they are on return.
    func apply(
        _ changes: [StoreChange], durability: Durability, timeout: Interval?
    ) throws(StoreError)
    /// Removes a part of the old rows; true: there is more to remove.
    func prune(
        keepAttempts: Int, olderThan date: WallTime, rows: Int, timeout: Interval?
    ) throws(StoreError) -> Bool

    /// The state that a starting host must restore.
    func restoration() throws(StoreError) -> (Engine.Restoration, [InterruptedAttempt])
    /// Interrupted attempts that it does not contain, because their requests were cancelled.
    func cancelledAttempts() throws(StoreError) -> [InterruptedAttempt]
    /// Attempts whose end is not recorded, in the order of their launch.
    func running() throws(StoreError) -> [RunningRow]
    /// The attempts that ended last, the newest first.
    func lastEnded(limit: Int) throws(StoreError) -> [HistoryRow]
    /// The identifiers with a checkpoint.
    func checkpointed() throws(StoreError) -> Set<String>
    func checkpoint(_ identifier: String) throws(StoreError) -> Checkpoint?
    /// The last lines of an attempt's output, in order.
    func lastOutput(attempt: Int64, limit: Int) throws(StoreError) -> [String]

    /// Hooks that must still run, the oldest first.
    func firings() throws(StoreError) -> [StoredFiring]
    func rememberedOfHooks() throws(StoreError) -> [String: Int64]
    /// When each plugin was last notified that a person used the app.
    func visits() throws(StoreError) -> [String: Int64]
    /// Held messages, the oldest first; nil: of all tasks.
    func heldPushes(of identifier: String?) throws(StoreError) -> [PushMessage]
    func nextPushID() throws(StoreError) -> Int64
}

extension Store: HostStore {}
