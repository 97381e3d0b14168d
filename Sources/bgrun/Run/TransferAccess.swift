// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunCore
import BGRunHost
import BGRunLoop
import BGRunStore
import BGRunTransfer
import BGRunTransferLink
import Glibc

/// How a command reaches an app's transfers: what it changes it writes into their database, which it
/// shares with the host and the service, and then has them look.
struct TransferAccess {
    let state: StateDirectory

    /// Finished transfers that are looked at unless somebody asks for others.
    static let finished = 1_000

    /// The unfinished transfers and so many finished ones, the newest, and how each stands.
    func views(finished limit: Int = finished) throws -> [TransferView] {
        let request = ControlRequest(.transfers, limit: limit)
        if let views = try HostAccess.ask(request, state)?.orRefused().transfers { return views }
        guard let store = try storeToRead() else { return [] }
        let transfers = try store.transfers(.recent(limit))
        let serviceRuns = connection() != nil
        let metered = try store.meteredBytes()
        let waits = TransferStanding.waits(
            of: transfers, under: .unknown,
            budget: MeteredBudget(since: metered.since, bytes: metered.bytes),
            policy: TransferPolicy(), at: SystemClock().now.wall)
        return transfers.map { transfer in
            TransferView(transfer, serviceRuns ? .service(waits[transfer.id]) : .nobody)
        }
    }

    /// Changes the database, then tells whoever is there.
    func change<Value>(_ body: (TransferStore) throws -> Value) throws -> Value {
        try state.create()
        try SimulatedState.check(state, isSimulated: SimulatedState.isMarked(state))
        let value = try body(try TransferStore.open(state.transfers))
        if try HostAccess.ask(ControlRequest(.transfers), state) == nil {
            connection()?.send(.look)
        }
        return value
    }

    /// Whether a host or a service is there to see to them.
    func isTended() throws -> Bool {
        try HostLock.holder(of: state.hostLock) != nil || connection() != nil
    }

    /// Nil when no service listens.
    private func connection() -> ServiceConnection? {
        guard let loop = try? EventLoop() else { return nil }
        return try? ServiceConnection(
            loop, path: state.transferSocket, onNotice: { _ in }, onClose: {})
    }

    /// Nil when there never was a transfer.
    private func storeToRead() throws -> TransferStore? {
        do throws(StoreError) {
            return try TransferStore.open(state.transfers, readOnly: true)
        } catch {
            switch error {
            case .missing, .outdated(_, found: 0, _): return nil
            default: throw error
            }
        }
    }
}
