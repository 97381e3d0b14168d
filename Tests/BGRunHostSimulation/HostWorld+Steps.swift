// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunPushes
import BGRunStorage
import BGRunSupervisor
import BGRunSystem

/// The random events of a host, one in each step.
extension HostWorld {
    func perform() {
        switch random.below(100) {
        case 0..<26: submit()
        case 26..<31: cancel()
        case 31..<36: trigger()
        case 36..<39: expireByHand()
        case 39..<44: push()
        case 44..<53: changeDevice()
        case 53..<56: stepClock()
        case 56..<60: sleep()
        case 60..<65: changeApp()
        case 65..<67: interact { $0.childrenEnded() }
        case 67..<72: sendStaleNotice()
        case 72..<74: reload()
        case 74..<82: break
        default: if random.below(4) < severity { performFault() }
        }
    }

    private func performFault() {
        switch random.below(19) {
        case 0..<5: holdStore()
        case 5..<7: fillDisk()
        case 7..<11: life.map(planDeath)
        case 11..<13: kill()
        case 13..<16: cutPower()
        default: shutDown()
        }
    }

    /// Calls `body` with the host, if one runs.
    func interact(_ body: (BGRunHost.Host) -> Void) {
        guard let life, !life.isDead, let host = life.host else { return }
        body(host)
    }

    /// Sends the host a request; calls `answered` with its reply, unless the host dies before.
    private func ask(
        _ text: String, _ event: @escaping (Ticket) -> Event,
        _ answered: @escaping (Reply) -> Void = { _ in }
    ) {
        guard let life, !life.isDead, let host = life.host else { return }
        life.asked += 1
        let question = life.asked
        life.questions.insert(question)
        note(40, Int64(question), "ask \(question): \(text)")
        host.ask(event) { [unowned self, unowned life] reply in
            guard !life.isDead else { return }
            note(41, Int64(question), "answer \(question): \(reply)")
            if life.questions.remove(question) == nil {
                violate(.answers, "question \(question) (\(text)) is answered twice")
            }
            answered(reply)
        }
    }

    private var identifier: String { random.pick(RandomManifest.identifiers) ?? "" }

    private func submission() -> Submission {
        let delay = random.pick([nil, nil, 0, 2, 15, 100])
        return Submission(
            identifier: identifier, delay: delay.flatMap { $0 }.map { .seconds(Int64($0)) },
            parameters: random.once(in: 4) ? "{\"a\":1}" : nil, isFromApp: random.once(in: 5))
    }

    private func submit() {
        let submission = submission()
        ask("submit \(submission.identifier)", { .submit(submission, ticket: $0) }) {
            [unowned self] reply in
            if case .accepted(let request, _) = reply { acknowledge(request.id) }
        }
    }

    private func cancel() {
        guard let life, let host = life.host else { return }
        // While the store is busy, other requests come first, and the cancelled requests are not known yet.
        let isKnown = host.waitsForStoreSince == nil
        if random.once(in: 5) {
            life.cancelled.insert(nil)
            let ids = host.engine.pendingRequests.map(\.id)
            return ask("cancel all", { .cancelAll(ticket: $0) }) { [unowned self] reply in
                if isKnown, case .cancelled(ids.count) = reply { forget(ids) }
            }
        }
        let identifier = identifier
        life.cancelled.insert(identifier)
        let id = host.engine.pendingRequest(identifier)?.id
        ask("cancel \(identifier)", { .cancel(identifier: identifier, ticket: $0) }) {
            [unowned self] reply in
            if isKnown, case .cancelled(1) = reply, let id { forget([id]) }
        }
    }

    private func forget(_ requests: [Int64]) {
        for request in requests {
            // An attempt that was launched at the same moment continues.
            let isPending = disk.current.requests.values.contains { $0.id == request }
            guard isPending || disk.current.gone.contains(request) else { continue }
            guard disk.synced.gone.contains(request) else {
                violate(.durable, "the removal of request \(request) is answered and not synced")
                return
            }
            ledger.acknowledgeRemoval(of: request)
        }
    }

    private func trigger() {
        let submission = submission()
        ask("trigger \(submission.identifier)", { .trigger(submission, ticket: $0) }) {
            [unowned self] reply in
            guard case .launched(let attempt) = reply else { return }
            let request =
                disk.synced.running[attempt]?.attempt.request.id
                ?? disk.synced.history[attempt]?.request
            guard let request else {
                return violate(.durable, "the launch of \(attempt) is answered and not synced")
            }
            acknowledge(request)
        }
    }

    private func expireByHand() {
        let identifier = identifier
        let reason = random.pick([StopReason.time, .cancelled, .quota, .preempted]) ?? .time
        ask(
            "expire \(identifier) (\(reason.name))",
            { .expire(identifier: identifier, reason, ticket: $0) })
    }

