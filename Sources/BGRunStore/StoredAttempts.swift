// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// An attempt whose end is not recorded: it is running, or its host has died.
public struct RunningRow: Hashable, Sendable {
    public var attempt: Attempt
    public var worker: WorkerLease?
    public var progress: Progress?
    /// Set once its time was revoked.
    public var expiring: Expiring?

    /// What the handler has reported about itself.
    public struct Progress: Hashable, Sendable {
        public var completed: Int64
        public var total: Int64
        public var title: String?
        public var subtitle: String?
    }

    public struct Expiring: Hashable, Sendable {
        public var reason: StopReason
        public var at: WallTime
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
    /// From launch to end; nil when its host died and nobody knows.
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
}

/// A stored line of an attempt's output.
public struct OutputLine: Hashable, Sendable {
    public var stream: OutputStream
    public var at: WallTime
    public var text: String
}

/// What a handler wants to find at its next launch.
public struct Checkpoint: Hashable, Sendable {
    /// The handler's own number for the layout of `data`.
    public var version: UInt32
    public var data: [UInt8]
}

/// An event with its place in the order of all events.
public struct StoredEvent: Hashable, Sendable {
    /// Rises from event to event.
    public var id: Int64
    public var line: EventLine
}
