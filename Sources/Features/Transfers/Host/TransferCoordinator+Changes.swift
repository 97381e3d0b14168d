// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import Glibc

/// Changes to transfers, and the delivery of their results.
extension TransferCoordinator {
    /// Stores a new transfer, then passes its id to `done`; nil if that failed, which was logged.
    func add(
        _ request: TransferRequest, name: String? = nil, wanted: Transfer.Wanted = .run,
        at now: WallTime, done: @escaping (Int64?) -> Void = { _ in }
    ) {
        write { store throws(StoreError) in
            try store.add(request, name: name, wanted: wanted, at: now)
        } done: { [unowned self] id in
            if let id {
                read([id])
                look()
            }
            done(id)
        }
    }

    /// - Parameter done: Called with whether it is stored.
    func want(
        _ wanted: Transfer.Wanted, of ids: [Int64], done: @escaping (Bool) -> Void = { _ in }
    ) {
        write { store throws(StoreError) in
            try store.want(wanted, of: ids)
        } done: { [unowned self] changed in
            read(ids)
            look()
            done(changed != nil)
        }
    }

    /// Marks them as delivered to all recipients, effective immediately, even before that is
    /// stored.
    /// - Parameter done: Called with whether it is stored.
    func noteDelivered(_ ids: [Int64], done: @escaping (Bool) -> Void = { _ in }) {
        delivered.formUnion(ids)
        for id in ids { forgetIfDone(id) }
        write { store throws(StoreError) in
            try store.noteDelivered(ids)
        } done: { [unowned self] stored in
            delivered.subtract(ids)
            read(ids)
            done(stored != nil)
        }
        changed?()
    }

    func forgetIfDone(_ id: Int64) {
        if open[id]?.isFinished == true { open[id] = nil } else { open[id]?.isDelivered = true }
    }

    func write<Value>(
        _ body: @escaping (TransferStore) throws(StoreError) -> Value,
        done: @escaping (Value?) -> Void = { _ in }
    ) {
        whenOpen { [unowned self] _ in
            guard let writer else { return done(nil) }
            writer.perform(body, done: done)
        }
    }

    /// Drops transfers without a recipient, whose temporary files no app collects.
    func drop(_ ids: [Int64]) {
        for transfer in ids.compactMap({ open[$0] }) {
            if let file = TransferFiles.temporary(of: transfer, place.state) { unlink(file) }
        }
        noteDelivered(ids)
    }

    /// Calls `body` once the transfer has finished; with nil if it no longer exists.
    func whenFinished(_ id: Int64, _ body: @escaping (Transfer?) -> Void) {
        awaited[id, default: []].append(body)
        read([id])
    }

    /// Removes transfers that finished before `date`, and files without a transfer.
    func prune(before date: WallTime) {
        write { store throws(StoreError) in
            try store.prune(before: date)
        } done: { [unowned self] _ in
            removeLeftovers()
        }
    }

    /// Moves a download that its app has not moved to the directory of kept downloads.
    func keep(
        _ transfer: Transfer, atMost count: Int, since date: WallTime
    ) -> TransferFiles.Keeping {
        let keeping = TransferFiles.keep(transfer, in: place.state, atMost: count, since: date)
        if case .failed = keeping { unkept.insert(transfer.id) }
        return keeping
    }

    func removeLeftovers() {
        let rows = query { store throws(StoreError) in try store.transfers(.all) }
        guard let rows else { return }
        TransferFiles.removeLeftovers(in: place.state, known: rows, except: unkept)
    }

    /// The same for one declaration, except for the newest `count`.
    func prune(declared name: String, keeping count: Int) {
        write { store throws(StoreError) in try store.prune(declared: name, keeping: count) }
    }

    func last(declared name: String) -> Transfer? {
        query { store throws(StoreError) in try store.transfers(.last(declared: name)) }?.last
    }
}
