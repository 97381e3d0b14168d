// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import CBGRunShims
import Glibc

/// The transfers of one app: reads their wanted state from the database, runs those that may run, and stores their
/// progress. Belongs to the loop's thread.
final class TransferService {
    let loop: EventLoop
    let store: TransferStore
    let multi: CurlMulti
    let disk: DiskWork
    let boot = ProcessIdentity.currentBootID
    private let app: String
    private let downloads: String
    /// Sends a notice to the hosts.
    let tell: (ServiceNotice) -> Void
    private let finish: () -> Void

    var entries: [Int64: Entry] = [:]
    /// Their ids, ascending: the oldest goes first.
    var order: [Int64] = []
    /// The number of transfers that use the network, as of the last evaluation of all.
    var moverCount = 0
    var conditions = TransferConditions.unknown
    var policy = TransferPolicy()
    var hasHost = false
    var budget: MeteredBudget
    /// Whether it is in the database.
    var isBudgetStored = true
    /// Rows to store and report at the end of this round.
    var news: Set<Int64> = []
    /// Rows whose bytes have changed since they were last stored or reported.
    var moving: Set<Int64> = []
    var untold: Set<Int64> = []
    /// Called when the row of a transfer is on the disk.
    var commits: [Int64: () -> Void] = [:]
    var storedAt: Int64 = 0
    /// Whether the last write to the database succeeded.
    var isStoring = true
    var tickAt = Int64.max
    private var isRoundPlanned = false
    private var isLooking = false
    private var isEvaluating = false
    private(set) var tickTimer: LoopTimer?
    private(set) var wakeTimer: LoopTimer?
    private var clock: ClockWatch?

