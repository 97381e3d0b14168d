// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import BGRunSystem

/// The transfers of a host's app.
final class TransfersFeature: HostFeature {
    unowned let host: Host
    let coordinator: TransferCoordinator
    /// The `--state` option for the commands in messages.
    private let stateOption: String
    /// Tasks that are being submitted for transfers.
    var submitting: Set<String> = []
    /// Sessions to which running attempts have added transfers: they may add more.
    var creating: [Int64: Set<String>] = [:]
    /// The number of submissions of a session's task since it last collected a transfer.
    var launches: [String: Int] = [:]
    private var isTending = false
    private var wasForceQuit = false
    /// Whether the service was told to end, or left running, and whether the host waits for that.
    private var isStopped = false
    private var isStopping = false
    /// Tasks whose submission was refused and is not repeated: until the timer fires if the reason may pass, else until
    /// the manifest changes.
    var refused: Set<String> = []
    var retry: (any HostTimer)?
    /// Declarations are processed after the current writes.
    var postponed: DeclarationRule.Occasion?
    /// When old transfers were last removed, on the elapsed clock.
    private var pruned: Int64 = 0
    /// The last logged problem.
    private var complaint: String?

    init(_ host: Host, _ state: StateDirectory, service: String?, stateOption: String) {
        self.host = host
        self.stateOption = stateOption
        let supervisor = host.supervisor
        coordinator = TransferCoordinator(
            host.loop, TransferPlace(executable: service, state: state)
        ) { pid, ended in supervisor.addHelper(pid, ended: ended) }
    }

    /// Submits declared transfers, listens to an earlier host's service, and submits the tasks for transfers that have
    /// finished since.
    func willStart() {
        coordinator.complained = { [unowned self] in complain($0) }
        coordinator.lost = { [unowned self] in if host.breakdown == nil { host.breakDown($0) } }
        coordinator.finished = { [unowned self] in tell($0) }
        coordinator.changed = { [unowned self] in afterRound() }
        guard coordinator.place.exists || !host.manifest.transfers.isEmpty else { return }
        coordinator.whenOpen { [unowned self] isOpen in if isOpen { begin() } }
    }

    private func begin() {
        coordinator.state(statedConditions)
        for transfer in coordinator.undelivered { tell(transfer) }
        followForceQuit()
        submitDeclared(.start)
        deliver()
        coordinator.begin(conditions, TransferPolicy(host.manifest.policy))
        prune(after: nil)
    }

    func manifestChanged(from old: Manifest) {
        guard coordinator.isOpen || !host.manifest.transfers.isEmpty else { return }
        let wasOpen = coordinator.isOpen
        coordinator.whenOpen { [unowned self] isOpen in
            guard isOpen else { return }
            refused = []
            coordinator.state(statedConditions)
            submitDeclared(.news)
            if !wasOpen { coordinator.begin(conditions, TransferPolicy(host.manifest.policy)) }
            afterRound()
        }
    }

    private var conditions: TransferConditions {
        TransferConditions(host.lastDevice, host.engine.appFacts)
    }

    /// The state that applies after this host has ended.
    private var statedConditions: TransferConditions {
        TransferConditions(host.manifest.device, host.engine.appFacts)
    }

    /// Updates them once per round of the loop, regardless of the number of changes.
    func afterRound() {
        guard coordinator.isOpen, !isTending, host.isStarted else { return }
        isTending = true
        host.loop.afterThisRound { [unowned self] in
            isTending = false
            tend()
        }
    }

    private func tend() {
        guard host.breakdown == nil, !host.engine.isEnding, beginsAgain() else { return }
        followForceQuit()
        coordinator.state(statedConditions)
        coordinator.take(conditions, TransferPolicy(host.manifest.policy))
        sayWhatWaits()
        deliver()
        host.noteChange()
        host.noteWork()
        host.endIfDone()
    }

    /// Logs waiting transfers, or only their number if there are many.
    private func sayWhatWaits() {
        let (waiting, going) = coordinator.takeNewWaits()
        if waiting.count > 10 {
            host.say(.info, "\(waiting.count) transfers wait: \(waiting[0].1.sentence)")
        } else {
            for (transfer, wait) in waiting {
                host.say(.info, "The transfer of \(transfer.label) waits: \(wait.sentence)")
            }
        }
        if going.count > 10 {
            host.say(.info, "\(going.count) transfers continue")
        } else {
            for transfer in going { host.say(.info, "The transfer of \(transfer.label) continues") }
        }
    }

    /// Apple: a person who removes the app cancels its transfers. Declared ones are added again once it is opened, and
    /// resume from their parts.
    private func followForceQuit() {
        let isForceQuit = host.engine.appFacts.isForceQuit
        guard isForceQuit != wasForceQuit else { return }
        wasForceQuit = isForceQuit
        guard isForceQuit else { return submitDeclared(.news) }
        let unfinished = coordinator.open.values.filter { !$0.isFinished }
        let (declared, others) = (
            unfinished.filter { $0.name != nil }, unfinished.filter { $0.name == nil }
        )
        coordinator.want(.cancelledResumable, of: declared.map(\.id).sorted())
        coordinator.want(.cancelled, of: others.map(\.id).sorted())
    }

