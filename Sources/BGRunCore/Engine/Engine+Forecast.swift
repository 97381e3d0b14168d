// SPDX-License-Identifier: Apache-2.0

/// What stands at a date to come if nothing happens until then but that time passes.
public struct Forecast: Sendable {
    /// The engine as it stands then.
    public var engine: Engine
    /// What is launched until then. Nothing ends: an attempt goes on until somebody says otherwise.
    public var launches: [Attempt]
    /// How far it goes: the date that was asked for, or an earlier one when too much is due before.
    public var reached: WallTime
}

extension Engine {
    /// Timers after which a forecast goes no further.
    static let forecastLimit = 100_000

    /// Lets `events` happen at `now`, then nothing but time until `date`. This engine stays as it is.
    public func forecast(
        to date: WallTime, from now: Instant, after events: [Event] = []
    ) -> Forecast {
        var forecast = Forecast(engine: self, launches: [], reached: date)
        var dice = Dice(seed: 0)
        var last = now.wall
        for event in events { forecast.take(event, at: now, &dice) }
        for _ in 0..<Self.forecastLimit {
            let due = max(now.elapsed, forecast.engine.wake ?? .max)
            let wait = Interval(nanoseconds: due.saturatingSubtracting(now.elapsed))
            let instant = Instant(elapsed: due, wall: now.wall.advanced(by: wait))
            guard forecast.engine.wake != nil, instant.wall <= date else { return forecast }
            forecast.take(.timer, at: instant, &dice)
            last = instant.wall
        }
        forecast.reached = last
        return forecast
    }
}

extension Forecast {
    fileprivate mutating func take(_ event: Event, at now: Instant, _ dice: inout Dice) {
        for action in engine.handle(event, at: now, using: &dice) {
            if case .launch(let attempt) = action { launches.append(attempt) }
        }
    }
}
