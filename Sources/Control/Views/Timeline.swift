// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The events in a span of time, for a drawing: the device above, a track for each task below.
package struct Timeline: Codable, Equatable, Sendable {
    package var since: WallTime
    package var until: WallTime
    package var bands: [Band] = []
    package var tracks: [Track] = []
    package var marks: [Mark] = []
    /// The start of the journal's records of the device and of waits; nil without any.
    package var journalBegins: WallTime?
    /// The reasons for gaps.
    package var gaps: [String] = []

    package init(since: WallTime, until: WallTime) {
        self.since = since
        self.until = until
    }

    /// Adds the readings of the device in a time; times must ascend.
    package mutating func add(_ device: DeviceState, from: WallTime, to: WallTime) {
        for reading in DeviceBands(device).all {
            add(reading.name, reading.value, isGood: reading.isGood, from: from, to: to)
        }
    }

    /// Adds a time to a band, which is made if it is missing; joins it to the previous one of the same value.
    package mutating func add(
        _ name: String, _ value: String, isGood: Bool? = nil, from: WallTime, to: WallTime
    ) {
        guard from < to else { return }
        let stretch = Stretch(from: from, to: to, value: value, isGood: isGood)
        guard let index = bands.firstIndex(where: { $0.name == name }) else {
            return bands.append(Band(name: name, stretches: [stretch]))
        }
        if let last = bands[index].stretches.last, last.to == from, last.value == value {
            bands[index].stretches[bands[index].stretches.count - 1].to = to
        } else {
            bands[index].stretches.append(stretch)
        }
    }

    /// An event of the device or its user.
    package struct Mark: Codable, Equatable, Sendable {
        package var at: WallTime
        package var text: String

        package init(at: WallTime, text: String) {
            self.at = at
            self.text = text
        }
    }

    /// One reading of the device, or the device's suspensions, or its spent budget.
    package struct Band: Codable, Equatable, Sendable {
        /// `DeviceBand.name`, `suspended`, `budget spent`.
        package var name: String
        package var stretches: [Stretch]
    }

    /// A time in which a reading did not change.
    package struct Stretch: Codable, Equatable, Sendable {
        package var from: WallTime
        package var to: WallTime
        package var value: String
        package var isGood: Bool?
    }

    /// The events of one task.
    package struct Track: Codable, Equatable, Sendable {
        package var identifier: String
        package var attempts: [Ran] = []
        package var waits: [Waited] = []

        package init(identifier: String) { self.identifier = identifier }
    }

    /// An attempt.
    package struct Ran: Codable, Equatable, Sendable {
        package var attempt: Int64
        package var from: WallTime
        package var to: WallTime
        /// Nil: it still runs.
        package var outcome: String?
        package var reason: String?
    }

    /// A time in which a request waited.
    package struct Waited: Codable, Equatable, Sendable {
        package var from: WallTime
        package var to: WallTime
        /// `PendingReason.word`; nil: its date had not come.
        package var blocker: String?

        package init(from: WallTime, to: WallTime, blocker: String?) {
            self.from = from
            self.to = to
            self.blocker = blocker
        }
    }
}

extension Timeline.Ran {
    /// - Parameter outcome: Nil: it still runs.
    package init(attempt: Int64, from: WallTime, to: WallTime, outcome: Outcome?) {
        self.init(
            attempt: attempt, from: from, to: to, outcome: outcome?.name,
            reason: outcome?.reason)
    }
}
