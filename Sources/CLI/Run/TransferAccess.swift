// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import BGRunStorage
import BGRunTransferIPC
import BGRunTransfers
import Glibc

/// How a command reaches an app's transfers: what it changes it writes into their database, which it
/// shares with the host and the service, and then has them look.
struct TransferAccess {
    let state: StateDirectory

    /// Finished transfers that are read by default.
    static let finished = 1_000

    /// The unfinished transfers and so many finished ones, the newest, and how each stands.
    func views(finished limit: Int = finished) throws -> [TransferView] {
        let request = ControlRequest(.transfers, limit: limit)
        if let views = try HostAccess.ask(request, state)?.orRefused().transfers { return views }
        guard let store = try storeToRead() else { return [] }
        let transfers = try store.transfers(.recent(limit))
        let serviceRuns = connection() != nil
        let waits = try waits(of: transfers, store)
        return transfers.map { transfer in
            TransferView(transfer, serviceRuns ? .service(waits[transfer.id]) : .nobody)
        }
    }

    /// Changes the database, then notifies the host or the service. Without either, a service is
    /// started if it has work.
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
        // The service is about to end: the next one reads the change.
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

    /// What holds these transfers back without a host, by id.
    private func waits(
        of transfers: [Transfer], _ store: TransferStore
    ) throws -> [Int64: TransferWait] {
        let (conditions, policy) = try store.stated()
        return TransferStatus.waits(
            of: transfers, under: conditions, budget: try store.meteredBudget(), policy: policy,
            at: SystemClock().now.wall)
    }

    /// It continues after the command has ended. If it cannot be started, the next host starts it.
    private func startService() -> Bool {
        guard let executable = Installation().transferService else { return false }
        let log = open(state.serviceLog, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if log >= 0 { close(log) } }
        let pid = try? ServiceProcess.start(
            executable: executable, state: state.absolutePath,
            standardError: log >= 0 ? log : nil)
        return pid != nil
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
            guard error.isOfNewStore else { throw error }
            return nil
        }
    }
}
