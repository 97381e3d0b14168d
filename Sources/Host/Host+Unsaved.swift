// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunStorage
import BGRunSupervisor

/// Lines of output and of the log, and other changes, that are not stored yet.
struct Unsaved {
    var changes: [StoreChange] = []
    /// Their approximate size in memory.
    var bytes = 0
    /// Lines of the log that were dropped at the limit since the last change was stored.
    var dropped = 0
    /// Whether handlers that write lines are blocked.
    var isHolding = false
    /// Whether the lines will be saved at the end of this round.
    var isPlanned = false
    /// Whether they wait for another program to release the store.
    var isWaiting = false
}

extension Unsaved {
    var isFull: Bool { bytes >= HostLimits.unsavedBytes }

    mutating func append(_ change: StoreChange) {
        precondition(bytes >= 0 && (bytes > 0 || changes.isEmpty), "\(bytes) bytes are unsaved")
        changes.append(change)
        bytes += change.size  // fits: in memory
    }
}

extension Host {
    /// Stores `changes` with the next transaction, at the end of this round at the latest. At the limit, lines of the
    /// log are dropped, and handlers that write wait; other changes are few.
    package func save(_ changes: [StoreChange]) {
        for change in changes {
            if case .event = change, unsaved.isFull {
                unsaved.dropped += 1  // fits: a counter of this process
            } else {
                unsaved.append(change)
            }
        }
        holdOutput()
        saveAfterThisRound()
    }

    /// Removes and returns the unsaved lines, for the caller to store.
    func takeUnsaved() -> [StoreChange] {
        defer { (unsaved.changes, unsaved.bytes) = ([], 0) }
        unsaved.isWaiting = false
        return unsaved.changes
    }

    private func holdOutput() {
        guard unsaved.isFull != unsaved.isHolding else { return }
        unsaved.isHolding = unsaved.isFull
        supervisor.holdOutput(unsaved.isHolding)
    }

    /// Changes were stored: there may be room for others.
    func noteStored() {
        holdOutput()
        guard unsaved.dropped > 0 else { return }
        let text =
            "\(unsaved.dropped) lines of the log were not stored: too many waited for the store"
        unsaved.dropped = 0
        say(.warning, text)
        unsaved.append(
            .event(EventLine(at: clock.now, kind: "lines-dropped", identifier: "", text: text)))
        saveAfterThisRound()
    }

    /// Stores the lines of this round before the loop waits again, unless an event does so first.
    func saveAfterThisRound() {
        guard !unsaved.isPlanned, !unsaved.changes.isEmpty else { return }
        unsaved.isPlanned = true
        loop.afterThisRound { [unowned self] in
            unsaved.isPlanned = false
            guard breakdown == nil, stall.since == nil else { return }
            do throws(StoreError) { try saveLines() } catch { breakDown(error) }
        }
    }

    /// Stores the lines now; while the store is busy they wait.
    func saveLines() throws(StoreError) { _ = try save([], durability: .normal) }

    /// Stores `changes` and all unsaved changes now, synced to the disk; false: the store is busy.
    package func sync(_ changes: [StoreChange]) throws(StoreError) -> Bool {
        try save(changes, durability: .full)
    }

    /// False: the store is busy, and the lines wait.
    private func save(_ changes: [StoreChange], durability: Durability) throws(StoreError) -> Bool {
        let bytes = unsaved.bytes
        let lines = takeUnsaved()
        do throws(StoreError) {
            try store.apply(lines + changes, durability: durability, timeout: stall.busyTimeout)
        } catch {
            guard case .busy = error else { throw error }
            unsaved.changes = lines
            unsaved.bytes = bytes
            unsaved.isWaiting = true
            waitForStore()
            return false
        }
        noteStored()
        return true
    }
}
