// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// An attempt whose end is not recorded: it is running, or its host has died.
public struct RunningRow: Hashable, Sendable {
    public var attempt: Attempt
    public var worker: WorkerLease?
    /// Set once its time was revoked.
    public var expiring: Expiring?

    public struct Expiring: Hashable, Sendable {
        public var reason: StopReason
        public var at: WallTime

        package init(reason: StopReason, at: WallTime) {
            self.reason = reason
            self.at = at
        }
    }

    package init(
        attempt: Attempt, worker: WorkerLease? = nil, expiring: Expiring? = nil
    ) {
        self.attempt = attempt
        self.worker = worker
        self.expiring = expiring
    }
}

/// An attempt that is over.
public struct HistoryRow: Hashable, Sendable {
    public var attempt: Int64
    public var identifier: String
    public var kind: TaskKind
    /// The id of its request, which a retry keeps.
    public var request: Int64
    public var submitted: WallTime
    /// The date before which it was not to be launched, if there was one.
    public var earliest: WallTime?
    /// Failures and interruptions of the request before this attempt.
    public var failures: Int
    public var interruptions: Int
    public var launched: WallTime
    public var ended: WallTime
    /// From launch to end; nil if it is unknown because its host died.
    public var duration: Interval?
    /// From launch to the handler's first instruction; nil when it was never entered.
    public var entered: Interval?
    public var outcome: Outcome
    public var message: String?
    /// The worker's process id.
    public var worker: Int32?
    /// Lines of output that were not stored.
    public var outputDropped: Int64
    /// What it made of the messages it was given; nil when it did not say.
    public var result: FetchResult? = nil
    /// Its processor time; nil: unknown.
    public var processor: Interval? = nil

    package init(
        attempt: Int64, identifier: String, kind: TaskKind, request: Int64, submitted: WallTime,
        earliest: WallTime? = nil, failures: Int, interruptions: Int, launched: WallTime,
        ended: WallTime, duration: Interval? = nil, entered: Interval? = nil, outcome: Outcome,
        message: String? = nil, worker: Int32? = nil, outputDropped: Int64,
        result: FetchResult? = nil,
        processor: Interval? = nil
    ) {
        self.attempt = attempt
        self.identifier = identifier
        self.kind = kind
        self.request = request
        self.submitted = submitted
        self.earliest = earliest
        self.failures = failures
        self.interruptions = interruptions
        self.launched = launched
        self.ended = ended
        self.duration = duration
        self.entered = entered
        self.outcome = outcome
        self.message = message
        self.worker = worker
        self.outputDropped = outputDropped
        self.result = result
        self.processor = processor
    }
}

/// A stored line of an attempt's output.
public struct OutputLine: Hashable, Sendable {
    public var stream: OutputStream
    public var at: WallTime
    public var text: String

    package init(stream: OutputStream, at: WallTime, text: String) {
        self.stream = stream
        self.at = at
        self.text = text
    }
}

/// What a handler wants to find at its next launch.
public struct Checkpoint: Hashable, Sendable {
    /// The handler's own number for the layout of `data`.
    public var version: UInt32
    public var data: [UInt8]

    package init(version: UInt32, data: [UInt8]) {
        self.version = version
        self.data = data
    }
}

/// An event with its place in the order of all events.
public struct StoredEvent: Hashable, Sendable {
    /// Rises from event to event.
    public var id: Int64
    public var line: EventLine
}
