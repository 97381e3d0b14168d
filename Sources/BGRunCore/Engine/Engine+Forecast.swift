// SPDX-License-Identifier: Apache-2.0

/// The state at a future date if nothing happens until then except that time passes. The length of an
/// attempt is unknown: each one completes at once, and so does a running one.
public struct Forecast: Sendable {
    /// The engine as it stands then.
    public var engine: Engine
    /// What is launched until then.
    public var launches: [Attempt] = []
    /// How far it goes: the date that was asked for, or an earlier one when too much is due before.
    public var reached: WallTime

    private var dice = Dice(seed: 0)
    /// Timers and ends it may still go through.
    fileprivate var left = Engine.forecastLimit

    fileprivate init(_ engine: Engine, to date: WallTime) {
        self.engine = engine
        // When other apps will free slots is unknown.
        self.engine.share = nil
        reached = date
    }

    fileprivate mutating func take(_ event: Event, at now: Instant) {
        note(engine.handle(event, at: now, using: &dice))
        while left > 0, let attempt = engine.running.first?.attempt.id {
            left -= 1
            note(engine.handle(.attemptEnded(attempt: attempt, .completed), at: now, using: &dice))
        }
    }

    private mutating func note(_ actions: [Action]) {
        for case .launch(let attempt) in actions {
            launches.append(attempt)
        }
    }
}

extension Engine {
    /// Timers and ends of attempts after which a forecast goes no further.
    static let forecastLimit = 100_000

    /// Lets `events` happen at `now`, then nothing but time until `date`. This engine stays as it is.
    public func forecast(
        to date: WallTime, from now: Instant, after events: [Event] = []
    ) -> Forecast {
        var forecast = Forecast(self, to: date)
        var last = now.wall
        for event in events + [.timer] { forecast.take(event, at: now) }
        while forecast.left > 0 {
            forecast.left -= 1
            let due = max(now.elapsed, forecast.engine.wake ?? .max)
            let wait = Interval(nanoseconds: due.saturatingSubtracting(now.elapsed))
            let instant = Instant(elapsed: due, wall: now.wall.advanced(by: wait))
            guard forecast.engine.wake != nil, instant.wall <= date else { return forecast }
            forecast.take(.timer, at: instant)
            last = instant.wall
        }
        forecast.reached = last
        return forecast
    }
}
