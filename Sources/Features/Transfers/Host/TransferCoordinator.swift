// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import Glibc

/// A host's part in its app's transfers: their state, and the service that performs them.
///
/// Transfers run in real time, regardless of the host's clock. Belongs to the loop's thread.
final class TransferCoordinator {
    let place: TransferPlace
    let loop: EventLoop
    var keeper: TransferServiceSupervisor?
    var store: TransferStore?
    var writer: TransferWriter?
    /// Calls that wait for the database to be opened.
    var openers: [(_ isOpen: Bool) -> Void] = []
    var openTimer: LoopTimer?
    /// Delivered transfers whose delivery is not stored yet.
    var delivered: Set<Int64> = []
    /// Delivered downloads that could not be kept; their files stay while this host runs.
    var unkept: Set<Int64> = []
    /// Transfers that are unfinished or not delivered yet.
    var open: [Int64: Transfer] = [:]
    var conditions = TransferConditions.unknown
    var policy = TransferPolicy()
    /// The state that applies while no host runs.
    var stated = TransferConditions.unknown
    /// Why transfers waited when that was last logged.
    var said: [Int64: TransferWait] = [:]
    /// The waits found for the first page of an answer, until its last one.
    var pagedWaits: [Int64: TransferWait]?
    /// The callers that wait for the end of a transfer.
    var awaited: [Int64: [(Transfer?) -> Void]] = [:]
    var paces: [Int64: Rate] = [:]
    /// For the next date of a transfer while no service runs.
    var alarm: LoopTimer?
    var isStopping = false
    /// Whether the database was replaced: the present transfers are unknown.
    private(set) var isLost = false
    let addHelper: (pid_t, @escaping (_ status: Int32) -> Void) -> Void

    /// Transfers were added, continued or finished.
    var changed: (() -> Void)?
    /// A transfer has finished; called once by each host that sees it.
    var finished: ((Transfer) -> Void)?
    /// The service or the database has a problem.
    var complained: ((String) -> Void)?
    /// Called when the database was replaced: nothing may be acknowledged any more.
    var lost: ((StoreError) -> Void)?

    init(
        _ loop: EventLoop, _ place: TransferPlace,
        addHelper: @escaping (pid_t, @escaping (_ status: Int32) -> Void) -> Void
    ) {
        self.loop = loop
        self.place = place
        self.addHelper = addHelper
    }

    /// Whether the app has transfers, or has had some.
    var isOpen: Bool { store != nil }

    /// Calls `body` once the database is open, and creates it if it is missing; with false if it cannot be
    /// opened, which is logged.
    func whenOpen(_ body: @escaping (_ isOpen: Bool) -> Void) {
        openUp()
        if isOpening { openers.append(body) } else { body(isOpen) }
    }

    /// Whether so many calls wait for the database that calls of handlers are refused.
    var isFull: Bool {
        openers.count >= TransferWriter.mostWaiting || writer.map(\.isFull) ?? false
    }

    /// Whether another program has locked the database.
    var isOpening: Bool { openTimer != nil }

    func openLater() {
        do throws(SystemFailure) {
            let timer = try LoopTimer(loop) { [unowned self] in openAgain() }
            timer.set(elapsed: SystemClock().now.elapsed + Self.openPause)
            openTimer = timer
        } catch {
            complained?("Nothing can be transferred: \(error)")
        }
    }

    func openAgain() {
        openTimer = nil
        openUp()
        guard !isOpening else { return }
        let openers = openers
        self.openers = []
        for body in openers { body(isOpen) }
    }

    /// Nanoseconds.
    static let openPause: Int64 = 50_000_000
    /// Seconds for which a call waits for other writers: this blocks the loop.
    static let timeout = 0.005

    /// Opens the database and reads its contents.
    func openUp() {
        guard store == nil, !isOpening else { return }
        attempt { () throws(StoreError) in
            let store: TransferStore
            do throws(StoreError) {
                store = try TransferStore.open(place.state.transfers, timeout: Self.timeout)
            } catch {
                guard case .busy = error else { throw error }
                return openLater()
            }
            for transfer in try store.transfers(.unfinished) + store.transfers(.undelivered) {
                open[transfer.id] = transfer
            }
            self.store = store
        }
        guard let store else { return }
        do throws(SystemFailure) {
            writer = try TransferWriter(loop, store) { [unowned self] in fail($0) }
            alarm = try LoopTimer(loop) { [unowned self] in wantService() }
            keeper = try TransferServiceSupervisor(loop, place, addHelper: addHelper) {
                [unowned self] in
                hear($0)
            }
        } catch {
            complained?("Nothing can be transferred: \(error)")
        }
    }

