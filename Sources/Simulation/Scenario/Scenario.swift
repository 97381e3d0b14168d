// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What an imagined device and people do, and how long handlers take. Everything random comes from a seed.
package struct Scenario: Sendable {
    package var name: String
    /// The first instant, as clocks in `zone` show it.
    package var start: CivilTime
    package var zone: ZoneRules
    package var duration: Interval
    /// The seed when none is given on the command line.
    package var seed: UInt64
    /// How far each time of the scenario may move, either way.
    var jitter = Interval.zero
    var device = DeviceScript()
    /// While these hold, the elapsed clock continues and nothing runs.
    package var suspended: [Window] = []
    package var events: [ScriptedEvent] = []
    /// By identifier, or prefix that ends in `.*`.
    var handlers: [String: HandlerModel] = [:]
    /// What the transfer service has to move.
    var transfers: [TransferModel] = []
}

/// An instant of a scenario.
enum Moment: Hashable, Sendable {
    /// So long after its beginning.
    case offset(Interval)
    /// What clocks in its zone show.
    case civil(CivilTime)
}

/// When something happens.
enum Recurrence: Hashable, Sendable {
    case once(Moment)
    /// At this second of these days, as clocks in the zone show it.
    case daily(Set<Weekday>, second: Int64)
    /// From `from` on, again and again.
    case every(Interval, from: Interval)
}

/// Times at which something holds.
package struct Window: Hashable, Sendable {
    /// Nil: all the time.
    var begins: Recurrence?
    var end: End
    /// Instead of the scenario's.
    var jitter: Interval?

    enum End: Hashable, Sendable {
        case lasting(Interval)
        /// The next time clocks show this second of a day.
        case until(second: Int64)
        case moment(Moment)
        /// The scenario's end.
        case never
    }
}

/// What one reading of the device is at which times; a later layer hides earlier ones.
struct Layers<Value: Hashable & Sendable>: Hashable, Sendable {
    var base: Value
    var layers: [Layer]

    struct Layer: Hashable, Sendable {
        var value: Value
        var window: Window
    }

    init(_ base: Value, _ layers: [Layer] = []) {
        self.base = base
        self.layers = layers
    }
}

enum NetworkKind: String, Hashable, Sendable, CaseIterable {
    case none, metered, unmetered
}

struct DeviceScript: Hashable, Sendable {
    /// Whether it has mains power.
    var power = Layers(false)
    var battery: BatteryScript?
    var network = Layers(NetworkKind.none)
    /// Bytes a second that its network moves, both ways together.
    var bandwidth = Layers(DeviceScript.usualBandwidth)
    /// Nil: unknown whether the device is in use.
    var idle: Layers<Bool>?
    var lowPowerMode = Layers(false)
    var thermal = Layers(ThermalState.nominal)
    var pressure = Layers(false)
    /// By name; "no" where it is missing.
    var plain: [String: Layers<Bool>] = [:]

    static let usualBandwidth: Int64 = 1_000_000
}

enum BatteryScript: Hashable, Sendable {
    /// Percent at the beginning, and how long it takes from full to empty, awake and suspended, and from empty to full.
    case rates(start: Int, lasts: Interval, lastsSuspended: Interval, chargesIn: Interval)
    /// Percentages with straight lines between them, ascending in time.
    case points([Point])

    struct Point: Hashable, Sendable {
        var at: Interval
        var percent: Int
    }
}

/// Something people, programs or servers do.
package struct ScriptedEvent: Hashable, Sendable {
    var when: Recurrence
    var jitter: Interval?
    var deed: ScenarioAction

    package enum ScenarioAction: Hashable, Sendable {
        case submit(Submission)
        /// A message for a task of kind `push`: a submission, and what is held with it.
        case push(ScenarioPush)
        case cancel(String)
        case trigger(String)
        case expire(String)
        /// The app is opened: it submits what it submits at launch.
        case openApp
        /// The app is swiped away: its queue is cancelled, and nothing is submitted until it is opened again.
        case forceQuit
        /// A transfer of the manifest is submitted anew.
        case transfer(String)
        /// The clock is set by so much.
        case setClock(Interval)
    }

    package struct ScenarioPush: Hashable, Sendable {
        package var identifier: String
        /// A JSON object with `aps`.
        package var payload: String
        package var collapseID: String?
    }
}

struct HandlerModel: Hashable, Sendable {
    /// Work of one request, in time.
    var takes = Distribution.constant(.seconds(10))
    /// From 0 to 1.
    var failureProbability = 0.0
    /// How long it takes to stop when it is told; nil: it takes no notice and is killed.
    var stopsIn: Interval? = .seconds(1)
    var checkpoint = Checkpoint.never
    /// How often continued work says how far it is; nil: never.
    var progress: Interval? = .seconds(5)

    enum Checkpoint: Hashable, Sendable {
        /// An attempt that is cut short has done nothing.
        case never
        /// What is done when it is told to stop is kept, if it takes notice.
        case whenTold
        /// Whole steps of this length are kept, whatever happens.
        case every(Interval)
    }
}

/// A random length of time, in whole milliseconds and at least one.
enum Distribution: Hashable, Sendable {
    case constant(Interval)
    case uniform(from: Interval, to: Interval)
    case normal(mean: Interval, deviation: Interval)
    case exponential(mean: Interval)
}
