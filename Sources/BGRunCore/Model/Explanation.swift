// SPDX-License-Identifier: Apache-2.0

/// Everything that decides when an identifier is launched, as it stands at one moment.
public struct Explanation: Hashable, Sendable {
    public var identifier: String
    public var kind: TaskKind
    public var state: State
    /// The one thing that holds the request back; nil when none is pending.
    public var reason: PendingReason?
    /// Dates, conditions, factors and limits, in that order.
    public var lines: [Line]
    /// The next date at which one of them changes though nothing happens; nil when only an event can
    /// change anything.
    public var next: WallTime?

    public enum State: Hashable, Sendable {
        case running(attempt: Int64)
        case pending(TaskRequest)
        /// No request waits and no attempt runs; the lines say what one submitted now would meet.
        case idle
    }

    /// One thing that must hold.
    public struct Line: Hashable, Sendable {
        public var subject: Subject
        public var name: String
        public var current: String
        public var needed: String
        public var isSatisfied: Bool
        /// Since when it is as it is; nil: since before the host's first event.
        public var since: WallTime?
        /// When it changes if nothing happens; nil when that is not known.
        public var until: WallTime?

        public init(
            _ subject: Subject, _ name: String, current: String, needed: String, isSatisfied: Bool,
            since: WallTime? = nil, until: WallTime? = nil
        ) {
            self.subject = subject
            self.name = name
            self.current = current
            self.needed = needed
            self.isSatisfied = isSatisfied
            self.since = since
            self.until = until
        }
    }

    public enum Subject: String, Sendable, CaseIterable {
        case date, condition, factor, limit
    }
}

extension Interval {
    /// The two largest units, `2d3h` or `45s`; `0s` below a second.
    var brief: String {
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]
        var rest = nanoseconds / 1_000_000_000
        var parts: [String] = []
        for (unit, length) in units where parts.count < 2 {
            if rest / length != 0 { parts.append("\(rest / length)\(unit)") }
            if rest / length == 0, !parts.isEmpty { break }
            rest %= length
        }
        return parts.isEmpty ? "0s" : parts.joined()
    }
}
