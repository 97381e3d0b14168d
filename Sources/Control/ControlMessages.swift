// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A request of a command to a running host: one JSON object on one line.
package struct ControlRequest: Codable, Equatable, Sendable {
    package enum Command: String, Codable, Sendable, CaseIterable {
        case submit, cancel, cancelAll, pending, running, trigger, expire, open, quit, explain,
            refresh, manifest, push
        /// Cancels the requests that have `annotation`. A separate command: a host without annotations
        /// would otherwise cancel all requests.
        case cancelAnnotated
        /// A page of the unfinished transfers and the newest finished ones, ordered by id; the host reads the database
        /// before the first page.
        case transfers
        /// Answered by an overview at once, and by another one after each change, until the caller hangs
        /// up.
        case watch
    }

    package var command: Command
    package var identifier: String?
    /// The earliest launch, in nanoseconds from now. For `explain`: the future date, from now.
    package var delay: Interval?
    /// A JSON object, as text.
    package var parameters: String?
    /// For `expire`: the name of a reason; `cancelled` if omitted.
    package var reason: String?
    /// For `pending`: the maximum number of rows, limited to `ControlRequest.mostRows`. For
    /// `transfers`: the number of finished transfers.
    package var limit: Int?
    /// For `pending`: requests a page of all rows, unordered: 0, then the `next` of the previous
    /// answer. Without it, the first rows in launch order. For `transfers`: the `next` of the previous answer; without
    /// it, the first page.
    package var from: Int?
    /// For `explain`: a future date.
    package var at: WallTime?
    /// For `refresh`: the name of a `RefreshSwitch`.
    package var refresh: String?
    package var push: Push?
    /// For `submit`: the annotations of the request, in addition to those of its task.
    package var annotations: Annotations?
    /// For `pending`, with `from`, and for `cancelAnnotated`: only requests with this annotation word.
    package var annotation: String?

    /// The maximum number of pending requests, or of transfers, in one answer.
    package static let mostRows = 500

    /// For `push`: the message.
    package struct Push: Codable, Equatable, Sendable {
        /// A JSON object, as text; `aps.content-available` defaults to 1.
        package var payload: String
        package var collapseID: String?
        package var priority: Int
        /// The lifetime, in nanoseconds from now.
        package var expires: Interval?

        package init(payload: String, collapseID: String?, priority: Int, expires: Interval?) {
            self.payload = payload
            self.collapseID = collapseID
            self.priority = priority
            self.expires = expires
        }
    }

    package init(
        _ command: Command, identifier: String? = nil, delay: Interval? = nil,
        parameters: String? = nil, reason: String? = nil, limit: Int? = nil,
        from: Int? = nil, at: WallTime? = nil, refresh: RefreshSwitch? = nil, push: Push? = nil,
        annotations: Annotations? = nil, annotation: String? = nil
    ) {
        self.command = command
        self.identifier = identifier
        self.delay = delay
        self.parameters = parameters
        self.reason = reason
        self.limit = limit
        self.from = from
        self.at = at
        self.refresh = refresh?.name
        self.push = push
        self.annotations = annotations
        self.annotation = annotation
    }
}

extension ControlRequest {
    /// Whether it asks about a future date.
    package var isForecast: Bool { command == .explain && (delay != nil || at != nil) }
}

/// The host's answer: one JSON object on one line.
package struct ControlResponse: Codable, Equatable, Sendable {
    /// The reason for a refusal; nil: the request was carried out.
    package var problem: Problem?
    /// The request that was accepted.
    package var request: PendingRow?
    /// The pending request that `request` replaced.
    package var replaced: Int64?
    /// The number of cancelled or pending requests.
    package var count: Int?
    /// The attempt that was launched or is expiring.
    package var attempt: Int64?
    package var pending: [PendingRow]?
    /// With a page: the start of the next one; nil after the last.
    package var next: Int?
    /// With a page of the pending requests: positions of pages with different numbers are not comparable,
    /// because the manifest was reloaded in between.
    package var numbering: UInt32?
    package var running: [RunningStatus]?
    package var explanation: ExplanationView?
    package var manifest: ManifestText?
    package var overview: AppOverview?
    package var transfers: [TransferView]?
    /// The result of a sent message.
    package var push: PushAnswer?
    /// With `running`: the sources of pushes.
    package var pushSources: [PushSourceState]?

    package struct Problem: Codable, Equatable, Sendable {
        /// Apple's BGTaskScheduler.Error.Code; 0 without an equivalent.
        package var code: Int
        package var message: String
        /// Whether the host has not read the request, and may accept it later; nil: no.
        var isTooManyConnections: Bool?

        package static let tooManyConnections = Problem(
            code: 0,
            message:
                "the host accepts no more connections now; end programs that keep theirs open "
                + "(root's `ss -xp` lists them), or try again later",
            isTooManyConnections: true)
    }

    package init() {}

    /// A response whose fields `fill` sets.
    package init(_ fill: (inout ControlResponse) -> Void) { fill(&self) }

    package init(problem code: Int = 0, _ message: String) {
        problem = Problem(code: code, message: message)
    }
}

/// The effective manifest of a host; the file may have changed since.
package struct ManifestText: Codable, Equatable, Sendable {
    /// Absolute.
    package var path: String
    /// The directory that relative paths start from.
    package var directory: String
    package var text: String

    package init(path: String, directory: String, text: String) {
        self.path = path
        self.directory = directory
        self.text = text
    }
}

/// A pending request in tables.
package struct PendingRow: Codable, Equatable, Sendable {
    package var id: Int64
    package var identifier: String
    package var kind: String
    var submitted: WallTime
    /// The earliest launch; nil for no delay.
    package var earliest: WallTime?
    package var failures: Int
    /// The reason why it is not running.
    package var reason: String
    /// When its rate limit ends; nil: it is not rate limited.
    var rateLimitedUntil: WallTime?
    /// nil: none.
    package var annotations: Annotations?
    /// In a page of all rows: sorting by this and then by `id` yields the launch order.
    package var order: Int64?

    package init(_ request: TaskRequest, reason: String) {
        id = request.id
        identifier = request.identifier
        kind = request.kind.name
        submitted = request.submitted
        earliest = request.earliest
        failures = request.failures
        annotations = request.annotations.isEmpty ? nil : request.annotations
        self.reason = reason
    }

    /// The row of a request in the state of `engine`.
    package init(_ request: TaskRequest, in engine: Engine, now: WallTime) {
        let reason = engine.pendingReason(request.identifier, at: now)
        let sentence = reason.map { engine.sentence(of: $0, request.identifier, at: now) }
        let isRunning = engine.runningAttempt(request.identifier) != nil
        self.init(
            request,
            reason: sentence ?? (isRunning ? "it runs" : "no task of the manifest handles it"))
        if case .factor(.rateLimit, let until) = reason { rateLimitedUntil = until }
    }

    /// The scheduler does not launch it before this; nil: no such date.
    package var notBefore: WallTime? { [earliest, rateLimitedUntil].compactMap { $0 }.max() }
}

/// A running attempt in tables.
package struct RunningStatus: Codable, Equatable, Sendable {
    package var attempt: Int64
    package var identifier: String
    var kind: String
    package var launched: WallTime
    package var title: String?
    package var subtitle: String?
    package var completed: Int64
    package var total: Int64
    package var expiring: String?

    package init(_ attempt: Attempt) {
        self.attempt = attempt.id
        identifier = attempt.request.identifier
        kind = attempt.request.kind.name
        launched = attempt.launched.wall
        completed = 0
        total = 0
    }
}
