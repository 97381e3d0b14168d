// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest
import BGRunStore
import BGRunTransfer
import Glibc

/// What a host does for its app's transfers.
struct Transfers {
    let desk: TransferDesk
    let place: TransferPlace
    /// Tasks that are being submitted, for which transfers.
    var submitting: Set<String> = []
    /// Sessions that running attempts have added to: they may add more.
    var creating: [Int64: Set<String>] = [:]
    /// How often a session's task was submitted since it last took something.
    var launches: [String: Int] = [:]
    var isTending = false
    var wasForceQuit = false
    /// Whether the service was told to end, or left to itself, and whether that is waited for.
    var isStopped = false
    var isStopping = false
    /// Tasks whose submission was refused, and that are left alone for that: until the timer goes off
    /// where it may pass, else until the manifest is another one.
    var refused: Set<String> = []
    var retry: (any HostTimer)?
    /// Declarations are processed after the current writes.
    var postponed: DeclarationRule.Occasion?
    /// When old ones were last looked for, on the elapsed clock.
    var pruned: Int64 = 0
    /// What was said already.
    var complaint: String?
}

extension Host {
    /// Declared transfers are submitted, an earlier host's service is heard, and what has finished
    /// meanwhile has its tasks submitted; before anything is launched.
    func startTransfers() {
        guard let desk = transfers?.desk else { return }
        desk.complained = { [unowned self] in complain($0) }
        desk.finished = { [unowned self] in tell($0) }
        desk.changed = { [unowned self] in tendTransfersAfterThisRound() }
        guard desk.exists || !manifest.transfers.isEmpty else { return }
        desk.whenOpen { [unowned self] in begin(desk) }
    }

    private func begin(_ desk: TransferDesk) {
        desk.state(statedConditions)
        for transfer in desk.undelivered { tell(transfer) }
        followForceQuit()
        submitDeclared(.start)
        deliver()
        desk.begin(transferConditions, TransferPolicy(manifest.policy))
        pruneTransfers(after: nil)
    }

    /// Another manifest is in effect.
    func changeTransfers() {
        guard let desk = transfers?.desk, desk.isOpen || !manifest.transfers.isEmpty else { return }
        let wasOpen = desk.isOpen
        desk.whenOpen { [unowned self] in
            transfers?.refused = []
            desk.state(statedConditions)
            submitDeclared(.news)
            if !wasOpen { desk.begin(transferConditions, TransferPolicy(manifest.policy)) }
            tendTransfersAfterThisRound()
        }
    }

    /// A command has changed something in the database.
    public func lookAtTransfers() {
        transfers?.desk.lookAgain()
    }

    /// The unfinished transfers and so many finished ones, the newest, and how each stands.
    public func transferStandings(finished limit: Int) -> [TransferStanding] {
        transfers?.desk.standings(finished: limit) ?? []
    }

    private var transferConditions: TransferConditions {
        TransferConditions(lastDevice, engine.appFacts)
    }

    /// The state that applies after this host has ended.
    private var statedConditions: TransferConditions {
        TransferConditions(manifest.device, engine.appFacts)
    }

    /// Once a round, however much has changed.
    func tendTransfersAfterThisRound() {
        guard let transfers, transfers.desk.isOpen, !transfers.isTending, isStarted else { return }
        self.transfers?.isTending = true
        loop.afterThisRound { [unowned self] in
            self.transfers?.isTending = false
            tendTransfers()
        }
    }

    private func tendTransfers() {
        guard let transfers, breakdown == nil, !engine.isEnding, !transfers.isStopped else {
            return
        }
        followForceQuit()
        transfers.desk.state(statedConditions)
        transfers.desk.take(transferConditions, TransferPolicy(manifest.policy))
        sayWhatWaits(transfers.desk)
        deliver()
        changed?()
        transfersTended?()
        endIfDone()
    }

    /// Of many at once, how many.
    private func sayWhatWaits(_ desk: TransferDesk) {
        let (waiting, going) = desk.takeNewWaits()
        if waiting.count > 10 {
            say(.info, "\(waiting.count) transfers wait: \(waiting[0].1.sentence)")
        } else {
            for (transfer, wait) in waiting {
                say(.info, "The transfer of \(transfer.label) waits: \(wait.sentence)")
            }
        }
        if going.count > 10 {
            say(.info, "\(going.count) transfers go on")
        } else {
            for transfer in going { say(.info, "The transfer of \(transfer.label) goes on") }
        }
    }

    /// Whether a transfer moves, or will without anything that happens but time.
    public var transfersMove: Bool { transfers?.desk.isMoving ?? false }

