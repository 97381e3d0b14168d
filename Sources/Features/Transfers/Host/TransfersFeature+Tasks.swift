// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

/// The transfers of the manifest, and the tasks that finished ones launch.
extension TransfersFeature {
    // MARK: the manifest's own

    func submitDeclared(_ occasion: DeclarationRule.Occasion) {
        // The last transfer of each name must be known.
        guard !coordinator.isWriting else { return submitLater(occasion) }
        let names = Set(host.manifest.transfers.map(\.name))
        let dropped = coordinator.open.values.filter { transfer in
            transfer.name.map { !names.contains($0) } ?? false && !transfer.isFinished
        }
        if !dropped.isEmpty { coordinator.want(.cancelled, of: dropped.map(\.id).sorted()) }
        for definition in host.manifest.transfers { submit(definition, occasion) }
    }

    private func submitLater(_ occasion: DeclarationRule.Occasion) {
        let isPlanned = postponed != nil
        if postponed != .start { postponed = occasion }
        guard !isPlanned else { return }
        coordinator.whenWritten { [weak self] in
            guard let self, let occasion = postponed else { return }
            postponed = nil
            if host.breakdown == nil, !host.engine.isEnding { submitDeclared(occasion) }
        }
    }

    private func submit(_ definition: TransferDefinition, _ occasion: DeclarationRule.Occasion) {
        guard !host.engine.appFacts.isForceQuit else { return }
        let now = SystemClock().now.wall
        let last = coordinator.last(declared: definition.name)
        let verdict = DeclarationRule.verdict(
            on: definition.request(at: now), every: definition.every, last: last,
            isThere: access(definition.file ?? "", F_OK) == 0, occasion, at: now)
        switch verdict {
        case .nothing: break
        case .submit(let request):
            // The partial file of the previous one is not reused.
            if let part = last?.part, request.resume?.file != part { unlink(part) }
            coordinator.add(request, name: definition.name, at: now)
        case .replace(let id): coordinator.want(.cancelledResumable, of: [id])
        }
    }

    /// A person requests a transfer of the manifest now: submits it unless it is in progress, regardless of its date.
    func submit(declared name: String) {
        guard coordinator.isOpen,
            let definition = host.manifest.transfers.first(where: { $0.name == name })
        else { return }
        if let last = coordinator.last(declared: name), !last.isFinished {
            guard last.progress.began == nil else { return }
            coordinator.want(.cancelled, of: [last.id])
        }
        let now = SystemClock().now.wall
        var request = definition.request(at: now)
        request.earliest = nil
        coordinator.add(request, name: name, at: now)
    }

    // MARK: finished transfers

    func tell(_ transfer: Transfer) {
        let (level, kind, text) = transfer.phrase
        host.announce(level, kind, of: transfer.request.session, text)
        if transfer.progress.result == .failed, transfer.name != nil { host.hasFailures = true }
        guard host.isStarted else { return }
        host.loop.afterThisRound { [unowned self] in
            guard host.breakdown == nil, !host.engine.isEnding else { return }
            prune(after: transfer)
            let definition = host.manifest.transfers.first { $0.name == transfer.name }
            guard let definition else { return }
            if coordinator.isWriting {
                submitLater(.news)
            } else {
                submit(definition, .news)
            }
        }
    }

    /// Submits the tasks for finished transfers.
    func deliver() {
        guard coordinator.isOpen else { return }
        let finished = coordinator.undelivered
        guard !finished.isEmpty else { return }
        let rule = DeliveryRule(
            hasTask: { [unowned self] session in
                host.manifest.tasks.contains {
                    $0.declaration.kind == .transfer
                        && IdentifierRule(permitting: [$0.declaration.identifier]).permits(session)
                }
            },
            isTaken: { [unowned self] in isTaken($0) })
        let verdicts = rule.verdicts(finished: finished, unfinished: coordinator.unfinishedSessions)
        for verdict in verdicts {
            switch verdict {
            case .drop(let ids): coordinator.drop(ids)
            case .launch(let session): launch(session)
            case .tell(let task, let id):
                if let transfer = coordinator.open[id] { submit(task, for: transfer) }
            }
        }
    }

