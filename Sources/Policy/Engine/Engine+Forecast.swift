// SPDX-License-Identifier: Apache-2.0

/// The state at a future date if only time passes until then. The length of an attempt is unknown: each one, also a
/// running one, completes at once.
///
/// It has its own copy of the engine, and the caller may compute it in any number of steps.
package struct Forecast: Sendable {
    /// The engine at that date, once the forecast is complete.
    package private(set) var engine: Engine
    /// The launches until then.
    package private(set) var launches: [Attempt] = []
    /// The requested date.
    package let asked: WallTime
    /// The end of the forecast: the requested date, or an earlier one if too much is due before.
    package private(set) var reached: WallTime
    /// Whether the forecast has ended.
    package private(set) var isComplete = false

    private var random = SplitMix(seed: 0)
    /// Events that are handled before everything else.
    private var events: ArraySlice<Event>
    /// Whether one of them was handled: from then on, attempts complete.
    private var hasBegun = false
    private let start: Instant
    private var last: Instant
    /// The number of timers and ends that it may still process.
    private var left = Engine.forecastLimit

    /// Starts at `now` and ends at `date`; handles `events` at `now`.
    package init(
        of engine: Engine, to date: WallTime, from now: Instant, after events: [Event] = []
    ) {
        self.engine = engine
        // It is unknown when other apps will free slots.
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
    /// The number of timers and ends of attempts after which a forecast stops.
    package static let forecastLimit = 100_000

    /// Handles `events` at `now`, then lets time pass until `date`. Does not change this engine.
    package func forecast(
        to date: WallTime, from now: Instant, after events: [Event] = []
    ) -> Forecast {
        var forecast = Forecast(of: self, to: date, from: now, after: events)
        forecast.advance(by: .max)
        return forecast
    }
}
