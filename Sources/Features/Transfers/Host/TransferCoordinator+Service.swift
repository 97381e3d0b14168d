// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import Glibc

/// The service that performs transfers, and their state.
extension TransferCoordinator {
    /// Applies these from now on.
    func take(_ conditions: TransferConditions, _ policy: TransferPolicy) {
        guard isOpen, conditions != self.conditions || policy != self.policy else { return }
        self.conditions = conditions
        self.policy = policy
        storeStated()
        keeper?.send(.conditions(conditions, policy))
        wantService()
    }

    /// Connects to a running service, or starts one if there is work.
    func begin(_ conditions: TransferConditions, _ policy: TransferPolicy) {
        self.conditions = conditions
        self.policy = policy
        storeStated()
        keeper?.connectIfRunning()
        wantService()
    }

    /// Sets the device readings of the manifest, and whether the app may transfer: they apply while no host runs.
    func state(_ conditions: TransferConditions) {
        guard conditions != stated else { return }
        stated = conditions
        if isOpen { storeStated() }
    }

    func storeStated() {
        let (stated, policy) = (stated, policy)
        let known = query { store throws(StoreError) in try store.stated() }
        if let known, known == (stated, policy) { return }
        write { store throws(StoreError) in try store.state(stated, policy) }
    }

    /// How long writes and the service may take when the host ends.
    static let longestEnd = Interval.seconds(5)

    /// Ends the service, and reports when it has ended.
    func stop(done: @escaping () -> Void) {
        isStopping = true
        alarm?.set(elapsed: nil)
        guard let keeper, let writer else { return done() }
        writer.whenIdle(within: Self.longestEnd) {
            keeper.stop(within: Self.longestEnd, done: done)
        }
    }

    /// Lets the service continue, or starts it if it has work without a host.
    /// - Parameters:
    ///   - repeated: Names of transfers that wait for the next host, not for their next date in a service.
    ///   - done: Called with the number of transfers that the service continues.
    func handOver(
        except repeated: Set<String> = [], done: @escaping (_ continued: Int) -> Void
    ) {
        guard let writer else { return done(0) }
        writer.whenIdle(within: Self.longestEnd) { [unowned self] in
            let movable = movableAlone(except: repeated)
            let isAtWork = !movable.isEmpty && !isLost && keeper?.startForOthers() ?? false
            leave()
            done(isAtWork ? movable.count { !$0.wanted.isCancelled } : 0)
        }
    }

    /// The transfers that the service can continue, or end, without a host.
    private func movableAlone(except repeated: Set<String>) -> [Transfer] {
        let (budget, now) = (budget, SystemClock().now.wall)
        return open.values.filter { transfer in
            guard !transfer.isFinished else { return false }
            guard !transfer.wanted.isCancelled else { return true }
            if let name = transfer.name, repeated.contains(name),
                let date = transfer.request.earliest, now < date
            {
                return false
            }
            return TransferGate.movesAlone(
                transfer, under: stated, budget: budget, policy: policy, at: now)
        }
    }

    func leave() {
        isStopping = true
        alarm?.set(elapsed: nil)
        keeper?.leave()
    }

    /// A number of unfinished transfers, ordered by id, with the state of each; nil if there never
    /// was a transfer.
    func unfinished(first limit: Int) -> [TransferStatus]? {
        guard isOpen else { return nil }
        let chosen = open.values.filter { !$0.isFinished }.sorted { $0.id < $1.id }.prefix(limit)
        guard !chosen.isEmpty else { return [] }
        let waits = waits
        return chosen.map { status($0, waits) }
    }

    var waits: [Int64: TransferWait] {
        TransferStatus.waits(
            of: Array(open.values), under: conditions, budget: budget, policy: policy,
            at: SystemClock().now.wall)
    }

    /// The unfinished transfers and a number of finished ones, ordered by id, with the state of each: the first `most`
    /// of them with an id above `after`. Nil: they cannot be read now. The waits of all are found for the first page.
    func statuses(finished limit: Int, after: Int64, most: Int) -> [TransferStatus]? {
        let choice = TransferStore.Choice.recent(finished: limit, after: after, most: most)
        let rows = query { store throws(StoreError) in try store.transfers(choice) }
        guard let rows else { return nil }
        let waits = after > 0 ? pagedWaits ?? waits : waits
        pagedWaits = rows.count < most ? nil : waits
        return rows.map { transfer in
            // The progress of active transfers is more recent in memory than in the store.
            let now = open[transfer.id] ?? transfer
            return status(transfer.isFinished ? transfer : now, waits)
        }
    }

    private func status(_ transfer: Transfer, _ waits: [Int64: TransferWait]) -> TransferStatus {
        TransferStatus(
            transfer: transfer, wait: waits[transfer.id],
            serviceRuns: keeper?.isConnected ?? false, rate: paces[transfer.id]?.rate)
    }

    var budget: MeteredBudget {
        query { store throws(StoreError) in try store.meteredBudget() } ?? MeteredBudget()
    }

    func look() {
        keeper?.send(.look)
        for id in awaited.keys { read([id]) }
        wantService()
    }

    /// Starts the service if a transfer can run, and otherwise waits for the first date at which
    /// one can.
    func wantService() {
        guard let keeper, !isStopping, !isLost, !keeper.isConnected else { return }
        let now = SystemClock().now
        var next: WallTime?
        var isWanted = false
        for (transfer, wait) in gated(at: now.wall) {
            guard let wait, !transfer.wanted.isCancelled else {
                isWanted = true
                break
            }
            if let date = wait.until { next = min(date, next ?? date) }
        }
        keeper.want(isWanted)
        // A clock change in the meantime is noticed within an hour.
        let wait = next.map { min(.hours(1), max(.zero, now.wall.interval(until: $0))) }
        let date = wait.map { now.elapsed.saturatingAdding($0.nanoseconds) }
        alarm?.set(elapsed: isWanted ? nil : date)
    }

    func hear(_ news: TransferServiceSupervisor.News) {
        switch news {
        case .connected:
            keeper?.send(.conditions(conditions, policy))
            alarm?.set(elapsed: nil)
        case .notice(.changed(let ids)):
            if ids.isEmpty { lookAgain() } else { read(ids) }
        case .notice(.progress(let progress)):
            let now = SystemClock().now.elapsed
            for news in progress {
                paces[news.id, default: Rate()].note(news.bytes, at: now)
                open[news.id]?.progress.bytes = news.bytes
                open[news.id]?.progress.total = news.total
            }
            changed?()
        case .gone:
            lookAgain()
        case .problem(let text):
            // A service whose database was replaced ends: another one would have a new database.
            query { store throws(StoreError) in try store.checkFiles() }
            complained?(text)
        }
    }
}