    /// Whether writes wait for another program.
    var isWriting: Bool { writer.map { !$0.isIdle } ?? false }

    /// Calls `body` when the writes no longer wait.
    func whenWritten(_ body: @escaping () -> Void) {
        guard let writer else { return body() }
        writer.whenIdle(within: .days(366), body)
    }

    /// Finished transfers that may still have to be delivered, in the order of their end.
    var undelivered: [Transfer] {
        open.values.filter { $0.isFinished && !$0.isDelivered }
            .sorted { ($0.finishedAt, $0.id) < ($1.finishedAt, $1.id) }
    }

    /// The transfers visible to plugins, ordered by id.
    var unacknowledged: [Transfer] {
        open.values.filter { !$0.isDelivered }.sorted { $0.id < $1.id }
    }

    /// The sessions with unfinished transfers.
    var unfinishedSessions: Set<String> {
        Set(open.values.filter { !$0.isFinished }.map(\.request.session))
    }

    /// Whether a transfer will make progress without a person's action.
    var holdsHost: Bool {
        open.values.contains { transfer in
            transfer.isFinished
                ? transfer.launchesSomething
                : transfer.wanted == .run || transfer.wanted.isCancelled
        }
    }

    /// The maximum delay of a retry for a failed transfer to count as moving: a server that does not answer for days
    /// must not hold up a rehearsal.
    private static let nextTry = Interval.seconds(10)

    /// Whether a transfer moves, or will soon do so without an event.
    var isMoving: Bool {
        let now = SystemClock().now.wall
        return gated(at: now).contains { transfer, wait in
            switch wait {
            case nil: true
            case .retry(let date): date <= now.advanced(by: Self.nextTry)
            default: transfer.wanted.isCancelled
            }
        }
    }

    /// The unfinished transfers, with the reason why they wait.
    func gated(at now: WallTime) -> some Sequence<(Transfer, TransferWait?)> {
        open.values.lazy.filter { !$0.isFinished }.map { [conditions, budget, policy] in
            let wait = TransferGate.wait(
                of: $0, under: conditions, budget: budget, policy: policy, at: now)
            return ($0, wait)
        }
    }

    /// The transfers that the device or the app newly holds back, and those that continue.
    func takeNewWaits() -> (waiting: [(Transfer, TransferWait)], going: [Transfer]) {
        var waits: [Int64: TransferWait] = [:]
        let now = SystemClock().now.wall
        for (transfer, wait) in gated(at: now) where transfer.wanted == .run {
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

    // MARK: the database

    /// Applies changes made by a command or another process.
    func lookAgain() {
        if !isOpen, place.exists { openUp() }
        guard isOpen else { return }
        query { store throws(StoreError) in
            let rows = try store.transfers(.unfinished) + store.transfers(.undelivered)
            let known = open
            open = Dictionary(rows.map { ($0.id, $0) }) { $1 }
            for id in delivered { forgetIfDone(id) }
            for transfer in rows where transfer.isFinished && known[transfer.id]?.isFinished != true
            {
                finished?(transfer)
            }
        }
        look()
        changed?()
    }

    /// Rows that could not be read are read once the other program is done.
    func lookLater() {
        whenWritten { [weak self] in
            self?.loop.afterThisRound { [weak self] in self?.lookAgain() }
        }
    }

    func read(_ ids: [Int64]) {
        query { store throws(StoreError) in
            for id in ids {
                let transfer = try store.transfer(id)
                if transfer?.isFinished ?? true {
                    for body in awaited.removeValue(forKey: id) ?? [] { body(transfer) }
                }
                guard let transfer,
                    !transfer.isFinished || !(transfer.isDelivered || delivered.contains(id))
                else {
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

    /// Logs a problem with the database; transfers then wait, and the host continues.
    @discardableResult
    func attempt<Value>(_ body: () throws(StoreError) -> Value) -> Value? {
        do throws(StoreError) {
            return try body()
        } catch {
            if case .busy = error { lookLater() }
            fail(error)
            return nil
        }
    }

    private func fail(_ error: StoreError) {
        guard case .replaced = error else {
            complained?(error.message)
            return
        }
        isLost = true
        lost?(error)
    }

    /// The same with the database; nil also while it is not open.
    @discardableResult
    func query<Value>(_ body: (TransferStore) throws(StoreError) -> Value) -> Value? {
        guard let store else { return nil }
        return attempt { () throws(StoreError) in try body(store) }
    }
}

extension Transfer {
    /// Whether its completion submits a task.
    var launchesSomething: Bool {
        request.sendsLaunchEvents || request.then != nil || request.onFailure != nil
    }

    fileprivate var finishedAt: Int64 { progress.finished?.milliseconds ?? .max }
}
