// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The state of an app at one moment: all contents of a live view. Durations are milliseconds.
package struct AppOverview: Codable, Equatable, Sendable {
    package var app: String
    package var at: WallTime
    /// Nil without a host: the other values then come from its store.
    package var host: Host?
    package var running: [Running] = []
    /// The first ones in launch order.
    package var pending: [Pending] = []
    /// The number of all pending requests.
    package var pendingCount = 0
    /// The first unfinished downloads and uploads; nil from a host without transfers.
    package var transfers: [Transfer]?
    package var device: [DeviceBand] = []
    package var budgets: [Budget] = []
    /// The attempts that ended last, the newest first.
    package var recent: [Ended] = []
    /// The obstacles of the whole app, a sentence each.
    package var notices: [String] = []

    package init(app: String, at: WallTime) {
        self.app = app
        self.at = at
    }

    /// The host process.
    package struct Host: Codable, Equatable, Sendable {
        package var process: Int32
        var version: String
        package var since: WallTime?
        /// The start of another program's write to its store, during which nothing is launched or accepted;
        /// nil: it does not wait.
        package var waitsForStoreSince: WallTime?

        package init(
            process: Int32, version: String, since: WallTime?, waitsForStoreSince: WallTime? = nil
        ) {
            self.process = process
            self.version = version
            self.since = since
            self.waitsForStoreSince = waitsForStoreSince
        }
    }

    /// The host's wait for its store as a sentence; nil: it does not wait.
    /// - Parameters:
    ///   - store: The file; nil: it is not named.
    ///   - date: Formats a date.
    package func storeWait(of store: String? = nil, _ date: (WallTime) -> String) -> String? {
        host?.waitsForStoreSince.map {
            "the host has waited for its store since \(date($0)): another program "
                + "writes to \(store ?? "it"), and nothing is launched or accepted meanwhile"
        }
    }

    /// An unfinished download or upload.
    package struct Transfer: Codable, Equatable, Sendable {
        var id: Int64
        /// The name for people.
        var label: String
        var bytes: Int64
        /// Nil while unknown.
        var total: Int64?
        /// Bytes per second.
        var rate: Int64?
        /// The reason why it does not progress; nil: it does.
        var reason: String?

        package init(
            id: Int64, label: String, bytes: Int64, total: Int64? = nil, rate: Int64? = nil,
            reason: String? = nil
        ) {
            self.id = id
            self.label = label
            self.bytes = bytes
            self.total = total
            self.rate = rate
            self.reason = reason
        }
    }

    /// A running attempt.
    package struct Running: Codable, Equatable, Sendable {
        package var attempt: Int64
        package var identifier: String
        package var kind: String
        package var launched: WallTime
        package var title: String?
        package var subtitle: String?
        package var completed: Int64 = 0
        /// 0: unknown.
        package var total: Int64 = 0
        /// `RunningAttempt.Rung.name`.
        package var phase = "granted"
        /// The end of the phase without further events.
        package var until: WallTime?
        /// The reason why it is or will be expired.
        package var reason: String?
        /// Whether its time was revoked.
        package var isExpiring = false

        /// 0 to 1; nil while the total is unknown.
        package var fraction: Double? { Percentage.fraction(completed, total) }
    }

    /// A waiting request.
    package struct Pending: Codable, Equatable, Sendable {
        var request: Int64
        package var identifier: String
        var kind: String
        var submitted: WallTime
        /// The earliest launch.
        package var earliest: WallTime?
        package var failures = 0
        /// The reason why it is not running, as a sentence.
        package var reason: String
        /// `PendingReason.word`; nil before its date.
        package var blocker: String?
        /// The next date at which that changes without further events.
        package var next: WallTime?
    }

    /// A resource that is used up and replenished.
    package struct Budget: Codable, Equatable, Sendable {
        /// `running-time` (milliseconds), `pushes` (an hour), or `attempts` (at a time).
        package var name: String
        package var used: Int64
        package var limit: Int64
        package var isTime: Bool
    }

    /// A finished attempt.
    package struct Ended: Codable, Equatable, Sendable {
        package var attempt: Int64
        package var identifier: String
        package var ended: WallTime
        package var ran: Int64?
        /// The word of the outcome, and the reason for an expired or limited one.
        package var outcome: String
        package var reason: String?
        package var message: String?

        package init(
            attempt: Int64, identifier: String, ended: WallTime, ran: Int64?, outcome: String,
            reason: String? = nil, message: String? = nil
        ) {
            self.attempt = attempt
            self.identifier = identifier
            self.ended = ended
            self.ran = ran
            self.outcome = outcome
            self.reason = reason
            self.message = message
        }
    }
}
