// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// The destination of the host's messages.
package protocol HostLog: AnyObject {
    /// One line: an event of the host, or a line of a handler's log or output.
    func write(_ line: LogLine)
    /// The running attempts have changed: one began, ended, or reported progress.
    func show(_ running: [RunningView])
}

package struct LogLine: Equatable, Sendable {
    package enum Level: UInt8, Comparable, Sendable {
        case debug, info, warning, error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    package var at: WallTime
    package var level: Level
    /// The task of a handler's line; nil for the host's own.
    package var handler: String?
    package var text: String
    /// The subject of a line of the host itself.
    package var subject: Subject?
    /// The attempt that it concerns, or whose handler wrote it.
    package var attempt: Int64?

    /// The kind of an event of the host, for programs.
    package struct Subject: Equatable, Sendable {
        /// The kind of event, in one word: `starting`, `ended`, ...
        package var kind: String
        /// The identifier of the task; empty for the whole app.
        package var identifier: String
        /// Why an attempt's time was revoked, or how it ended.
        package var reason: String?

        package init(kind: String, identifier: String, reason: String? = nil) {
            self.kind = kind
            self.identifier = identifier
            self.reason = reason
        }
    }

    package init(
        at: WallTime, level: Level, handler: String? = nil, text: String, subject: Subject? = nil,
        attempt: Int64? = nil
    ) {
        self.at = at
        self.level = level
        self.handler = handler
        self.text = text
        self.subject = subject
        self.attempt = attempt
    }
}

/// A running attempt, for display.
package struct RunningView: Equatable, Sendable {
    package var attempt: Attempt
    package var title: String?
    package var subtitle: String?
    package var completed: Int64 = 0
    /// 0 until the handler reports it.
    package var total: Int64 = 0
    /// Whether the handler has reported any progress.
    package var hasReported = false
    /// Why its time was revoked, if so.
    package var expiring: StopReason?

    /// 0 to 1; nil while the total is unknown.
    package var fraction: Double? { Percentage.fraction(completed, total) }
}
