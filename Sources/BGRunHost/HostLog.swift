// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// Where the host says what happens.
public protocol HostLog: AnyObject {
    /// One line: an event of the host's, or a line of a handler's log or output.
    func write(_ line: LogLine)
    /// What is running has changed: an attempt began, ended, or reported progress.
    func show(_ running: [RunningView])
}

public struct LogLine: Hashable, Sendable {
    public enum Level: UInt8, Comparable, Sendable {
        case debug, info, warning, error

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    public var at: WallTime
    public var level: Level
    /// The task a handler's line belongs to; nil for the host's own.
    public var handler: String?
    public var text: String
    /// What it is about, of a line of the host's own.
    public var subject: Subject?
    /// The attempt it is about, or whose handler says it.
    public var attempt: Int64?

    /// What an event of the host's is, for programs.
    public struct Subject: Hashable, Sendable {
        /// The kind of event, in one word: `starting`, `ended`, ...
        public var kind: String
        /// Of the task; empty for the whole app.
        public var identifier: String
        /// Why an attempt's time was revoked, or how it ended.
        public var reason: String?

        public init(kind: String, identifier: String, reason: String? = nil) {
            self.kind = kind
            self.identifier = identifier
            self.reason = reason
        }
    }

    /// The handler of what hooks write, and the kind of the host's own lines about them.
    public static let hook = "hook"

    public init(
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

/// A running attempt, as a person sees it.
public struct RunningView: Hashable, Sendable {
    public var attempt: Attempt
    public var title: String?
    public var subtitle: String?
    public var completed: Int64 = 0
    /// 0 while the handler has not said.
    public var total: Int64 = 0
    /// Whether the handler has said anything about its progress.
    public var hasReported = false
    /// Why its time was revoked, once it is.
    public var expiring: StopReason?

    public init(attempt: Attempt) {
        self.attempt = attempt
    }

    /// 0 to 1; nil while the total is unknown.
    public var fraction: Double? {
        total > 0 ? min(1, max(0, Double(completed) / Double(total))) : nil
    }
}
