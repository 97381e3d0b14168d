// SPDX-License-Identifier: Apache-2.0

/// What happened in a span of time, to be drawn: the device above, a lane for each task below. Dates are
/// milliseconds since 1970.
public struct Timeline: Codable, Hashable, Sendable {
    public var since: Int64
    public var until: Int64
    public var bands: [Band] = []
    public var lanes: [Lane] = []
    /// From when on the journal tells of the device and of waits; nil when it tells nothing.
    public var journalBegins: Int64?
    /// Why something may be missing.
    public var gaps: [String] = []

    public init(since: Int64, until: Int64) {
        self.since = since
        self.until = until
    }

    /// One reading of the device.
    public struct Band: Codable, Hashable, Sendable {
        /// As `DeviceBand.name`.
        public var name: String
        public var stretches: [Stretch]

        public init(name: String, stretches: [Stretch]) {
            self.name = name
            self.stretches = stretches
        }
    }

    /// A time in which a reading was the same.
    public struct Stretch: Codable, Hashable, Sendable {
        public var from: Int64
        public var to: Int64
        public var value: String
        public var isGood: Bool?

        public init(from: Int64, to: Int64, value: String, isGood: Bool?) {
            self.from = from
            self.to = to
            self.value = value
            self.isGood = isGood
        }
    }

    /// What happened to one task.
    public struct Lane: Codable, Hashable, Sendable {
        public var identifier: String
        public var attempts: [Ran] = []
        public var waits: [Waited] = []

        public init(identifier: String) {
            self.identifier = identifier
        }
    }

    /// An attempt.
    public struct Ran: Codable, Hashable, Sendable {
        public var attempt: Int64
        public var from: Int64
        public var to: Int64
        /// Nil: it runs still.
        public var outcome: String?
        public var reason: String?

        public init(attempt: Int64, from: Int64, to: Int64, outcome: String?, reason: String?) {
            self.attempt = attempt
            self.from = from
            self.to = to
            self.outcome = outcome
            self.reason = reason
        }
    }

    /// A time in which a request was held back.
    public struct Waited: Codable, Hashable, Sendable {
        public var from: Int64
        public var to: Int64
        /// `PendingReason.word`; nil: its date had not come.
        public var blocker: String?

        public init(from: Int64, to: Int64, blocker: String?) {
            self.from = from
            self.to = to
            self.blocker = blocker
        }
    }
}
