// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem

/// An attempt whose end is not recorded: it is running, or its host has died.
package struct RunningRow: Equatable, Sendable {
    package var attempt: Attempt
    package var worker: ProcessIdentity?
    /// Not nil once its time was revoked.
    package var expiring: Expiring?

    package struct Expiring: Equatable, Sendable {
        var reason: StopReason
        var at: WallTime

        package init(reason: StopReason, at: WallTime) {
            self.reason = reason
            self.at = at
        }
    }

    package init(
        attempt: Attempt, worker: ProcessIdentity? = nil, expiring: Expiring? = nil
    ) {
        self.attempt = attempt
        self.worker = worker
        self.expiring = expiring
    }
}

/// An ended attempt.
package struct HistoryRow: Equatable, Sendable {
    package var attempt: Int64
    package var identifier: String
    package var kind: TaskKind
    /// The id of its request; a retry has the same.
    package var request: Int64
    package var submitted: WallTime
    /// Its earliest launch date, if there was one.
    package var earliest: WallTime?
    /// Failures and interruptions of the request before this attempt.
    package var failures: Int
    package var interruptions: Int
    package var launched: WallTime
    package var ended: WallTime
    /// The time from launch to end; nil if it is unknown because its host died.
    package var duration: Interval?
    /// The time from launch to the handler's first instruction; nil if it was never entered.
    package var entered: Interval?
    package var outcome: Outcome
    package var message: String?
    /// The worker's process id.
    package var worker: Int32?
    /// The number of output lines that were not stored.
    package var outputDropped: Int64
    /// Its result for its messages; nil if it did not report one.
    package var result: FetchResult? = nil
    /// Its processor time; nil: unknown.
    package var processor: Interval? = nil
    /// The annotations of its request.
    package var annotations = Annotations()

    package init(
        attempt: Int64, identifier: String, kind: TaskKind, request: Int64, submitted: WallTime,
        earliest: WallTime? = nil, failures: Int, interruptions: Int, launched: WallTime,
        ended: WallTime, duration: Interval? = nil, entered: Interval? = nil, outcome: Outcome,
        message: String? = nil, worker: Int32? = nil, outputDropped: Int64,
        result: FetchResult? = nil,
        processor: Interval? = nil, annotations: Annotations = Annotations()
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
        self.annotations = annotations
    }
}

/// A stored line of an attempt's output.
package struct OutputLine: Equatable, Sendable {
    package var stream: OutputStream
    package var at: WallTime
    package var text: String

    package init(stream: OutputStream, at: WallTime, text: String) {
        self.stream = stream
        self.at = at
        self.text = text
    }
}

/// A handler's data for its next launch.
package struct Checkpoint: Equatable, Sendable {
    /// The handler's own number for the layout of `data`.
    package var version: UInt32
    package var data: [UInt8]

    package init(version: UInt32, data: [UInt8]) {
        self.version = version
        self.data = data
    }
}

/// An event with its position in the order of all events.
package struct StoredEvent: Equatable, Sendable {
    /// Increases with each event.
    var id: Int64
    package var line: EventLine
}
