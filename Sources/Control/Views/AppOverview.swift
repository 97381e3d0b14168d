// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// How an app stands at one moment: everything a live view shows. Dates are milliseconds since 1970,
/// lengths milliseconds.
package struct AppOverview: Codable, Hashable, Sendable {
    package var app: String
    package var at: Int64
    /// Nil when no host runs: then the rest is what its store remembers.
    package var host: Host?
    package var running: [Running] = []
    /// The first ones in the order of launch.
    package var pending: [Pending] = []
    /// Pending requests in all.
    package var pendingCount = 0
    /// The first downloads and uploads that are not finished; nil of a host that knows none.
    package var transfers: [Transfer]?
    package var device: [DeviceBand] = []
    package var budgets: [Budget] = []
    /// Attempts that ended last, the newest first.
    package var recent: [Ended] = []
    /// What holds the whole app back, a sentence each.
    package var notices: [String] = []

    package init(app: String, at: Int64) {
        self.app = app
        self.at = at
    }

    /// The process that decides.
    package struct Host: Codable, Hashable, Sendable {
        package var process: Int32
        var version: String
        package var since: Int64?
        /// Since when another program writes to its store, so that nothing is launched or accepted; nil: it
        /// does not wait for one.
        package var waitsForStoreSince: Int64?

        package init(
            process: Int32, version: String, since: Int64?, waitsForStoreSince: Int64? = nil
        ) {
            self.process = process
            self.version = version
            self.since = since
            self.waitsForStoreSince = waitsForStoreSince
        }
    }

    /// That the host waits for its store, in a sentence; nil: it does not.
    /// - Parameters:
    ///   - store: The file; nil: it is not named.
    ///   - date: How a date is written.
    package func storeWait(of store: String? = nil, _ date: (WallTime) -> String) -> String? {
        host?.waitsForStoreSince.map { since in
            "the host has waited for its store since \(date(WallTime(milliseconds: since))): another program "
                + "writes to \(store ?? "it"), and nothing is launched or accepted meanwhile"
        }
    }

    /// A download or an upload that is not finished.
    package struct Transfer: Codable, Hashable, Sendable {
        var id: Int64
        /// What people call it.
        var label: String
        var bytes: Int64
        /// Nil while it is unknown.
        var total: Int64?
        /// Bytes a second.
        var rate: Int64?
        /// Why it does not move; nil when it does.
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

    /// An attempt that runs.
    package struct Running: Codable, Hashable, Sendable {
        package var attempt: Int64
        package var identifier: String
        package var kind: String
        package var launched: Int64
        package var title: String?
        package var subtitle: String?
        package var completed: Int64 = 0
        /// 0: not known.
        package var total: Int64 = 0
        /// As `Explanation.Running.Phase.name` has it.
        package var phase = "granted"
        /// When the phase ends if nothing happens.
        package var until: Int64?
        /// Why it is expired then, or is being expired.
        package var reason: String?
        /// Whether its time was revoked.
        package var isExpiring = false

        /// 0 to 1; nil while the total is unknown.
        package var fraction: Double? { Percentage.fraction(completed, total) }
    }

    /// A request that waits.
    package struct Pending: Codable, Hashable, Sendable {
        var request: Int64
        package var identifier: String
        var kind: String
        var submitted: Int64
        /// Not before this date.
        package var earliest: Int64?
        package var failures: Int
        /// Why it is not running, in a sentence.
        package var reason: String
        /// `PendingReason.word`; nil when its date has not come.
        package var blocker: String?
        /// The next date at which that changes though nothing happens.
        package var next: Int64?

        package init(
            request: Int64, identifier: String, kind: String, submitted: Int64,
            earliest: Int64? = nil, failures: Int = 0, reason: String, blocker: String? = nil,
            next: Int64? = nil
        ) {
            self.request = request
            self.identifier = identifier
            self.kind = kind
            self.submitted = submitted
            self.earliest = earliest
            self.failures = failures
            self.reason = reason
            self.blocker = blocker
            self.next = next
        }
    }

    /// Something that is used up and comes back.
    package struct Budget: Codable, Hashable, Sendable {
        /// `running-time` (milliseconds), `pushes` (an hour), or `attempts` (at a time).
        package var name: String
        package var used: Int64
        package var limit: Int64
        package var isTime: Bool
    }

    /// An attempt that is over.
    package struct Ended: Codable, Hashable, Sendable {
        package var attempt: Int64
        package var identifier: String
        package var ended: Int64
        package var ran: Int64?
        /// The word of the outcome, and the reason of an expired one.
        package var outcome: String
        package var reason: String?
        package var message: String?

        package init(
            attempt: Int64, identifier: String, ended: Int64, ran: Int64?, outcome: String,
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