    /// - Parameters:
    ///   - tell: Sends a notice to the hosts.
    ///   - finish: No work is left; called again each time that is the case.
    init(
        _ loop: EventLoop, _ directory: StateDirectory, tell: @escaping (ServiceNotice) -> Void,
        finish: @escaping () -> Void
    ) throws {
        self.loop = loop
        self.tell = tell
        self.finish = finish
        app = directory.app
        downloads = directory.downloads
        store = try TransferStore.open(directory.transfers)
        multi = try CurlMulti(loop)
        disk = try DiskWork(loop)
        budget = try store.meteredBudget()
        tickTimer = try LoopTimer(loop) { [unowned self] in tick() }
        wakeTimer = try LoopTimer(loop) { [unowned self] in evaluateSoon() }
        clock = try ClockWatch(loop) { [unowned self] in evaluateSoon() }
        takeStated()
        lookSoon()
    }

    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let wall = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        return Instant(elapsed: bgrun_boottime_ns(), wall: WallTime(milliseconds: wall))
    }

    /// The size of libcurl's buffer for a transfer: large for few transfers, small for many.
    var bufferSize: Int {
        switch moverCount {
        case ...16: 256 << 10
        case ...128: 64 << 10
        default: 16 << 10
        }
    }

    // MARK: orders

    func hear(_ order: ServiceOrder) {
        switch order {
        case .conditions(let conditions, let policy):
            hasHost = true
            self.policy = policy
            change(to: conditions)
        case .look:
            retryWithoutPause { $0 == .noSpace }
            lookSoon()
        case .stop: break
        }
    }

    /// The host has ended: the readings in the manifest apply, without updates.
    func loseHost() {
        hasHost = false
        takeStated()
    }

    private func takeStated() {
        guard let (conditions, policy) = stored({ store throws(StoreError) in try store.stated() })
        else { return change(to: .unknown) }
        self.policy = policy
        change(to: conditions)
    }

    private func change(to conditions: TransferConditions) {
        let isBack = conditions.network == .yes && self.conditions.network != .yes
        self.conditions = conditions
        if isBack { retryWithoutPause(TransferRetryRule.isOfNetwork) }
        evaluateSoon()
    }

    /// The cause of these failures may be over.
    private func retryWithoutPause(_ isMended: (TransferFailure) -> Bool) {
        for entry in entries.values {
            guard entry.progress.retryAt != nil, let failure = entry.progress.failure,
                isMended(failure)
            else { continue }
            entry.progress.retryAt = nil
            changed(entry)
        }
    }

    /// Ends everything in an orderly way: received data is synced and stored.
    func stop() {
        for entry in entries.values where entry.run != nil {
            entry.run?.sync()
            halt(entry)
        }
        // Their active time must survive a reboot.
        news.formUnion(entries.keys)
        storeNews()
    }

    // MARK: the database

    func lookSoon() {
        isLooking = true
        planRound()
    }

    func evaluateSoon() {
        isEvaluating = true
        planRound()
    }

    /// Handles all changes of a round of the loop once, at its end.
    func planRound() {
        guard !isRoundPlanned else { return }
        isRoundPlanned = true
        loop.afterThisRound { [unowned self] in
            isRoundPlanned = false
            if isLooking { look() }
            if isEvaluating { evaluate() }
            storeNews()
        }
    }

    private func look() {
        isLooking = false
        isEvaluating = true
        guard let rows = stored({ store throws(StoreError) in try store.wishes() }) else { return }
        var unknown: [Int64] = []
        for (id, wanted) in rows {
            if let entry = entries[id] {
                entry.transfer.wanted = wanted
            } else {
                unknown.append(id)
            }
        }
        guard unknown.count > Self.few else {
            for id in unknown {
                let transfer = stored { store throws(StoreError) in try store.transfer(id) }
                if case let transfer?? = transfer { take(transfer) }
            }
            return
        }
        let all = stored { store throws(StoreError) in try store.transfers(.unfinished) } ?? []
        for transfer in all where entries[transfer.id] == nil { take(transfer) }
    }

    /// Checks that the database is still the opened one, and ends the service otherwise.
    func checkFiles() { stored { store throws(StoreError) in try store.checkFiles() } }

    /// The result of `body`; nil if the database cannot be read now.
    @discardableResult
    private func stored<Value>(
        _ body: (TransferStore) throws(StoreError) -> Value
    ) -> Value? {
        do throws(StoreError) { return try body(store) } catch {
            if case .replaced = error { ServiceMain.exit(error) }
            return nil
        }
    }

    /// Up to this many rows are read one by one rather than with all others.
    private static let few = 20

    private func take(_ transfer: Transfer) {
        let entry = Entry(transfer, downloads: downloads, app: app)
        entries[entry.id] = entry
        order.append(entry.id)
        recover(entry)
    }

    /// Repairs the state that a killed service left: nothing runs, and a complete file may or may not have been
    /// renamed.
    private func recover(_ entry: Entry) {
        if entry.progress.isRunning {
            entry.progress.isRunning = false
            changed(entry)
        }
        if let path = entry.progress.file {
            if access(entry.places.partial, F_OK) != 0, access(path, F_OK) == 0 {
                return end(entry, .completed)
            }
            entry.progress.file = nil
            changed(entry)
        }
        // The server has the upload: sending it again would duplicate it.
        if UploadRun.wasServed(entry) { end(entry, .completed) }
    }

    /// Reads the database, and starts transfers that may start.
    func lookNow() {
        look()
        evaluate()
        storeNews()
    }

    private func evaluate() {
        isEvaluating = false
        let next = settle(at: Self.now)
        wakeTimer?.set(elapsed: next)
        if isIdle { finish() }
    }

    /// Whether there is no work, now or later, in the present state.
    var isIdle: Bool {
        commits.isEmpty && news.isEmpty
            && !entries.values.contains { entry in
                guard entry.run == nil, let wait = entry.wait else { return true }
                switch wait {
                case .suspended, .paused, .forbidden: return false
                default:
                    return hasHost
                        || TransferGate.movesAlone(
                            entry.transfer, under: conditions, budget: budget, policy: policy,
                            at: Self.now.wall)
                }
            }
    }
}
