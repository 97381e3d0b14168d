// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// What the engine is still to be told.
struct EventQueue {
    var events: [Event] = []
    /// What comes before all others when the host is started.
    var first: [Event] = []
    /// Whether the events are being handled: those that are sent then are handled with them.
    var isHandling = false
    /// How long the machine had slept at the last event.
    var asleep: Int64

    init(asleep: Int64) { self.asleep = asleep }
}

extension Host {
    /// Feeds the engine one event. Events of one moment are handled in order, each whole.
    public func send(_ event: Event) {
        if isStarted, !queue.isHandling {
            // What is found then is an event of this round, before `event` and not a round of its own.
            queue.isHandling = true
            observer?.willDecide()
            queue.isHandling = false
        }
        queue.events.append(event)
        if isStarted { handleEvents() }
    }

    func handleEvents() {
        guard !queue.isHandling, stall.round == nil else { return }
        queue.isHandling = true
        defer { queue.isHandling = false }
        while breakdown == nil, stall.round == nil, !queue.events.isEmpty || takesOverManifest() {
            // Before anything else: time that passed asleep is nobody's failure.
            if hasSlept() { queue.events.insert(.slept, at: 0) }
            let now = clock.now
            for feature in features {
                queue.events.insert(contentsOf: feature.eventsDue(at: now), at: 0)
            }
            let event = queue.events.removeFirst()
            let actions = engine.handle(event, at: now, using: &record.random)
            note(event, at: now, actions)
            observer?.decided(event, actions, at: now)
            do {
                try perform(actions, at: now)
            } catch {
                breakDown(error)
            }
        }
        for feature in features { feature.afterRound() }
        tellNeeds()
        tellWorkersOfDevice()
        observer?.shares(
            running: engine.discretionaryAttempts, wantsMore: engine.wantsMoreRoom)
        observer?.handled()
        if engine.isSuspending, engine.hasNoAttempt { observer?.maySleep() }
        noteChange()
        endIfDone()
    }

    /// Whether the machine has slept since the last event. The clocks are read one after the other and
    /// differ by less than a tenth of a second.
    private func hasSlept() -> Bool {
        let before = queue.asleep
        queue.asleep = max(before, clock.asleep)
        return queue.asleep - before > 100_000_000
    }
}
