// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
import BGRunLoop
import BGRunManifest
public import BGRunStore
import BGRunSupervisor
import BGRunWire
import CBGRunPlugin

extension Host {
    public typealias PushAnswerer = (Result<PushReceipt, PushRefusal>) -> Void

    /// Takes in a message that `source` names; `answer` is called once, when it is on the disk or
    /// refused.
    public func push(_ offer: PushOffer, from source: String, _ answer: @escaping PushAnswerer) {
        let now = clock.now
        let declaration = engine.declaration(for: offer.identifier)
        do throws(PushRefusal) {
            guard breakdown == nil, !engine.isEnding else { throw PushRefusal.unavailable }
            try PushRule.check(
                offer, declaration: declaration, refreshSwitch: engine.appFacts.refreshSwitch,
                now: now.wall)
        } catch {
            return refuse(error, offer.identifier, from: source, answer)
        }
        var message: PushMessage?
        ask(
            { ticket in
                message = pushes.submit(offer, ticket: ticket, at: now.wall)
                return .submit(Submission(identifier: offer.identifier), ticket: ticket)
            }, isLate: true
        ) { [unowned self] reply in
            switch reply {
            case .accepted(let request, _):
                guard let message else { return answer(.failure(.unavailable)) }
                let receipt = PushReceipt(
                    id: message.id, identifier: message.identifier, request: request,
                    held: heldPushes(of: message.identifier).count)
                answerAfterSync { answer($0 ? .success(receipt) : .failure(.unavailable)) }
            case .refused(let refusal):
                refuse(.notAccepted(refusal), offer.identifier, from: source, answer)
            default:
                answer(.failure(.unavailable))
            }
        }
    }

    /// What a source could not even offer is refused, and recorded like the rest.
    public func refuse(
        _ refusal: PushRefusal, _ identifier: String, from source: String,
        _ answer: @escaping PushAnswerer
    ) {
        if breakdown == nil {
            let known = engine.declaration(for: identifier) == nil ? "" : identifier
            record(
                "push-refused", known,
                "Refused a push from \(source): \(refusal.reason): \(refusal.message)", .warning)
        }
        answer(.failure(refusal))
    }

    /// What waits for an attempt of `identifier`, the oldest first.
    public func heldPushes(of identifier: String) -> [PushMessage] {
        pushes.held[identifier]?.messages ?? []
    }

    // MARK: with what the engine decides

    /// What is to be stored of messages with `actions`. Comes before the changes of the actions
    /// themselves: a launch among them is given what arrives with it.
    func pushChanges(for actions: [Action], at now: Instant) -> [StoreChange] {
        var changes: [StoreChange] = []
        for action in actions {
            switch action {
            case .reply(let ticket, let reply):
                let limit = engine.configuration.policy.pushHeld
                guard let taken = pushes.answered(ticket, reply, limit: limit) else { continue }
                changes.append(.holdPush(taken.message))
                changes += lose(taken.lost, at: now)
                setPushTimer(at: now)
            case .record(.appForceQuit):
                changes += lose(pushes.discardAll(.forceQuit), at: now)
            case .record(.cancelled(let request)):
                changes += lose(pushes.discardWaiting(request.identifier, .cancelled), at: now)
            case .record(.gaveUp(let request, let outcome)):
                guard outcome == .interrupted || definition(of: request)?.declaration.retry != nil
                else { continue }
                // The same messages would fail, or kill the host, again.
                changes += lose(pushes.discardGivenUp(request.identifier), at: now)
            default: break
            }
        }
        return changes
    }

    /// The attempt is over: what it was given is delivered when it has completed, and what it said came of
    /// it is stored.
    func pushChanges(
        atEndOf attempt: Int64, _ identifier: String, _ outcome: Outcome
    ) -> [StoreChange] {
        let end = pushes.end(attempt, of: identifier, outcome)
        return end.delivered.map { .dropPush(id: $0.id) }
            + (end.result.map { [.fetched(attempt: attempt, $0)] } ?? [])
    }

    private func definition(of request: TaskRequest) -> TaskDefinition? {
        engine.declaration(for: request.identifier).flatMap { definitions[$0.identifier] }
    }

    /// What is lost is told once, with its reason.
    private func lose(_ lost: [HeldPushes.Lost], at now: Instant) -> [StoreChange] {
        lost.flatMap { lost -> [StoreChange] in
            log.write(
                LogLine(
                    at: now.wall, level: lost.loss == .collapsed ? .debug : .info,
                    text: lost.sentence,
                    subject: LogLine.Subject(
                        kind: "push-dropped", identifier: lost.message.identifier,
                        reason: lost.loss.rawValue)))
            return lost.changes(at: now)
        }
    }

    // MARK: expiry

