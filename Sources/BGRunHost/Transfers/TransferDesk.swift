// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunStore
import BGRunTransfer
import BGRunTransferLink
import Glibc

/// A host's side of its app's transfers: what it knows of them, and the service that moves them.
///
/// Transfers move in real time, whatever clock the host goes by. Belongs to the loop's thread.
final class TransferDesk {
    private let place: TransferPlace
    private let loop: EventLoop
    private(set) var keeper: ServiceKeeper?
    private(set) var store: TransferStore?
    /// Those that are unfinished, or that somebody is still to hear of.
    private(set) var open: [Int64: Transfer] = [:]
    private var conditions = TransferConditions.unknown
    private var policy = TransferPolicy()
    /// What held transfers back when that was last said.
    private var said: [Int64: TransferWait] = [:]
    /// Who waits for the end of a transfer.
    private var awaited: [Int64: [(Transfer?) -> Void]] = [:]
    private var paces: [Int64: Pace] = [:]
    /// For a date something waits for while no service runs.
    private var alarm: LoopTimer?
    private var isStopping = false
    private let accompany: (pid_t, @escaping (_ status: Int32) -> Void) -> Void

    /// Transfers have come, gone on or finished.
    var changed: (() -> Void)?
    /// A transfer has finished; said once by each host that sees it.
    var finished: ((Transfer) -> Void)?
    /// Something is wrong with the service or the database.
    var complained: ((String) -> Void)?

    init(
        _ loop: EventLoop, _ place: TransferPlace,
        accompany: @escaping (pid_t, @escaping (_ status: Int32) -> Void) -> Void
    ) {
        self.loop = loop
        self.place = place
        self.accompany = accompany
    }

    /// Whether the app has transfers, or has had some.
    var isOpen: Bool { store != nil }

    /// Opens the database, making it when there is none, and reads what is there.
    func openUp() {
        guard store == nil else { return }
        attempt { () throws(StoreError) in
            let store = try TransferStore.open(place.state.transfers)
            for transfer in try store.transfers(.unfinished) + store.transfers(.undelivered) {
                open[transfer.id] = transfer
            }
            self.store = store
        }
        guard store != nil else { return }
        do throws(SystemFailure) {
            alarm = try LoopTimer(loop) { [unowned self] in wantService() }
            keeper = try ServiceKeeper(loop, place, accompany: accompany) { [unowned self] in
                hear($0)
            }
        } catch {
            complained?("Nothing can be transferred: \(error)")
        }
    }

    /// The same where there is a database already.
    func openIfThere() {
        if place.exists { openUp() }
    }

    /// Those that are finished and somebody may still have to hear of, in the order they finished.
    var undelivered: [Transfer] {
        open.values.filter { $0.isFinished && !$0.isDelivered }
            .sorted { ($0.finishedAt, $0.id) < ($1.finishedAt, $1.id) }
    }

    /// What plugins see, in the order of ids.
    var unacknowledged: [Transfer] {
        open.values.filter { !$0.isDelivered }.sorted { $0.id < $1.id }
    }

    /// The sessions that have transfers still.
    var unfinishedSessions: Set<String> {
        Set(open.values.filter { !$0.isFinished }.map(\.request.session))
    }

    /// Whether something is to come of them without anybody's doing.
    var holdsHost: Bool {
        open.values.contains { $0.isFinished || $0.wanted == .run || $0.wanted.isCancelled }
    }

    /// Whether a transfer moves, or will without anything that happens but time.
    var isMoving: Bool {
        let budget = self.budget
        let now = SystemClock().now.wall
        return open.values.contains { transfer in
            guard !transfer.isFinished else { return false }
            switch TransferGate.wait(
                of: transfer, under: conditions, budget: budget, policy: policy, at: now)
            {
            case nil, .retry: return true
            default: return transfer.wanted.isCancelled
            }
        }
    }

