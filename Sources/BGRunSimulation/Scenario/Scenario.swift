// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// A stretch of time on an imagined device: what the device does, what people do, and how long
/// handlers take. Everything random in it comes from a seed.
public struct Scenario: Sendable {
    public var name: String
    /// The first instant, as clocks in `zone` show it.
    public var start: CivilTime
    public var zone: ZoneRules
    public var duration: Interval
    /// The seed when none is given on the command line.
    public var seed: UInt64
    /// How far each time of the scenario may move, either way.
    public var jitter: Interval
    public var device: DeviceScript
    /// While these hold, the elapsed clock goes on and nothing runs.
    public var suspended: [Window]
    public var events: [ScriptedEvent]
    /// By identifier, or prefix that ends in `.*`.
    public var handlers: [String: HandlerModel]
    /// What the transfer service has to move.
    public var transfers: [TransferModel]

    public init(
        name: String, start: CivilTime, zone: ZoneRules, duration: Interval, seed: UInt64,
        jitter: Interval = .zero, device: DeviceScript = DeviceScript(),
        suspended: [Window] = [], events: [ScriptedEvent] = [],
        handlers: [String: HandlerModel] = [:], transfers: [TransferModel] = []
    ) {
        self.name = name
        self.start = start
        self.zone = zone
        self.duration = duration
        self.seed = seed
        self.jitter = jitter
        self.device = device
        self.suspended = suspended
        self.events = events
        self.handlers = handlers
        self.transfers = transfers
    }
}

/// An instant of a scenario.
public enum Moment: Hashable, Sendable {
    /// So long after its beginning.
    case offset(Interval)
    /// What clocks in its zone show.
    case civil(CivilTime)
}

/// When something happens.
public enum Recurrence: Hashable, Sendable {
    case once(Moment)
    /// At this second of these days, as clocks in the zone show it.
    case daily(Set<Weekday>, second: Int64)
    /// From `from` on, again and again.
    case every(Interval, from: Interval)
}

/// Times at which something holds.
public struct Window: Hashable, Sendable {
    /// Nil: all the time.
    public var begins: Recurrence?
    public var end: End
    /// Instead of the scenario's.
    public var jitter: Interval?

    public enum End: Hashable, Sendable {
        case lasting(Interval)
        /// The next time clocks show this second of a day.
        case until(second: Int64)
        case moment(Moment)
        /// The scenario's end.
        case never
    }

    public init(begins: Recurrence?, end: End, jitter: Interval? = nil) {
        self.begins = begins
        self.end = end
        self.jitter = jitter
    }
}

/// What one reading of the device is at which times; a later layer hides earlier ones.
public struct Layers<Value: Hashable & Sendable>: Hashable, Sendable {
    public var base: Value
    public var layers: [Layer]

    public struct Layer: Hashable, Sendable {
        public var value: Value
        public var window: Window

        public init(_ value: Value, _ window: Window) {
            self.value = value
            self.window = window
        }
    }

    public init(_ base: Value, _ layers: [Layer] = []) {
        self.base = base
        self.layers = layers
    }
}

public enum NetworkKind: String, Hashable, Sendable, CaseIterable {
    case none, metered, unmetered
}

/// What the device does.
public struct DeviceScript: Hashable, Sendable {
    /// Whether it has mains power.
    public var power = Layers(false)
    /// Nil: it has no battery.
    public var battery: BatteryScript?
    public var network = Layers(NetworkKind.none)
    /// Bytes a second that its network moves, both ways together.
    public var bandwidth = Layers(DeviceScript.usualBandwidth)
    /// Nil: unknown whether the device is in use.
    public var idle: Layers<Bool>?
    public var lowPowerMode = Layers(false)
    public var thermal = Layers(ThermalState.nominal)
    public var storageLow = Layers(false)
    public var pressure = Layers(false)
    public var gpu = false

    public static let usualBandwidth: Int64 = 1_000_000

    public init() {}
}

public enum BatteryScript: Hashable, Sendable {
    /// Percent at the beginning, and how long it takes from full to empty, awake and suspended, and
    /// from empty to full.
    case rates(start: Int, lasts: Interval, lastsSuspended: Interval, chargesIn: Interval)
    /// Percentages with straight lines between them, ascending in time.
    case points([Point])

    public struct Point: Hashable, Sendable {
        public var at: Interval
        public var percent: Int

        public init(at: Interval, percent: Int) {
            self.at = at
            self.percent = percent
        }
    }
}

/// Something people, programs or servers do.
public struct ScriptedEvent: Hashable, Sendable {
    public var when: Recurrence
    public var jitter: Interval?
    public var deed: Deed

    public enum Deed: Hashable, Sendable {
        case submit(Submission)
        /// A message for a task of kind `push`: a submission, and what is held with it.
        case push(PushDeed)
        case cancel(String)
        case trigger(String)
        case expire(String)
        /// The app is opened: it submits what it submits at launch.
        case openApp
        /// The app is swiped away: its queue is cancelled, and nothing is submitted until it is
        /// opened again.
        case forceQuit
        /// A transfer of the manifest is submitted anew.
        case transfer(String)
        /// The clock is set by so much.
        case setClock(Interval)
    }

    public struct PushDeed: Hashable, Sendable {
        public var identifier: String
        /// A JSON object with `aps`.
        public var payload: String
        public var collapseID: String?

        public init(
            identifier: String, payload: String = PushOffer.empty, collapseID: String? = nil
        ) {
            self.identifier = identifier
            self.payload = payload
            self.collapseID = collapseID
        }
    }

    public init(when: Recurrence, jitter: Interval? = nil, deed: Deed) {
        self.when = when
        self.jitter = jitter
        self.deed = deed
    }
}

/// How a handler behaves.
public struct HandlerModel: Hashable, Sendable {
    /// Work of one request, in time.
    public var takes: Distribution
    /// From 0 to 1.
    public var failureProbability: Double
    /// How long it takes to stop when it is told; nil: it takes no notice and is killed.
    public var stopsIn: Interval?
    public var checkpoint: Checkpoint
    /// How often continued work says how far it is; nil: never.
    public var progress: Interval?

    public enum Checkpoint: Hashable, Sendable {
        /// An attempt that is cut short has done nothing.
        case never
        /// What is done when it is told to stop is kept, if it takes notice.
        case whenTold
        /// Whole steps of this length are kept, whatever happens.
        case every(Interval)
    }

    public init(
        takes: Distribution = .constant(.seconds(10)), failureProbability: Double = 0,
        stopsIn: Interval? = .seconds(1), checkpoint: Checkpoint = .never,
        progress: Interval? = .seconds(5)
    ) {
        self.takes = takes
        self.failureProbability = failureProbability
        self.stopsIn = stopsIn
        self.checkpoint = checkpoint
        self.progress = progress
    }
}

/// A random length of time, in whole milliseconds and at least one.
public enum Distribution: Hashable, Sendable {
    case constant(Interval)
    case uniform(from: Interval, to: Interval)
    case normal(mean: Interval, deviation: Interval)
    case exponential(mean: Interval)
}
