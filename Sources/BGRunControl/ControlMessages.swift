// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunPush
public import BGRunReport

/// What a command asks of a running host: one JSON object on one line.
public struct ControlRequest: Codable, Hashable, Sendable {
    public enum Command: String, Codable, Sendable {
        case submit, cancel, cancelAll, pending, running, trigger, expire, open, quit, explain,
            refresh, manifest, push
        /// The unfinished transfers, and the newest finished ones; the database is looked at again first.
        case transfers
        /// Answered by an overview at once, and by another one whenever it has changed, until the
        /// caller hangs up.
        case watch
    }

    public var command: Command
    public var identifier: String?
    /// Not before now plus this, in nanoseconds. For `explain`: the date to come is now plus this.
    public var delay: Int64?
    /// A JSON object, as text.
    public var parameters: String?
    /// For `expire`: the name of a reason; `cancelled` when left out.
    public var reason: String?
    /// For `pending`: the maximum number of rows, limited to `ControlRequest.mostRows`. For
    /// `transfers`: the number of finished transfers.
    public var limit: Int?
    /// For `pending`: requests a page of all rows, unordered: 0, then the `next` of the previous
    /// answer. Without it, the first rows in launch order.
    public var from: Int?
    /// For `explain`: a date to come, in milliseconds since 1970.
    public var at: Int64?
    /// For `refresh`: the name of a `RefreshSwitch`.
    public var refresh: String?
    public var push: Push?

    /// Pending requests of one answer.
    public static let mostRows = 500

    /// For `push`: the message.
    public struct Push: Codable, Hashable, Sendable {
        /// A JSON object, as text; `aps.content-available` is 1 where it says nothing of it.
        public var payload: String
        public var collapseID: String?
        public var priority: Int
        /// From now, in nanoseconds.
        public var expires: Int64?

        public init(payload: String, collapseID: String?, priority: Int, expires: Int64?) {
            self.payload = payload
            self.collapseID = collapseID
            self.priority = priority
            self.expires = expires
        }
    }

    public init(
        _ command: Command, identifier: String? = nil, delay: Interval? = nil,
        parameters: String? = nil, reason: String? = nil, limit: Int? = nil,
        from: Int? = nil, at: WallTime? = nil, refresh: RefreshSwitch? = nil, push: Push? = nil
    ) {
        self.command = command
        self.identifier = identifier
        self.delay = delay?.nanoseconds
        self.parameters = parameters
        self.reason = reason
        self.limit = limit
        self.from = from
        self.at = at?.milliseconds
        self.refresh = refresh?.name
        self.push = push
    }
}

extension ControlRequest {
    /// Whether it asks about a date to come.
    var isForecast: Bool { command == .explain && (delay != nil || at != nil) }
}

/// The host's answer: one JSON object on one line.
public struct ControlResponse: Codable, Hashable, Sendable {
    /// Why it was not done; nil when it was.
    public var problem: Problem?
    /// The request that was accepted.
    public var request: PendingRow?
    /// The pending request that `request` took the place of.
    public var replaced: Int64?
    /// How many were cancelled, or are pending.
    public var count: Int?
    /// The attempt that was launched or is expiring.
    public var attempt: Int64?
    public var pending: [PendingRow]?
    /// With a page of the pending requests: where the next page begins; nil after the last.
    public var next: Int?
    /// With a page of the pending requests: places of pages with another number are not comparable,
    /// because the manifest was reloaded in between.
    public var numbering: UInt32?
    public var running: [RunningStatus]?
    public var explanation: ExplanationView?
    public var manifest: ManifestText?
    public var overview: AppOverview?
    public var transfers: [TransferView]?
    /// What became of a message that was sent.
    public var push: PushAnswer?
    /// With `running`: where pushes come from.
    public var pushSources: [PushSourceState]?

    public struct Problem: Codable, Hashable, Sendable {
        /// Apple's BGTaskScheduler.Error.Code, 0 for what Apple does not have.
        public var code: Int
        public var message: String

        public init(code: Int, message: String) {
            self.code = code
            self.message = message
        }
    }

    public init() {}

    public init(problem code: Int = 0, _ message: String) {
        problem = Problem(code: code, message: message)
    }
}

/// The manifest a host goes by, which the file need not say any more.
public struct ManifestText: Codable, Hashable, Sendable {
    /// Absolute.
    public var path: String
    /// Where relative paths in it start.
    public var directory: String
    public var text: String
}

/// A pending request, as tables show it.
public struct PendingRow: Codable, Hashable, Sendable {
    public var id: Int64
    public var identifier: String
    public var kind: String
    /// Milliseconds since 1970.
    public var submitted: Int64
    /// Not before this, milliseconds since 1970; nil for no delay.
    public var earliest: Int64?
    public var failures: Int
    /// Why it is not running.
    public var reason: String
    /// In a page of all rows: sorting by this and then by `id` yields the launch order.
    public var order: Int64?

    public init(_ request: TaskRequest, reason: String) {
        id = request.id
        identifier = request.identifier
        kind = request.kind.name
        submitted = request.submitted.milliseconds
        earliest = request.earliest?.milliseconds
        failures = request.failures
        self.reason = reason
    }

    /// The row of a request as `engine` sees it.
    public init(_ request: TaskRequest, in engine: Engine, now: WallTime) {
        let reason = engine.pendingSentence(request.identifier, at: now)
        let isRunning = engine.runningAttempt(request.identifier) != nil
        self.init(
            request,
            reason: reason ?? (isRunning ? "it runs" : "no task of the manifest handles it"))
    }
}

/// A running attempt, as tables show it.
public struct RunningStatus: Codable, Hashable, Sendable {
    public var attempt: Int64
    public var identifier: String
    public var kind: String
    /// Milliseconds since 1970.
    public var launched: Int64
    public var title: String?
    public var subtitle: String?
    public var completed: Int64
    public var total: Int64
    public var expiring: String?
}
