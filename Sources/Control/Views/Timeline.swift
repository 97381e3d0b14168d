// SPDX-License-Identifier: Apache-2.0

/// The events in a span of time, for a drawing: the device above, a lane for each task below. Dates are
/// milliseconds since 1970.
package struct Timeline: Codable, Hashable, Sendable {
    package var since: Int64
    package var until: Int64
    package var bands: [Band] = []
    package var lanes: [Track] = []
    /// The start of the journal's records of the device and of waits; nil without any.
    package var journalBegins: Int64?
    /// The reasons for gaps.
    package var gaps: [String] = []

    package init(since: Int64, until: Int64) {
        self.since = since
        self.until = until
    }

    /// One reading of the device.
    package struct Band: Codable, Hashable, Sendable {
        /// `DeviceBand.name`.
        package var name: String
        package var stretches: [Stretch]

        package init(name: String, stretches: [Stretch]) {
            self.name = name
            self.stretches = stretches
        }
    }

    /// A time in which a reading did not change.
    package struct Stretch: Codable, Hashable, Sendable {
        package var from: Int64
        package var to: Int64
        package var value: String
        var isGood: Bool?

        package init(from: Int64, to: Int64, value: String, isGood: Bool?) {
            self.from = from
            self.to = to
            self.value = value
            self.isGood = isGood
        }
    }

    /// The events of one task.
    package struct Track: Codable, Hashable, Sendable {
        package var identifier: String
        package var attempts: [Ran] = []
        package var waits: [Waited] = []

        package init(identifier: String) { self.identifier = identifier }
    }

    /// An attempt.
    package struct Ran: Codable, Hashable, Sendable {
        package var attempt: Int64
        package var from: Int64
        package var to: Int64
        /// Nil: it still runs.
        package var outcome: String?
        package var reason: String?

        package init(attempt: Int64, from: Int64, to: Int64, outcome: String?, reason: String?) {
            self.attempt = attempt
            self.from = from
            self.to = to
            self.outcome = outcome
            self.reason = reason
        }
    }

    /// A time in which a request waited.
    package struct Waited: Codable, Hashable, Sendable {
        package var from: Int64
        package var to: Int64
        /// `PendingReason.word`; nil: its date had not come.
        package var blocker: String?

        package init(from: Int64, to: Int64, blocker: String?) {
            self.from = from
            self.to = to
            self.blocker = blocker
        }
    }
}
