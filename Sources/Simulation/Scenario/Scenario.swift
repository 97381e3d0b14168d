// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The events of a simulated device and its users, and the durations of handlers. All randomness comes from a seed.
package struct Scenario: Sendable {
    package var name: String
    /// The first instant, in local time of `zone`.
    package var start: CivilTime
    package var zone: ZoneRules
    package var duration: Interval
    /// The default seed, which the command line may override.
    package var seed: UInt64
    /// The maximum shift of each time of the scenario, in both directions.
    var jitter = Interval.zero
    var device = DeviceScript()
    /// The windows in which the elapsed clock continues and nothing runs.
    package var suspended: [Window] = []
    package var events: [ScriptedEvent] = []
    /// By identifier, or by prefix that ends in `.*`.
    var handlers: [String: HandlerModel] = [:]
    /// The transfers of the transfer service.
    var transfers: [TransferModel] = []
}

/// An instant of a scenario.
enum Moment: Equatable, Sendable {
    /// The time after its beginning.
    case offset(Interval)
    /// A local time in its zone.
    case civil(CivilTime)
}

/// The times of an event.
enum Recurrence: Equatable, Sendable {
    case once(Moment)
    /// At this second of these days, in local time of the zone.
    case daily(Set<Weekday>, second: Int64)
    /// Repeatedly, from `from` on.
    case every(Interval, from: Interval)
}

/// The times at which a value holds.
package struct Window: Equatable, Sendable {
    /// Nil: all the time.
    var begins: Recurrence?
    var end: End
    /// Overrides that of the scenario.
    var jitter: Interval?

    enum End: Equatable, Sendable {
        case lasting(Interval)
        /// The next time that clocks show this second of a day.
        case until(second: Int64)
        case moment(Moment)
        /// The scenario's end.
        case never
    }
}

/// The values of a reading over time; a later layer hides earlier ones.
struct Layers<Value: Equatable & Sendable>: Equatable, Sendable {
    var base: Value
    var layers: [Layer]

    struct Layer: Equatable, Sendable {
        var value: Value
        var window: Window
    }

    init(_ base: Value, _ layers: [Layer] = []) {
        self.base = base
        self.layers = layers
    }
}

enum NetworkKind: String, Equatable, Sendable, CaseIterable {
    case none, metered, unmetered
}

struct DeviceScript: Equatable, Sendable {
    /// Whether it has mains power.
    var power = Layers(false)
    var battery: BatteryScript?
    var network = Layers(NetworkKind.none)
    /// Bytes per second of its network, both directions together.
    var bandwidth = Layers(DeviceScript.usualBandwidth)
    /// Nil: unknown whether the device is in use.
    var idle: Layers<Bool>?
    var lowPowerMode = Layers(false)
    var thermal = Layers(ThermalState.nominal)
    var pressure = Layers(false)
    /// By name; "no" if missing.
    var plain: [String: Layers<Bool>] = [:]

    static let usualBandwidth: Int64 = 1_000_000
}

enum BatteryScript: Equatable, Sendable {
    /// The initial percentage, the times from full to empty, awake and suspended, and the time from empty to full.
    case rates(start: Int, lasts: Interval, lastsSuspended: Interval, chargesIn: Interval)
    /// Percentages with linear interpolation, ascending in time.
    case points([Point])

    struct Point: Equatable, Sendable {
        var at: Interval
        var percent: Int
    }
}

/// An event of users, programs or servers.
package struct ScriptedEvent: Equatable, Sendable {
    var when: Recurrence
    var jitter: Interval?
    var deed: ScenarioAction

    package enum ScenarioAction: Equatable, Sendable {
        case submit(Submission)
        /// A message for a task of kind `push`: a submission with its message.
        case push(ScenarioPush)
        case cancel(String)
        case trigger(String)
        case expire(String)
        /// The app is opened, and submits its requests of `submit: launch`.
        case openApp
        /// The app is swiped away: its queue is cancelled, and nothing is submitted until it is opened again.
        case forceQuit
        /// A transfer of the manifest is submitted again.
        case transfer(String)
        /// The clock is set by this interval; negative: back.
        case setClock(Interval)
    }

    package struct ScenarioPush: Equatable, Sendable {
        package var identifier: String
        /// A JSON object with `aps`.
        package var payload: String
        package var collapseID: String?
    }
}

struct HandlerModel: Equatable, Sendable {
    /// The work of one request, as time.
    var takes = Distribution.constant(.seconds(10))
    /// From 0 to 1.
    var failureProbability = 0.0
    /// The time it takes to stop when notified; nil: it ignores the notification and is killed.
    var stopsIn: Interval? = .seconds(1)
    var checkpoint = Checkpoint.never
    /// The interval of progress reports of continued work; nil: none.
    var progress: Interval? = .seconds(5)

    enum Checkpoint: Equatable, Sendable {
        /// An interrupted attempt loses all of its work.
        case never
        /// The work done when it is notified is kept, if it handles the notification.
        case whenTold
        /// Completed steps of this length are always kept.
        case every(Interval)
    }
}

/// A random duration, in whole milliseconds and at least one.
enum Distribution: Equatable, Sendable {
    case constant(Interval)
    case uniform(from: Interval, to: Interval)
    case normal(mean: Interval, deviation: Interval)
    case exponential(mean: Interval)
}