    /// Drops messages whose date has come. A request that nothing is left of is cancelled: these are the
    /// events that must come before any other.
    func expirePushes(at now: Instant) -> [Event] {
        guard let date = pushes.nextExpiry, date <= now.wall else { return [] }
        let (lost, ended) = pushes.expire(at: now.wall)
        unsaved += lose(lost, at: now)
        saveAfterThisRound()
        setPushTimer(at: now)
        // One that a person or a program has submitted meanwhile goes on.
        return ended.filter { engine.pendingRequest($0.identifier)?.id == $0.request }
            .map { .cancel(identifier: $0.identifier, ticket: nil) }
    }

    func setPushTimer(at now: Instant) {
        guard let date = pushes.nextExpiry else { return pushTimer = nil }
        if pushTimer == nil {
            pushTimer = try? clock.timer(loop) { [unowned self] in
                send(.timer)
                // The clock may have been set back.
                if breakdown == nil { setPushTimer(at: clock.now) }
            }
        }
        // Nothing is dropped while the store is busy: a timer that has passed would fire without end.
        let least: Int64 = stalled == nil ? 0 : 1_000
        // A date may be as far as it likes, and a clock that is set is noticed within the hour.
        let wait = min(
            3_600_000,
            max(least, date.milliseconds.saturatingSubtracting(now.wall.milliseconds)))
        pushTimer?.set(elapsed: now.elapsed + wait * 1_000_000)
    }

    // MARK: calls of handlers

    /// Messages of one part of an answer: a part fits in a frame.
    private static let pushPart = 64

    func answer(_ call: WorkerMessage.PushCall, from attempt: Int64, _ answer: CallAnswer) {
        guard views[attempt]?.attempt.request.kind == .push else {
            return answer(HostMessage.Answer(status: BGRUN_E_STATE))
        }
        switch call {
        case .messages:
            answer.inParts(of: Self.pushPart) { [weak self] in
                self?.pushes.given(to: attempt) ?? []
            } _: {
                HostMessage.Answer(status: BGRUN_OK, pushes: $0.map(HostMessage.Push.init))
            }
        case .result(let number):
            guard let result = FetchResult(rawValue: UInt32(clamping: number)) else {
                return answer(HostMessage.Answer(status: BGRUN_E_INVALID))
            }
            pushes.note(result, of: attempt)
            answer(HostMessage.Answer(status: BGRUN_OK))
        }
    }

    // MARK: one sync for many answers

    /// Messages that come together are answered together: a sync of the disk for each would take as long as
    /// a thousand commits.
    private func answerAfterSync(_ answer: @escaping (_ isStored: Bool) -> Void) {
        unsynced.append(answer)
        guard unsynced.count == 1 else { return }
        loop.afterThisRound { [unowned self] in
            guard breakdown == nil, stalledSince == nil else { return }
            do throws(StoreError) { try syncPushes() } catch { breakDown(error) }
        }
    }

    /// Syncs the messages of this round and answers their senders; while the store is busy, they wait.
    func syncPushes() throws(StoreError) {
        guard !unsynced.isEmpty else { return }
        let lines = takeUnsaved()
        do throws(StoreError) {
            try store.apply(
                lines + [.nextPush(id: pushes.nextID)], durability: .full,
                patience: Self.busyPatience)
        } catch {
            guard case .busy = error else { throw error }
            unsaved = lines
            unsavedIsWaiting = true
            return waitForStore()
        }
        answerPushes(areStored: true)
        endIfDone()
    }

    func answerPushes(areStored: Bool) {
        let answers = unsynced
        unsynced = []
        for answer in answers { answer(areStored) }
    }

    /// A line of the log and of the event table.
    func record(
        _ kind: String, _ identifier: String, _ text: String, _ level: LogLine.Level = .info
    ) {
        let now = clock.now
        log.write(
            LogLine(
                at: now.wall, level: level, text: text,
                subject: LogLine.Subject(kind: kind, identifier: identifier)))
        unsaved.append(
            .event(EventLine(at: now, kind: kind, identifier: identifier, text: text)))
        saveAfterThisRound()
    }
}

extension HeldPushes.Lost {
    /// That it is not delivered, and why.
    var sentence: String {
        "Dropped a push of \(message.identifier): \(why)"
    }

    /// What is to be stored of it.
    public func changes(at now: Instant) -> [StoreChange] {
        [
            .dropPush(id: message.id),
            .event(
                EventLine(
                    at: now, kind: "push-\(loss.rawValue)", identifier: message.identifier,
                    text: sentence)),
        ]
    }

    private var why: String {
        switch loss {
        case .collapsed: "a newer one took its place"
        case .expired: "its expiration has come"
        case .pushedOut: "more are held than `push_held` allows"
        case .forceQuit: "the app was force-quit"
        case .cancelled: "its request was cancelled"
        case .gaveUp: "no further attempt is granted"
        }
    }
}

extension HostMessage.Push {
    fileprivate init(_ message: PushMessage) {
        self.init(
            payload: message.payload, collapseID: message.collapseID,
            priority: UInt8(clamping: message.priority),
            receivedUnixNanoseconds: Interval.milliseconds(message.received.milliseconds)
                .nanoseconds)
    }
}
