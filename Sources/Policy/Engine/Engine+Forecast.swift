// SPDX-License-Identifier: Apache-2.0

/// The state at a future date if nothing happens until then except that time passes. The length of an
/// attempt is unknown: each one completes at once, and so does a running one.
///
/// It has an engine of its own, and is made in as many parts as the caller likes.
package struct Forecast: Sendable {
    /// The engine as it stands then, once the forecast is complete.
    package private(set) var engine: Engine
    /// What is launched until then.
    package private(set) var launches: [Attempt] = []
    /// The date that was asked for.
    package let asked: WallTime
    /// How far it goes: the date that was asked for, or an earlier one when too much is due before.
    package private(set) var reached: WallTime
    /// Whether it goes no further.
    package private(set) var isComplete = false

    private var random = SplitMix(seed: 0)
    /// Events that happen before anything else.
    private var events: ArraySlice<Event>
    /// Whether one of them has happened: from then on, attempts complete.
    private var hasBegun = false
    private let start: Instant
    private var last: Instant
    /// Timers and ends it may still go through.
    private var left = Engine.forecastLimit

    /// Goes from `now` to `date`; `events` happen at `now`.
    package init(
        of engine: Engine, to date: WallTime, from now: Instant, after events: [Event] = []
    ) {
        self.engine = engine
        // When other apps will free slots is unknown.
        self.engine.share = nil
        asked = date
        reached = date
        start = now
        last = now
        self.events = events + [.timer]
    }

    /// Continues by at most `steps` events.
    package mutating func advance(by steps: Int) {
        var steps = steps
        while steps > 0, !isComplete {
            steps -= 1
            step()
        }
    }

    private mutating func step() {
        if hasBegun, left > 0, let attempt = engine.running.first?.attempt.id {
            left -= 1
            return handle(.attemptEnded(attempt: attempt, .completed))
        }
        if let event = events.popFirst() {
            hasBegun = true
            return handle(event)
        }
        guard left > 0 else {
            reached = last.wall
            isComplete = true
            return
        }
        left -= 1
        let due = max(start.elapsed, engine.wake ?? .max)
        let wait = Interval(nanoseconds: due.saturatingSubtracting(start.elapsed))
        let instant = Instant(elapsed: due, wall: start.wall.advanced(by: wait))
        guard engine.wake != nil, instant.wall <= reached else {
            isComplete = true
            return
        }
        last = instant
        handle(.timer)
    }

    private mutating func handle(_ event: Event) {
        for case .launch(let attempt) in engine.handle(event, at: last, using: &random) {
            launches.append(attempt)
        }
    }
}

extension Engine {
    /// Timers and ends of attempts after which a forecast goes no further.
    package static let forecastLimit = 100_000

    /// Lets `events` happen at `now`, then nothing but time until `date`. This engine stays as it is.
    package func forecast(
        to date: WallTime, from now: Instant, after events: [Event] = []
    ) -> Forecast {
        var forecast = Forecast(of: self, to: date, from: now, after: events)
        forecast.advance(by: .max)
        return forecast
    }
}