    private func push() {
        guard let life, !life.isDead, let host = life.host else { return }
        let payload = PushOffer.empty
        let expires = random.once(in: 4) ? time.wall.advanced(by: .seconds(20)) : nil
        let offer = PushOffer(
            identifier: identifier, payload: payload, payloadBytes: payload.utf8.count,
            aps: PushOffer.APS(isContentAvailable: true),
            collapseID: random.once(in: 2) ? "c\(random.below(2))" : nil, expires: expires)
        life.asked += 1
        let question = life.asked
        life.questions.insert(question)
        note(42, Int64(question), "push \(question) for \(offer.identifier)")
        host.push(offer, from: "the simulation") { [unowned self, unowned life] result in
            guard !life.isDead else { return }
            note(43, Int64(question), "push \(question): \(result)")
            if life.questions.remove(question) == nil {
                violate(.answers, "push \(question) is answered twice")
            }
            if case .success(let receipt) = result { acknowledge(receipt.request.id) }
        }
    }

    private func changeDevice() {
        func reading() -> Reading { random.pick([.yes, .yes, .yes, .no, .unknown]) ?? .yes }
        device = DeviceState(
            externalPower: reading(), batteryPercent: random.below(101),
            lowPowerMode: random.once(in: 6) ? .yes : .no, network: reading(),
            networkMetered: random.once(in: 2) ? .no : .yes, userIdle: reading(),
            storageLow: random.once(in: 6) ? .yes : .no,
            thermal: random.once(in: 8) ? .critical : .nominal,
            pressure: random.once(in: 6) ? .yes : .no, gpu: .yes)
        note(44, "the device changes: \(device)")
        interact { $0.deviceReads(device) }
    }

    private func stepClock() {
        let step = Interval.seconds(Int64(random.below(1_200)) - 600)
        note(
            45, step.nanoseconds,
            "the calendar clock is set by \(step.nanoseconds / 1_000_000_000) s")
        time.step(by: step)
        guard let life, !life.isDead else { return }
        if step > .zero { ledger.counts.stepsForward += 1 }
        if step < .zero { ledger.counts.stepsBack += 1 }
        life.clock.tellOfStep()
    }

    private func sleep() {
        let isAnnounced = random.once(in: 2)
        if isAnnounced {
            let limit = random.pick([nil, Interval.seconds(5)]).flatMap { $0 }
            interact { $0.deviceSuspends(within: limit) }
            settle()
            pass(random.nanoseconds(0...8_000))
        }
        let length = Interval.seconds(1 + Int64(random.below(2_000)))
        note(
            46, length.nanoseconds, "the machine sleeps for \(length.nanoseconds / 1_000_000_000) s"
        )
        time.sleep(length)
        life?.punctualSince = time.elapsed
        if isAnnounced {
            interact { $0.deviceResumed() }
            settle()
        }
    }

    private func changeApp() {
        switch random.below(6) {
        case 0:
            life?.cancelled.insert(nil)
            ask("force-quit", { .appForceQuit(ticket: $0) })
        case 1: ask("refresh off", { .refreshSwitch(.denied, ticket: $0) })
        case 2: ask("refresh on", { .refreshSwitch(.available, ticket: $0) })
        default: ask("open the app", { .appOpened(ticket: $0) })
        }
    }

    /// Sends a message about an attempt that has ended.
    private func sendStaleNotice() {
        guard let newest = disk.current.history.keys.max() else { return }
        let attempt = max(1, newest - Int64(random.below(4)))
        guard disk.current.running[attempt] == nil else { return }
        let notice: AttemptNotice
        switch random.below(5) {
        case 0: notice = .progress(attempt: attempt, completed: 1, total: 2)
        case 1: notice = .reported(attempt: attempt)
        case 2: notice = .assertionBegan(attempt: attempt, id: 1)
        case 3:
            notice = .line(attempt: attempt, HandlerLine(source: .standardError, text: "late"))
        default: notice = .ended(attempt: attempt, AttemptEnd(outcome: .completed))
        }
        note(47, attempt, "a late message: \(notice)")
        guard let life, !life.isDead else { return }
        life.loop.afterThisRound { [weak life] in life?.notices?.onNotice(notice) }
    }

    private func holdStore() {
        note(48, "another program holds the store")
        disk.isBusy = true
        let length =
            random.once(in: 4) ? random.nanoseconds(1_000...90_000) : random.nanoseconds(1...2_000)
        let boot = boots
        plan(after: length) { [unowned self] in if boots == boot { disk.isBusy = false } }
    }

    private func fillDisk() {
        note(49, "the disk is full")
        disk.isFull = true
        plan(after: random.nanoseconds(500...30_000)) { [unowned self] in disk.isFull = false }
    }

    private func kill() {
        guard let life else { return }
        life.isDead = true
        life.endsWithPower = false
        bury(life)
    }

    private func shutDown() {
        guard let life, !life.isDead, let host = life.host else { return }
        note(50, "shut down")
        if life.isEnding, random.once(in: 2) {
            life.isKilling = true
            host.killEverything()
        } else {
            life.isEnding = true
            host.shutDown()
        }
    }

    private func reload() {
        var stream = stream(Int64(random.below(1_000)), "manifest")
        let text = RandomManifest.text(&stream, kinds: RandomManifest.kinds(of: manifest))
        guard let next = try? RandomManifest.read(text) else { return }
        note(51, "another manifest\n\(text)")
        manifest = next
        interact { $0.reload(next) }
    }
}