    /// Apple: a person who removes the app cancels its transfers. Declared ones come again once it is
    /// opened, and go on from what is there.
    private func followForceQuit() {
        let isForceQuit = engine.appFacts.isForceQuit
        guard let transfers, isForceQuit != transfers.wasForceQuit else { return }
        self.transfers?.wasForceQuit = isForceQuit
        guard isForceQuit else { return submitDeclared(.news) }
        let unfinished = transfers.desk.open.values.filter { !$0.isFinished }
        let (declared, others) = (
            unfinished.filter { $0.name != nil }, unfinished.filter { $0.name == nil }
        )
        transfers.desk.want(.cancelledResumable, of: declared.map(\.id).sorted())
        transfers.desk.want(.cancelled, of: others.map(\.id).sorted())
    }

    // MARK: the manifest's own

    private func submitDeclared(_ occasion: DeclarationRule.Occasion) {
        guard let desk = transfers?.desk else { return }
        // The last transfer of each name must be known.
        guard !desk.isWriting else { return submitLater(occasion) }
        let names = Set(manifest.transfers.map(\.name))
        let dropped = desk.open.values.filter { transfer in
            transfer.name.map { !names.contains($0) } ?? false && !transfer.isFinished
        }
        if !dropped.isEmpty { desk.want(.cancelled, of: dropped.map(\.id).sorted()) }
        for definition in manifest.transfers { submit(definition, occasion) }
    }

    private func submitLater(_ occasion: DeclarationRule.Occasion) {
        let isPlanned = transfers?.postponed != nil
        if transfers?.postponed != .start { transfers?.postponed = occasion }
        guard !isPlanned else { return }
        transfers?.desk.whenWritten { [weak self] in
            guard let self, let occasion = transfers?.postponed else { return }
            transfers?.postponed = nil
            if breakdown == nil, !engine.isEnding { submitDeclared(occasion) }
        }
    }

    private func submit(_ definition: TransferDefinition, _ occasion: DeclarationRule.Occasion) {
        guard let desk = transfers?.desk, !engine.appFacts.isForceQuit else { return }
        let now = SystemClock().now.wall
        let last = desk.last(declared: definition.name)
        let verdict = DeclarationRule.verdict(
            on: definition.request(at: now), every: definition.every, last: last,
            isThere: access(definition.file, F_OK) == 0, occasion, at: now)
        switch verdict {
        case .nothing: break
        case .submit(let request):
            // The partial file of the previous one is not reused.
            if let part = last?.part, request.resume?.file != part { unlink(part) }
            desk.add(request, name: definition.name, at: now)
        case .replace(let id): desk.want(.cancelledResumable, of: [id])
        }
    }

    /// Somebody wants a transfer of the manifest now: unless it is under way it is submitted, whatever date
    /// it waits for.
    public func submitTransfer(_ name: String) {
        guard let desk = transfers?.desk, desk.isOpen,
            let definition = manifest.transfers.first(where: { $0.name == name })
        else { return }
        if let last = desk.last(declared: name), !last.isFinished {
            guard last.progress.began == nil else { return }
            desk.want(.cancelled, of: [last.id])
        }
        let now = SystemClock().now.wall
        var request = definition.request(at: now)
        request.earliest = nil
        desk.add(request, name: name, at: now)
    }

    // MARK: what has finished

    private func tell(_ transfer: Transfer) {
        let phrase = TransferPhrase(transfer)
        say(phrase.level, phrase.text)
        if transfer.progress.result == .failed, transfer.name != nil { hasFailures = true }
        unsaved.append(
            .event(
                EventLine(
                    at: clock.now, kind: phrase.kind, identifier: transfer.request.session,
                    text: phrase.text)))
        saveAfterThisRound()
        guard isStarted else { return }
        loop.afterThisRound { [unowned self] in
            guard breakdown == nil, !engine.isEnding else { return }
            pruneTransfers(after: transfer)
            guard
                let definition = manifest.transfers.first(where: { $0.name == transfer.name })
            else { return }
            if transfers?.desk.isWriting == true {
                submitLater(.news)
            } else {
                submit(definition, .news)
            }
        }
    }

    /// Submits the tasks that what has finished launches.
    private func deliver() {
        guard let desk = transfers?.desk, desk.isOpen else { return }
        let finished = desk.undelivered
        guard !finished.isEmpty else { return }
        let rule = DeliveryRule(
            hasTask: { [unowned self] session in
                manifest.tasks.contains {
                    $0.declaration.kind == .transfer
                        && IdentifierRule(permitting: [$0.declaration.identifier]).permits(session)
                }
            },
            isTaken: { [unowned self] in isTaken($0) })
        let verdicts = rule.verdicts(finished: finished, unfinished: desk.unfinishedSessions)
        for verdict in verdicts {
            switch verdict {
            case .drop(let ids): desk.drop(ids)
            case .launch(let session): launch(session)
            case .tell(let task, let id):
                if let transfer = desk.open[id] { submit(task, for: transfer) }
            }
        }
    }