    private func isTaken(_ task: String) -> Bool {
        guard !submitting.contains(task), !refused.contains(task),
            host.engine.runningAttempt(task) == nil
        else { return true }
        creating = creating.filter { host.running($0.key) != nil }
        if creating.values.contains(where: { $0.contains(task) }) { return true }
        let waiting =
            [host.engine.pendingRequest(task)]
            + host.interrupted.map(\.request).filter { $0.identifier == task }
        return waiting.contains { request in
            request.map { $0.kind == .transfer || TransferReport.isTold(by: $0.parameters) }
                ?? false
        }
    }

    private func submit(_ task: String, for transfer: Transfer) {
        let submission = Submission(
            identifier: task, parameters: TransferReport(transfer).parameters)
        submitting.insert(task)
        host.ask({ .submit(submission, ticket: $0) }, isLate: false) { [unowned self] reply in
            submitting.remove(task)
            if case .refused(let refusal) = reply {
                guard !isPassing(refusal) else { return tryLater(task) }
                host.say(
                    .error,
                    "Nothing follows \(transfer.label): \(task) was refused: \(refusal.message)")
            }
            coordinator.noteDelivered([transfer.id])
        }
    }

    /// Apple: handleEventsForBackgroundURLSession. A task that has left events unprocessed is launched again after an
    /// increasing delay.
    private func launch(_ session: String) {
        let before = launches[session] ?? 0
        launches[session] = before.saturatingAdding(1)
        let backoff = RetryRule(backoff: .exponential, from: .seconds(10), to: .hours(5))
        let delay = before == 0 ? nil : backoff.delay(afterFailures: before)
        submitting.insert(session)
        let submission = Submission(identifier: session, delay: delay)
        host.ask({ .submit(submission, ticket: $0) }, isLate: false) { [unowned self] reply in
            submitting.remove(session)
            guard case .refused(let refusal) = reply else { return }
            launches[session] = before
            if isPassing(refusal) { return tryLater(session) }
            refused.insert(session)
            host.say(.error, "The events of session \(session) wait: \(refusal.message)")
        }
    }

    private func isPassing(_ refusal: Refusal) -> Bool {
        switch refusal {
        case .tooManyPending, .unavailable, .busy, .alreadyRunning: true
        default: false
        }
    }

    /// A request was refused because too many are pending; it is submitted again later.
    private func tryLater(_ task: String) {
        refused.insert(task)
        guard retry == nil else { return }
        retry = try? host.clock.timer(host.loop) { [unowned self] in
            retry = nil
            refused = []
            afterRound()
        }
        retry?.set(
            elapsed: host.clock.now.elapsed.saturatingAdding(Interval.seconds(10).nanoseconds))
    }
}

extension Transfer {
    /// Its label for people: its name, or its session and number.
    package var label: String { name ?? "\(request.session)#\(id)" }

    /// The line of the log about its end; `kind` is one word for programs.
    fileprivate var phrase: (level: LogLine.Level, kind: String, text: String) {
        switch progress.result {
        case .completed, nil:
            let verb = request.direction == .download ? "Downloaded" : "Uploaded"
            return (.info, "transfer-completed", "\(verb) \(label): \(progress.bytes) bytes")
        case .unchanged:
            return (.info, "transfer-unchanged", "The file of \(label) has not changed")
        case .failed:
            let problem = progress.problem ?? progress.failure?.rawValue ?? "no reason was given"
            return (.error, "transfer-failed", "The transfer of \(label) failed: \(problem)")
        case .cancelled:
            return (.info, "transfer-cancelled", "The transfer of \(label) was cancelled")
        }
    }

    /// The partial file of a cancelled download, which another download can resume.
    fileprivate var part: String? {
        wanted == .cancelledResumable && isFinished && request.direction == .download
            ? progress.file : nil
    }
}
