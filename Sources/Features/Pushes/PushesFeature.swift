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
import CBGRunPlugin

/// Holds silent pushes until an attempt of their task has processed them.
final class PushesFeature: HostFeature {
    unowned let host: Host
    /// Held messages, and those that are being stored.
    private var queue: PushQueue
    /// The sources; nil while the manifest has none.
    var sources: PushSourcesInUse?
    let isListening: Bool
    let workerExecutable: String
    /// The timer of the next expiration; nil if no message expires.
    private var timer: (any HostTimer)?
    /// Answers that wait for the sync at the end of the round.
    private var unsynced: [(_ isStored: Bool) -> Void] = []
    /// Pushes that came while the store was busy: they are checked when it is free, and may have expired.
    private var offers: [(PushOffer, source: String, PushAnswerer)] = []
    static let mostOffers = 1_000

    init(_ host: Host, _ ports: Host.Ports, isListening: Bool) throws(StoreError) {
        self.host = host
        queue = PushQueue(try host.store.heldPushes(of: nil), nextID: try host.store.nextPushID())
        self.isListening = isListening
        workerExecutable = ports.workerExecutable
    }

    // MARK: taking in

    func push(_ offer: PushOffer, from source: String, _ answer: @escaping PushAnswerer) {
        precondition(offers.count <= Self.mostOffers, "\(offers.count) pushes wait")
        if host.isStalled, offers.count < Self.mostOffers {
            offers.append((offer, source, answer))
        } else {
            take(offer, from: source, answer)
        }
    }

    private func take(_ offer: PushOffer, from source: String, _ answer: @escaping PushAnswerer) {
        let now = host.clock.now
        do throws(PushRefusal) {
            guard host.breakdown == nil, !host.engine.isEnding, offers.count < Self.mostOffers
            else {
                throw PushRefusal.unavailable
            }
            try offer.check(by: host.engine, at: now.wall)
        } catch {
            return refuse(error, offer.identifier, from: source, answer)
        }
        var message: PushMessage?
        host.ask(
            { ticket in
                message = queue.submit(offer, ticket: ticket, at: now.wall)
                return .submit(Submission(identifier: offer.identifier), ticket: ticket)
            }, isLate: true
        ) { [unowned self] reply in
            switch reply {
            case .accepted(let request, _):
                guard let message else { return answer(.failure(.unavailable)) }
                let receipt = queue.receipt(of: message, request)
                answerAfterSync { answer($0 ? .success(receipt) : .failure(.unavailable)) }
            case .refused(let refusal):
                refuse(.notAccepted(refusal), offer.identifier, from: source, answer)
            default:
                answer(.failure(.unavailable))
            }
        }
    }

    func refuse(
        _ refusal: PushRefusal, _ identifier: String, from source: String,
        _ answer: @escaping PushAnswerer
    ) {
        if host.breakdown == nil {
            let known = host.engine.declaration(for: identifier) == nil ? "" : identifier
            record(
                "push-refused", known,
                "Refused a push from \(source): \(refusal.reason): \(refusal.message)", .warning)
        }
        answer(.failure(refusal))
    }

    func held(of identifier: String) -> [PushMessage] { queue.held[identifier]?.messages ?? [] }

    // MARK: the host

    /// Expired messages have been dropped before this.
    func start() {
        setTimer(at: host.clock.now)
        useSources(of: host.manifest)
        if host.ending == .afterOneRound { sources?.inbox?.readAll() }
    }

    func manifestChanged(from old: Manifest) {
        let next = host.manifest
        if next.push != old.push { useSources(of: next) }
    }

    func complete(_ work: inout Work, for attempt: Attempt) {
        guard let newest = queue.give(to: attempt).last else { return }
        // Under its own key: a sender of pushes must not override the parameters of the manifest.
        work.launch.parameters = Parameters.overlay(
            JSONText.object([("push", newest.payload)]), on: work.launch.parameters)
    }

    func withdrawn(_ attempt: Int64) { queue.takeBack(from: attempt) }

    func add(to overview: inout AppOverview) {
        for source in sourceStates {
            guard let problem = source.problem else { continue }
            overview.notices.append(
                "no push comes from the \(source.source) \(source.place): \(problem)")
        }
    }

    var isBusy: Bool { sources != nil }

    /// The sender of a push waits for its sync.
    func stop() -> Bool { unsynced.isEmpty && offers.isEmpty }

    func close() {
        if host.breakdown != nil {
            answer(areStored: false)
            takeOffers()
        }
        sources = nil
    }

    // MARK: decisions of the engine

    /// The changes of messages to store with `actions`: a launch among them receives the messages that arrive with it,
    /// without those that an attempt has completed with it.
    func changesBefore(_ actions: [Action], at now: Instant) -> [StoreChange] {
        let steps = queue.steps(for: actions, of: host.engine)
        if steps.contains(where: \.isHeld) { setTimer(at: now) }
        return changes(of: steps, at: now)
    }