    private func isTaken(_ task: String) -> Bool {
        guard let transfers, !transfers.submitting.contains(task),
            !transfers.refused.contains(task), engine.runningAttempt(task) == nil
        else { return true }
        let creating = transfers.creating.filter { views[$0.key] != nil }
        self.transfers?.creating = creating
        if creating.values.contains(where: { $0.contains(task) }) { return true }
        let waiting =
            [engine.pendingRequest(task)]
            + interrupted.map(\.request).filter { $0.identifier == task }
        return waiting.contains { request in
            request.map { $0.kind == .transfer || TransferReport.isTold(by: $0.parameters) }
                ?? false
        }
    }

    private func submit(_ task: String, for transfer: Transfer) {
        let submission = Submission(
            identifier: task, parameters: TransferReport(transfer).parameters)
        transfers?.submitting.insert(task)
        ask({ .submit(submission, ticket: $0) }) { [unowned self] reply in
            transfers?.submitting.remove(task)
            if case .refused(let refusal) = reply {
                guard !isPassing(refusal) else { return tryLater(task) }
                say(
                    .error,
                    "Nothing follows \(transfer.label): \(task) was refused: \(refusal.message)")
            }
            transfers?.desk.noteDelivered([transfer.id])
        }
    }

    /// Apple: handleEventsForBackgroundURLSession. A task that left events is given time before it is
    /// asked again.
    private func launch(_ session: String) {
        let before = transfers?.launches[session] ?? 0
        transfers?.launches[session] = before + 1
        let backoff = RetryRule(backoff: .exponential, from: .seconds(10), to: .hours(5))
        let delay = before == 0 ? nil : backoff.delay(afterFailures: before)
        transfers?.submitting.insert(session)
        let submission = Submission(identifier: session, delay: delay)
        ask({ .submit(submission, ticket: $0) }) { [unowned self] reply in
            transfers?.submitting.remove(session)
            guard case .refused(let refusal) = reply else { return }
            transfers?.launches[session] = before
            if isPassing(refusal) { return tryLater(session) }
            transfers?.refused.insert(session)
            say(.error, "The events of session \(session) wait: \(refusal.message)")
        }
    }

    private func isPassing(_ refusal: Refusal) -> Bool {
        switch refusal {
        case .tooManyPending, .unavailable, .alreadyRunning: true
        default: false
        }
    }

    /// There was no room for a request: in a while there may be some.
    private func tryLater(_ task: String) {
        transfers?.refused.insert(task)
        guard transfers?.retry == nil else { return }
        transfers?.retry = try? clock.timer(loop) { [unowned self] in
            transfers?.retry = nil
            transfers?.refused = []
            tendTransfersAfterThisRound()
        }
        transfers?.retry?.set(
            elapsed: clock.now.elapsed.saturatingAdding(Interval.seconds(10).nanoseconds))
    }

    private func complain(_ text: String) {
        guard transfers?.complaint != text else { return }
        transfers?.complaint = text
        say(.error, text)
    }

    // MARK: the end

    /// Whether transfers let a host end that ends when nothing is left to do.
    var transfersAreDone: Bool { !(transfers?.desk.holdsHost ?? false) }

    /// Whether the service is gone that ends with its host; has it end.
    func transfersAreStopped() -> Bool {
        guard let transfers, transfers.desk.isOpen else { return true }
        if transfers.isStopped { return !transfers.isStopping }
        self.transfers?.isStopped = true
        self.transfers?.isStopping = true
        var isAtOnce = true
        let done = { [unowned self] in
            self.transfers?.isStopping = false
            if !isAtOnce { endIfDone() }
        }
        if ending == .afterOneRound, !engine.isEnding {
            transfers.desk.handOver(done: done)
        } else {
            transfers.desk.stop(done: done)
        }
        isAtOnce = false
        return !(self.transfers?.isStopping ?? false)
    }

    /// Forgets what finished long ago, at most once an hour, and what was done very often.
    private func pruneTransfers(after transfer: Transfer?) {
        let policy = manifest.policy
        if let name = transfer?.name {
            transfers?.desk.prune(declared: name, keeping: policy.keptAttempts)
        }
        let now = SystemClock().now
        guard let last = transfers?.pruned,
            last == 0 || now.elapsed - last > Interval.hours(1).nanoseconds
        else { return }
        transfers?.pruned = now.elapsed
        let age = Interval(nanoseconds: -policy.keptFor.nanoseconds)
        transfers?.desk.prune(before: now.wall.advanced(by: age))
        transfers?.desk.pruneKept(atMost: policy.keptDownloads, since: now.wall.advanced(by: age))
    }
}

extension Transfer {
    /// The partial file of a cancelled download, which another download can resume.
    fileprivate var part: String? {
        wanted == .cancelledResumable && isFinished && request.direction == .download
            ? progress.file : nil
    }
}