    private func complain(_ text: String) {
        guard complaint != text else { return }
        complaint = text
        host.say(.error, text)
    }

    func checkFiles() throws(StoreError) { try coordinator.store?.checkFiles() }

    func add(to overview: inout AppOverview) {
        overview.transfers = coordinator.unfinished(first: 20)?.map { AppOverview.Transfer($0) }
    }

    func answer(_ call: WorkerMessage.Call, from attempt: Int64, _ answer: CallAnswer) -> Bool {
        guard case .transfer(let call) = call else { return false }
        self.answer(call, from: attempt, answer)
        return true
    }

    // MARK: the end

    /// Whether a transfer will make progress without a person's action.
    var isBusy: Bool { coordinator.holdsHost }

    var needs: Conditions { isBusy ? [.network, .unmeteredNetwork, .externalPower] : [] }

    /// Stops the service with its host, or leaves it running.
    func stop() -> Bool {
        guard coordinator.isOpen else { return true }
        if isStopped { return !isStopping }
        isStopped = true
        isStopping = true
        var isAtOnce = true
        let done = { [unowned self] in
            isStopping = false
            guard !isAtOnce else { return }
            host.endIfDone()
            // There may be new work.
            afterRound()
        }
        if host.ending == .afterOneRound, !host.engine.isEnding {
            let repeated = host.manifest.transfers.filter { $0.every != nil }.map(\.name)
            coordinator.handOver(except: Set(repeated)) { [unowned self] continued in
                sayWhatContinues(continued)
                done()
            }
        } else {
            coordinator.stop(done: done)
        }
        isAtOnce = false
        return !isStopping
    }

    /// A `--once` run ends with code 0 although these are not finished.
    private func sayWhatContinues(_ count: Int) {
        guard count > 0 else { return }
        let (number, object) =
            count == 1 ? ("1 transfer is", "it") : ("\(count) transfers are", "them")
        host.say(
            .info,
            "\(number) not finished; the transfer service continues \(object) without a host: "
                + "see `bgrun transfers --app \(host.manifest.app)\(stateOption)`")
    }

    /// False while the host has nothing to do but end. If it continues after all, so do its transfers.
    private func beginsAgain() -> Bool {
        guard isStopped else { return true }
        guard !isStopping, !host.isDone else { return false }
        isStopped = false
        coordinator.isStopping = false
        coordinator.begin(conditions, TransferPolicy(host.manifest.policy))
        return true
    }

    func kill() { coordinator.leave() }

    /// Removes old finished transfers, at most once an hour, and the oldest of a frequent declaration.
    func prune(after transfer: Transfer?) {
        let policy = host.manifest.policy
        if let name = transfer?.name {
            coordinator.prune(declared: name, keeping: policy.keptAttempts)
        }
        let now = SystemClock().now
        let since = now.elapsed.saturatingSubtracting(pruned)
        guard pruned == 0 || since > Interval.hours(1).nanoseconds else { return }
        pruned = now.elapsed
        coordinator.prune(before: keptSince)
        TransferFiles.prune(coordinator.place.state, atMost: policy.keptDownloads, since: keptSince)
    }

    /// Transfers that ended before this date are removed.
    var keptSince: WallTime {
        SystemClock().now.wall.advanced(by: host.manifest.policy.keptFor.negated)
    }
}

extension AppOverview.Transfer {
    fileprivate init(_ status: TransferStatus) {
        let transfer = status.transfer
        let isMoving = transfer.progress.isRunning && status.serviceRuns
        let other = status.serviceRuns ? TransferWait.admitted : TransferWait.unserved
        self.init(
            id: transfer.id, label: transfer.label, bytes: transfer.progress.bytes,
            total: transfer.progress.total, rate: isMoving ? status.rate : nil,
            reason: isMoving ? nil : status.wait?.sentence ?? other)
    }
}

extension TransfersFeature {
    func answer(_ request: ControlRequest, _ answer: @escaping (ControlResponse) -> Void) -> Bool {
        guard request.command == .transfers else { return false }
        if request.from == nil { coordinator.lookAgain() }
        // Without an answer, the command waits for the end of this host and continues without it.
        guard host.breakdown == nil else { return true }
        let most = ControlRequest.mostRows
        let page = coordinator.statuses(
            finished: request.limit ?? 0, after: Int64(request.from ?? 0), most: most)
        // An empty later page would make the list look complete.
        guard let statuses = page ?? (request.from == nil ? [] : nil) else {
            answer(ControlResponse("another program writes to the transfers; try again"))
            return true
        }
        var response = ControlResponse()
        response.transfers = statuses.map { status in
            TransferView(
                status.transfer, .host(status.wait, serviceRuns: status.serviceRuns),
                rate: status.rate)
        }
        if statuses.count == most { response.next = statuses.last.map { Int($0.transfer.id) } }
        answer(response)
        return true
    }
}
