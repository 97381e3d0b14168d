// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// How an app stands at one moment: everything a live view shows. Dates are milliseconds since 1970,
/// lengths milliseconds.
public struct AppOverview: Codable, Hashable, Sendable {
    public var app: String
    public var at: Int64
    /// Nil when no host runs: then the rest is what its store remembers.
    public var host: Host?
    public var running: [Running] = []
    /// The first ones in the order of launch.
    public var pending: [Pending] = []
    /// Pending requests in all.
    public var pendingCount = 0
    /// The first downloads and uploads that are not finished; nil of a host that knows none.
    public var transfers: [Transfer]?
    public var device: [DeviceBand] = []
    public var budgets: [Budget] = []
    /// Attempts that ended last, the newest first.
    public var recent: [Ended] = []
    /// What holds the whole app back, a sentence each.
    public var notices: [String] = []

    public init(app: String, at: Int64) {
        self.app = app
        self.at = at
    }

    /// The process that decides.
    public struct Host: Codable, Hashable, Sendable {
        public var process: Int32
        public var version: String
        public var since: Int64?
        /// Since when another program writes to its store, so that nothing is launched or accepted; nil: it
        /// does not wait for one.
        public var waitsForStoreSince: Int64?

        public init(
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
    public func storeWait(of store: String? = nil, _ date: (WallTime) -> String) -> String? {
        host?.waitsForStoreSince.map { since in
            "the host has waited for its store since \(date(WallTime(milliseconds: since))): another program "
                + "writes to \(store ?? "it"), and nothing is launched or accepted meanwhile"
        }
    }

    /// A download or an upload that is not finished.
    public struct Transfer: Codable, Hashable, Sendable {
        public var id: Int64
        /// What people call it.
        public var label: String
        public var bytes: Int64
        /// Nil while it is unknown.
        public var total: Int64?
        /// Bytes a second.
        public var rate: Int64?
        /// Why it does not move; nil when it does.
        public var reason: String?

        public init(
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
    public struct Running: Codable, Hashable, Sendable {
        public var attempt: Int64
        public var identifier: String
        public var kind: String
        public var launched: Int64
        public var title: String?
        public var subtitle: String?
        public var completed: Int64
        /// 0: not known.
        public var total: Int64
        /// As `Explanation.Running.Phase.name` has it.
        public var phase: String
        /// When the phase ends if nothing happens.
        public var until: Int64?
        /// Why it is expired then, or is being expired.
        public var reason: String?
        /// Whether its time was revoked.
        public var isExpiring: Bool

        public init(
            attempt: Int64, identifier: String, kind: String, launched: Int64,
            title: String? = nil, subtitle: String? = nil, completed: Int64 = 0, total: Int64 = 0,
            phase: String = "granted", until: Int64? = nil, reason: String? = nil,
            isExpiring: Bool = false
        ) {
            self.attempt = attempt
            self.identifier = identifier
            self.kind = kind
            self.launched = launched
            self.title = title
            self.subtitle = subtitle
            self.completed = completed
            self.total = total
            self.phase = phase
            self.until = until
            self.reason = reason
            self.isExpiring = isExpiring
        }

        /// 0 to 1; nil while the total is unknown.
        public var fraction: Double? {
            total > 0 ? min(1, max(0, Double(completed) / Double(total))) : nil
        }
    }

    /// A request that waits.
    public struct Pending: Codable, Hashable, Sendable {
        public var request: Int64
        public var identifier: String
        public var kind: String
        public var submitted: Int64
        /// Not before this date.
        public var earliest: Int64?
        public var failures: Int
        /// Why it is not running, in a sentence.
        public var reason: String
        /// `PendingReason.word`; nil when its date has not come.
        public var blocker: String?
        /// The next date at which that changes though nothing happens.
        public var next: Int64?

        public init(
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
    public struct Budget: Codable, Hashable, Sendable {
        /// `running-time` (milliseconds), `pushes` (an hour), or `attempts` (at a time).
        public var name: String
        public var used: Int64
        public var limit: Int64
        public var isTime: Bool

        public init(name: String, used: Int64, limit: Int64, isTime: Bool) {
            self.name = name
            self.used = used
            self.limit = limit
            self.isTime = isTime
        }
    }

    /// An attempt that is over.
    public struct Ended: Codable, Hashable, Sendable {
        public var attempt: Int64
        public var identifier: String
        public var ended: Int64
        public var ran: Int64?
        /// The word of the outcome, and the reason of an expired one.
        public var outcome: String
        public var reason: String?
        public var message: String?

        public init(
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
