// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import BGRunTransfers
import Glibc

/// Gives a command access to an app's transfers: writes changes into their database, which it shares
/// with the host and the service, and then notifies these.
struct TransferAccess {
    let state: StateDirectory

    /// The default number of finished transfers to read.
    static let finished = 1_000

    /// The unfinished transfers and the newest finished ones, at most `limit`, each with its state.
    func views(finished limit: Int = finished) throws -> [TransferView] {
        let ask = { try HostAccess.ask($0, state)?.orRefused() }
        if let views = try TransferPages.read(finished: limit, ask: ask) { return views }
        guard let store = try storeToRead() else { return [] }
        let transfers = try store.transfers(.recent(finished: limit))
        let serviceRuns = connection() != nil
        let waits = try waits(of: transfers, store)
        return transfers.map { transfer in
            TransferView(transfer, serviceRuns ? .service(waits[transfer.id]) : .neither)
        }
    }

    /// Changes the database, then notifies the host or the service. Without either, starts a service
    /// if it has work.
    func change<Value>(
        _ body: (TransferStore) throws -> Value
    ) throws -> (value: Value, tended: Tending) {
        try state.create()
        try SimulatedState.check(state, isSimulated: SimulatedState.isMarked(state))
        let store = try TransferStore.open(state.transfers)
        let value = try body(store)
        guard try HostAccess.ask(ControlRequest(.transfers), state) == nil else {
            return (value, .host)
        }
        // The service ends soon: the next one reads the change.
        guard try HostLock.holder(of: state.hostLock) == nil else { return (value, .host) }
        if let connection = connection() {
            connection.send(.look)
            return (value, .service)
        }
        return (value, try canMove(store) && startService() ? .service : .nothing)
    }

    /// The process that performs them.
    enum Tending {
        case host, service, nothing
    }

    /// Whether a transfer may start immediately without a host.
    private func canMove(_ store: TransferStore) throws -> Bool {
        guard !SimulatedState.isMarked(state) else { return false }
        let waits = try waits(of: try store.transfers(.unfinished), store)
        return try store.wishes().contains { waits[$0.id] == nil || $0.1.isCancelled }
    }

    /// The obstacles of these transfers without a host, by id.
    private func waits(
        of transfers: [Transfer], _ store: TransferStore
    ) throws -> [Int64: TransferWait] {
        let (conditions, policy) = try store.stated()
        return TransferStatus.waits(
            of: transfers, under: conditions, budget: try store.meteredBudget(), policy: policy,
            at: SystemClock().now.wall)
    }

    /// Starts a service that outlives the command. If that fails, the next host starts it.
    private func startService() -> Bool {
        guard let executable = Installation().transferService else { return false }
        let log = open(state.serviceLog, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if log >= 0 { close(log) } }
        let pid = try? ServiceProcess.start(
            executable: executable, state: state.absolutePath,
            standardError: log >= 0 ? log : nil)
        return pid != nil
    }

    /// Nil without a listening service.
    private func connection() -> ServiceConnection? {
        guard let loop = try? EventLoop() else { return nil }
        return try? ServiceConnection(
            loop, path: state.transferSocket, onNotice: { _ in }, onClose: {})
    }

    /// Nil if there has never been a transfer.
    private func storeToRead() throws -> TransferStore? {
        do throws(StoreError) {
            return try TransferStore.open(state.transfers, readOnly: true)
        } catch {
            guard error.isOfNewStore else { throw error }
            return nil
        }
    }
}