    /// Those the device or the app holds back that were not held back for that before, and those that
    /// were and go on.
    func takeNewWaits() -> (waiting: [(Transfer, TransferWait)], going: [Transfer]) {
        var waits: [Int64: TransferWait] = [:]
        let budget = self.budget
        let now = SystemClock().now.wall
        for transfer in open.values where !transfer.isFinished && transfer.wanted == .run {
            let wait = TransferGate.wait(
                of: transfer, under: conditions, budget: budget, policy: policy, at: now)
            switch wait {
            case .network, .unmetered, .power, .budget, .forbidden: waits[transfer.id] = wait
            default: break
            }
        }
        defer { said = waits }
        let changed = waits.filter { said[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let gone = said.keys.filter { waits[$0] == nil }.sorted()
        return (
            changed.compactMap { id, wait in open[id].map { ($0, wait) } },
            gone.compactMap { open[$0] }.filter { !$0.isFinished && $0.wanted == .run }
        )
    }

    // MARK: changes

    /// Stores a new transfer and returns its id; nil when that failed, which was said.
    func add(
        _ request: TransferRequest, name: String? = nil, wanted: Transfer.Wanted = .run,
        at now: WallTime
    ) -> Int64? {
        openUp()
        let id = attempt { () throws(StoreError) in
            try store?.add(request, name: name, wanted: wanted, at: now)
        }
        guard let id = id ?? nil else { return nil }
        read([id])
        look()
        return id
    }

    func want(_ wanted: Transfer.Wanted, of ids: [Int64]) {
        attempt { () throws(StoreError) in _ = try store?.want(wanted, of: ids) }
        read(ids)
        look()
    }

    /// Everybody who was to hear of them has.
    func noteDelivered(_ ids: [Int64]) {
        attempt { () throws(StoreError) in try store?.noteDelivered(ids) }
        read(ids)
    }

    /// Nobody is to hear of them, and nobody takes their temporary files.
    func drop(_ ids: [Int64]) {
        for transfer in ids.compactMap({ open[$0] }) where transfer.request.file == nil {
            if transfer.request.direction == .download, let file = transfer.progress.file {
                unlink(file)
            }
        }
        noteDelivered(ids)
    }

    /// Calls `body` once the transfer has finished; with nil when it is not there any more.
    func whenFinished(_ id: Int64, _ body: @escaping (Transfer?) -> Void) {
        awaited[id, default: []].append(body)
        read([id])
    }

    /// Forgets what finished long ago.
    func prune(before date: WallTime) {
        attempt { () throws(StoreError) in try store?.prune(before: date) }
    }

    /// The same of one declaration, but for the newest `count`.
    func prune(declared name: String, keeping count: Int) {
        attempt { () throws(StoreError) in try store?.prune(declared: name, keeping: count) }
    }

    func last(declared name: String) -> Transfer? {
        let rows = attempt { () throws(StoreError) in
            try store?.transfers(.last(declared: name)).last
        }
        return rows ?? nil
    }

    /// What a command or another process has changed is taken notice of.
    func lookAgain() {
        openIfThere()
        guard isOpen else { return }
        attempt { () throws(StoreError) in
            guard let store else { return }
            let rows = try store.transfers(.unfinished) + store.transfers(.undelivered)
            let known = open
            open = Dictionary(rows.map { ($0.id, $0) }) { $1 }
            for transfer in rows where transfer.isFinished && known[transfer.id]?.isFinished != true
            {
                finished?(transfer)
            }
        }
        look()
        changed?()
    }

    private func read(_ ids: [Int64]) {
        attempt { () throws(StoreError) in
            guard let store else { return }
            for id in ids {
                let transfer = try store.transfer(id)
                if transfer?.isFinished ?? true {
                    for body in awaited.removeValue(forKey: id) ?? [] { body(transfer) }
                }
                guard let transfer, !transfer.isFinished || !transfer.isDelivered else {
                    open[id] = nil
                    continue
                }
                if !transfer.progress.isRunning { paces[id] = nil }
                let wasFinished = open.updateValue(transfer, forKey: id)?.isFinished ?? false
                if transfer.isFinished, !wasFinished { finished?(transfer) }
            }
        }
        changed?()
    }

    // MARK: the service

    /// These hold from now on.
    func take(_ conditions: TransferConditions, _ policy: TransferPolicy) {
        guard isOpen, conditions != self.conditions || policy != self.policy else { return }
        self.conditions = conditions
        self.policy = policy
        keeper?.send(.conditions(conditions, policy))
        wantService()
    }

    /// Connects to a service that runs, and starts one if there is work.
    func begin(_ conditions: TransferConditions, _ policy: TransferPolicy) {
        self.conditions = conditions
        self.policy = policy
        keeper?.connectIfRunning()
        wantService()
    }

    /// Has the service end, and says when it has.
    func stop(done: @escaping () -> Void) {
        isStopping = true
        alarm?.set(elapsed: nil)
        guard let keeper else { return done() }
        keeper.stop(within: .seconds(5), done: done)
    }

    func leave() {
        isStopping = true
        alarm?.set(elapsed: nil)
        keeper?.leave()
    }

    /// So many of the unfinished transfers, in the order of their ids, and how each stands; nil without
    /// any transfer ever.
    func unfinished(first limit: Int) -> [TransferStanding]? {
        guard isOpen else { return nil }
        let chosen = open.values.filter { !$0.isFinished }.sorted { $0.id < $1.id }.prefix(limit)
        guard !chosen.isEmpty else { return [] }
        let waits = waits
        return chosen.map {
            TransferStanding(
                transfer: $0, wait: waits[$0.id], serviceRuns: keeper?.isConnected ?? false,
                rate: paces[$0.id]?.rate)
        }
    }

    private var waits: [Int64: TransferWait] {
        TransferStanding.waits(
            of: Array(open.values), under: conditions, budget: budget, policy: policy,
            at: SystemClock().now.wall)
    }

    /// The unfinished transfers and so many finished ones, in the order of their ids, and how each stands.
    func standings(finished limit: Int) -> [TransferStanding] {
        let rows = attempt { () throws(StoreError) in try store?.transfers(.recent(limit)) }
        let waits = waits
        return ((rows ?? nil) ?? []).map { transfer in
            // What moves is known better than it is stored.
            let now = open[transfer.id] ?? transfer
            return TransferStanding(
                transfer: transfer.isFinished ? transfer : now, wait: waits[transfer.id],
                serviceRuns: keeper?.isConnected ?? false, rate: paces[transfer.id]?.rate)
        }
    }

    private var budget: MeteredBudget {
        let bytes = attempt { () throws(StoreError) in try store?.meteredBytes() }
        guard let bytes = bytes ?? nil else { return MeteredBudget() }
        return MeteredBudget(since: bytes.since, bytes: bytes.bytes)
    }

    private func look() {
        keeper?.send(.look)
        for id in awaited.keys { read([id]) }
        wantService()
    }

    /// Starts the service when a transfer could move, and otherwise waits for the first date one could.
    private func wantService() {
        guard let keeper, !isStopping, !keeper.isConnected else { return }
        let now = SystemClock().now
        let budget = self.budget
        var next: WallTime?
        var isWanted = false
        for transfer in open.values where !transfer.isFinished {
            let wait = TransferGate.wait(
                of: transfer, under: conditions, budget: budget, policy: policy, at: now.wall)
            guard let wait, !transfer.wanted.isCancelled else {
                isWanted = true
                break
            }
            if let date = wait.until { next = min(date, next ?? date) }
        }
        keeper.want(isWanted)
        let delay = next.map { max(0, $0.milliseconds - now.wall.milliseconds) }
        // A clock that is set meanwhile is noticed within the hour.
        alarm?.set(
            elapsed: isWanted
                ? nil : delay.map { now.elapsed + min($0, 3_600_000) * 1_000_000 })
    }

    private func hear(_ news: ServiceKeeper.News) {
        switch news {
        case .connected:
            keeper?.send(.conditions(conditions, policy))
            alarm?.set(elapsed: nil)
        case .notice(.changed(let ids)):
            if ids.isEmpty { lookAgain() } else { read(ids) }
        case .notice(.progress(let progress)):
            let now = SystemClock().now.elapsed
            for news in progress {
                paces[news.id, default: Pace()].note(news.bytes, at: now)
                open[news.id]?.progress.bytes = news.bytes
                open[news.id]?.progress.total = news.total
            }
            changed?()
        case .gone:
            lookAgain()
        case .problem(let text):
            complained?(text)
        }
    }

    /// What is wrong with the database is said; transfers then wait, and the host goes on.
    @discardableResult
    private func attempt<Value>(_ body: () throws(StoreError) -> Value) -> Value? {
        do throws(StoreError) {
            return try body()
        } catch {
            complained?(error.message)
            return nil
        }
    }
}

extension Transfer {
    fileprivate var finishedAt: Int64 { progress.finished?.milliseconds ?? .max }
}
