// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunSupervisor

/// Events for the engine.
struct EventQueue {
    /// In the order in which they are handled.
    private var waiting: [(event: Event, arrived: Instant?)] = []
    /// The number of events at the beginning of `waiting` that were handled: removing each one would move all others.
    private var handled = 0
    /// Events before all others when the host starts.
    var first: [Event] = []
    /// Whether the events are being handled: those sent meanwhile are handled with them.
    var isHandling = false
    /// How long the machine had slept at the last event.
    var asleep: Int64

    init(asleep: Int64) { self.asleep = asleep }

    var isEmpty: Bool { handled == waiting.count }

    var count: Int { waiting.count - handled }

    /// Whether the next event has waited for a busy store.
    var isLate: Bool { waiting[handled...].first?.arrived != nil }

    /// Whether the next event withdraws launches whose workers could not be started.
    var isDeferral: Bool {
        if case .launchDeferred? = waiting[handled...].first?.event { true } else { false }
    }

    mutating func append(_ event: Event) {
        precondition(count < HostLimits.sent, "events cause events without end")
        waiting.append((event, nil))
    }

    /// The store is busy, and the event must wait. An event that may repeat without limit replaces the previous one.
    mutating func hold(_ event: Event, at now: Instant) {
        removeHandled()
        switch event {
        // It lapses unless it is used at once.
        case .granted: return
        case .timer, .progress, .deviceChanged, .suspending, .manifestChanged,
            .submit(_, ticket: nil):
            waiting.removeAll { $0.event.isReplaced(by: event) }
        case .resumed:
            waiting.removeAll {
                switch $0.event {
                case .suspending, .resumed: true
                default: false
                }
            }
        case .assertionEnded(let attempt, let id):
            if removeBegin(of: id, attempt) { return }
        default: break
        }
        waiting.append((event, now))
    }

    /// Removes the waiting start of an assertion, unless the attempt has reported since: then the assertion counts.
    /// Returns whether it removed one.
    private mutating func removeBegin(of assertion: Int64, _ attempt: Int64) -> Bool {
        let begin = waiting.lastIndex {
            $0.event == .assertionBegan(attempt: attempt, id: assertion)
        }
        guard let begin,
            !waiting[begin...].contains(where: { $0.event == .attemptReported(attempt: attempt) })
        else { return false }
        waiting.remove(at: begin)
        return true
    }

    /// Puts events before all others.
    mutating func insert(_ events: [Event]) {
        guard !events.isEmpty else { return }
        removeHandled()
        let arrived = waiting.first?.arrived
        waiting.insert(contentsOf: events.map { ($0, arrived) }, at: 0)
    }

    mutating func next() -> (event: Event, arrived: Instant?) {
        precondition(!isEmpty, "no event waits")
        let next = waiting[handled]
        handled += 1
        if handled > waiting.count / 2 { removeHandled() }
        return next
    }

    private mutating func removeHandled() {
        waiting.removeFirst(handled)
        handled = 0
    }

    /// The store is busy: all events must wait.
    mutating func hold(at now: Instant) {
        removeHandled()
        for index in waiting.indices { waiting[index].arrived = waiting[index].arrived ?? now }
    }

    /// The store is free: the engine checks what became due meanwhile after the events that have waited.
    mutating func resume() { if waiting[handled...].last?.arrived != nil { append(.timer) } }
}

extension Host {
    /// Passes an event to the engine. Events of one moment are handled in order, each completely.
    package func send(_ event: Event) {
        if stall.round != nil {
            queue.hold(event, at: clock.now)
            // None of them may be lost: the next host relies on the store.
            if queue.count > HostLimits.events, breakdown == nil {
                breakDown(.busy(path: store.path))
            }
            return
        }
        if isStarted, !queue.isHandling {
            // Changes found then are events of this round, before `event`, not a round of their own.
            queue.isHandling = true
            observer?.willDecide()
            queue.isHandling = false
        }
        queue.append(event)
        if isStarted { handleEvents() }
    }

    func handleEvents() {
        guard !queue.isHandling, stall.round == nil else { return }
        queue.isHandling = true
        defer { queue.isHandling = false }
        while breakdown == nil, stall.round == nil, !queue.isEmpty || takesOverManifest() {
            let (event, now) = nextEvent()
            let actions = engine.handle(event, at: now, using: &record.random)
            note(event, at: now, actions)
            observer?.decided(event, actions, at: now)
            do {
                try perform(actions + takeCancelledEnds(), at: event.reported ?? now)
            } catch {
                breakDown(error)
            }
        }
        for feature in features { feature.afterRound() }
        if stall.round == nil { supervisor.pendingRequestsChanged() }
        tellNeeds()
        tellWorkersOfDevice()
        // A grant would lapse while the store is busy.
        observer?.shares(
            running: engine.discretionaryAttempts,
            wantsMore: engine.wantsMoreSlots && stall.round == nil)
        observer?.handled()
        if engine.isSuspending, engine.hasNoAttempt { observer?.maySleep() }
        noteChange()
        endIfDone()
    }

    private func nextEvent() -> (Event, Instant) {
        let now: Instant
        if queue.isDeferral {
            // The engine still counts these attempts as running: no other event may come before.
            now = clock.now
        } else {
            // Comes first: the time asleep must not count against any attempt.
            if !queue.isLate, hasSlept() { queue.insert([.slept]) }
            now = clock.now
            for feature in features { queue.insert(feature.eventsDue(at: now)) }
        }
        let (event, arrived) = queue.next()
        return (arrived.map { .late(event, arrived: $0) } ?? event, now)
    }

    /// Whether the machine has slept since the last event. The clocks are read one after the other and
    /// differ by less than a tenth of a second.
    private func hasSlept() -> Bool {
        let before = queue.asleep
        queue.asleep = max(before, clock.asleep)
        return queue.asleep.saturatingSubtracting(before) > 100_000_000
    }
}

extension Event {
    /// When a late report arrived, which is when the event happened.
    fileprivate var reported: Instant? {
        if case .late(let event, let arrived) = self, event.isReport { arrived } else { nil }
    }

    /// Whether `later` makes it obsolete.
    fileprivate func isReplaced(by later: Event) -> Bool {
        switch (self, later) {
        case (.timer, .timer), (.deviceChanged, .deviceChanged), (.suspending, .suspending): true
        case (.progress(let attempt, _, _), .progress(let another, _, _)): attempt == another
        // The newer one contains the attempts that it stops, too.
        case (.manifestChanged, .manifestChanged): true
        case (.submit(let submission, ticket: nil), .submit(let another, ticket: nil)):
            submission == another
        default: false
        }
    }
}