    /// Stores an attempt's result for its messages with its end.
    func changes(
        for actions: [Action], ends: [Int64: AttemptEnd], at now: Instant
    ) -> [StoreChange] {
        actions.compactMap { action in
            guard case .record(.ended(_, let attempt, _)) = action else { return nil }
            return queue.end(attempt).map { .fetched(attempt: attempt, $0) }
        }
    }

    /// Reports each lost message once, with the reason.
    private func changes(of steps: [PushQueue.Step], at now: Instant) -> [StoreChange] {
        for case .lost(let lost) in steps {
            host.log.write(
                LogLine(
                    at: now.wall, level: lost.loss == .collapsed ? .debug : .info,
                    text: lost.sentence,
                    subject: LogLine.Subject(
                        kind: "push-dropped", identifier: lost.message.identifier,
                        reason: lost.loss.rawValue)))
        }
        return steps.flatMap { $0.changes(at: now) }
    }

    // MARK: expiry

    /// Drops expired messages: the events that follow must come before any other.
    func eventsDue(at now: Instant) -> [Event] {
        guard let date = queue.nextExpiry, date <= now.wall else { return [] }
        let (steps, events) = queue.expire(at: now.wall, of: host.engine)
        host.save(changes(of: steps, at: now))
        setTimer(at: now)
        return events
    }

    private func setTimer(at now: Instant) {
        guard let date = queue.nextExpiry else { return timer = nil }
        if timer == nil {
            timer = try? host.clock.timer(host.loop) { [unowned self] in
                host.send(.timer)
                // The clock may have been set back.
                if host.breakdown == nil { setTimer(at: host.clock.now) }
            }
        }
        // Nothing is dropped while the store is busy: an expired timer would fire without end.
        let least: Interval = host.isStalled ? .seconds(1) : .zero
        // A date may be arbitrarily far away, and a clock change is noticed within the hour.
        let wait = min(.hours(1), max(least, now.wall.interval(until: date)))
        timer?.set(elapsed: now.elapsed.saturatingAdding(wait.nanoseconds))
    }

    // MARK: calls of handlers

    /// Messages in one part of a response: a part fits in a frame.
    private static let pushPart = 64

    func answer(_ call: WorkerMessage.Call, from attempt: Int64, _ answer: CallAnswer) -> Bool {
        guard case .pushes(let call) = call else { return false }
        self.answer(call, from: attempt, answer)
        return true
    }

    private func answer(_ call: WorkerMessage.PushCall, from attempt: Int64, _ answer: CallAnswer) {
        guard host.running(attempt)?.request.kind == .push else {
            return answer(HostMessage.Answer(status: BGRUN_E_STATE))
        }
        switch call {
        case .messages:
            answer.inParts(of: Self.pushPart) { [weak self] in
                self?.queue.given(to: attempt) ?? []
            } _: {
                HostMessage.Answer(status: BGRUN_OK, pushes: $0.map(HostMessage.Push.init))
            }
        case .result(let number):
            guard let result = FetchResult(rawValue: UInt32(clamping: number)) else {
                return answer(HostMessage.Answer(status: BGRUN_E_INVALID))
            }
            queue.note(result, of: attempt)
            answer(HostMessage.Answer(status: BGRUN_OK))
        }
    }

    // MARK: one sync for many answers

    /// Messages that come together are answered together: a sync of the disk for each would take as long as a thousand
    /// commits.
    private func answerAfterSync(_ answer: @escaping (_ isStored: Bool) -> Void) {
        unsynced.append(answer)
        guard unsynced.count == 1 else { return }
        host.loop.afterThisRound { [unowned self] in
            guard host.breakdown == nil, !host.isStalled else { return }
            do throws(StoreError) { try storeIsFree() } catch { host.breakDown(error) }
        }
    }

    /// Syncs the messages of this round and answers their senders; while the store is busy, they wait.
    func storeIsFree() throws(StoreError) {
        if !unsynced.isEmpty {
            guard try host.sync([.nextPush(id: queue.nextID)]) else { return }
            answer(areStored: true)
        }
        takeOffers()
        host.endIfDone()
    }

    private func takeOffers() {
        let offers = offers
        self.offers = []
        for (offer, source, answer) in offers { take(offer, from: source, answer) }
    }

    private func answer(areStored: Bool) {
        let answers = unsynced
        unsynced = []
        for answer in answers { answer(areStored) }
    }

    /// A line of the log and of the event table.
    func record(
        _ kind: String, _ identifier: String, _ text: String, _ level: LogLine.Level = .info
    ) {
        let now = host.clock.now
        host.log.write(
            LogLine(
                at: now.wall, level: level, text: text,
                subject: LogLine.Subject(kind: kind, identifier: identifier)))
        host.save([.event(EventLine(at: now, kind: kind, identifier: identifier, text: text))])
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
