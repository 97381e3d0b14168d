// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import CBGRunPlugin

struct Checkpoints {
    /// The identifiers with a checkpoint, so that the others need no access to the store.
    var stored: Set<String>
    /// The checkpoints that wait for the store.
    var waiting: [Host.CheckpointWrite] = []
}

extension Host {
    /// A checkpoint on its way to the disk; its handler waits for `answer`.
    struct CheckpointWrite {
        var identifier: String
        var version: UInt32
        /// Empty: the checkpoint is removed.
        var data: [UInt8]
        var answer: (HostMessage.Answer) -> Void

        var change: StoreChange {
            data.isEmpty
                ? .removeCheckpoint(identifier: identifier)
                : .putCheckpoint(identifier: identifier, version: version, data: data)
        }
    }

    /// Stores a checkpoint, synced to the disk, and answers its handler. While another program holds the store, the
    /// checkpoint waits like everything else.
    func write(_ checkpoint: CheckpointWrite) {
        guard stall.since == nil else { return wait(checkpoint) }
        guard !stores(checkpoint) else { return }
        waitForStore()
        wait(checkpoint)
    }

    /// False if the store is busy; otherwise answers the handler.
    private func stores(_ checkpoint: CheckpointWrite) -> Bool {
        precondition(!checkpoint.identifier.isEmpty, "a checkpoint of no task")
        do throws(StoreError) {
            try store.apply([checkpoint.change], durability: .full, timeout: stall.busyTimeout)
        } catch {
            if case .busy = error { return false }
            say(
                .error,
                "The checkpoint of \(checkpoint.identifier) was not stored: \(error.message)")
            checkpoint.answer(HostMessage.Answer(status: BGRUN_E_IO))
            // Everything stored from now on would be lost, too.
            if case .replaced = error { breakDown(error) }
            return true
        }
        if checkpoint.data.isEmpty {
            checkpoints.stored.remove(checkpoint.identifier)
        } else {
            checkpoints.stored.insert(checkpoint.identifier)
        }
        checkpoint.answer(HostMessage.Answer(status: BGRUN_OK))
        return true
    }

    /// Removes the checkpoint of finished work before a launch of the same round could receive it; drops one that waits
    /// for the store.
    func removeCheckpoints(ofCompleted actions: [Action]) -> [StoreChange] {
        actions.compactMap { action in
            guard case .record(.ended(let identifier, _, .completed)) = action else { return nil }
            let dropped = checkpoints.waiting.filter { $0.identifier == identifier }
            checkpoints.waiting.removeAll { $0.identifier == identifier }
            for checkpoint in dropped {
                checkpoint.answer(HostMessage.Answer(status: BGRUN_E_STATE))
            }
            guard checkpoints.stored.remove(identifier) != nil else { return nil }
            return .removeCheckpoint(identifier: identifier)
        }
    }

    private func wait(_ checkpoint: CheckpointWrite) {
        guard checkpoints.waiting.count < HostLimits.checkpoints else {
            return checkpoint.answer(HostMessage.Answer(status: BGRUN_E_IO))
        }
        checkpoints.waiting.append(checkpoint)
    }

    /// Stores the waiting checkpoints in their order, until the store is busy again.
    func writeWaitingCheckpoints() {
        while breakdown == nil, let next = checkpoints.waiting.first {
            guard stores(next) else { return waitForStore() }
            checkpoints.waiting.removeFirst()
        }
    }
}
