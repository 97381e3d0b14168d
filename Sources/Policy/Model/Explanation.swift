// SPDX-License-Identifier: Apache-2.0

/// Everything that decides when an identifier is launched, at one moment.
package struct Explanation: Equatable, Sendable {
    package var identifier: String
    package var kind: TaskKind
    package var state: State
    /// The reason why the request waits; nil if none is pending.
    package var reason: PendingReason?
    /// The same in words.
    package var sentence: String?
    /// Those of the pending or running request; otherwise those of the task's next request.
    package var annotations: Annotations
    /// Dates, conditions, factors and limits, in that order.
    package var lines: [Line]
    /// The next date at which one of them changes without an event; nil if only an event can change them.
    package var next: WallTime?

    package enum State: Equatable, Sendable {
        case running(RunningAttempt)
        case pending(TaskRequest)
        /// No request waits and no attempt runs; the lines apply to a request submitted now.
        case idle
    }

    /// One requirement.
    package struct Line: Codable, Equatable, Sendable {
        package var subject: Subject
        package var name: String
        package var current: String
        package var needed: String
        package var satisfied: Bool
        /// When it last changed; nil: before the host's first event.
        package var since: WallTime?
        /// When it changes without an event; nil if unknown.
        package var until: WallTime?
        /// Nil: `satisfied` says everything, or the host is of an older bgrun.
        package var note: Note?

        /// While another program has been writing to the store since `date`.
        package static func store(busySince date: WallTime) -> Line {
            Line(
                subject: .limit, name: "store", current: "another program writes to it",
                needed: "free", satisfied: false, since: date)
        }
    }

    /// A time in which a request waited for one reason.
    package struct Wait: Codable, Equatable, Sendable {
        package var request: Int64
        package var reason: String
        package var since: WallTime
        /// Nil: it still waits.
        package var until: WallTime?
        /// The attempt that was launched at its end.
        package var attempt: Int64?

        package init(
            request: Int64, reason: String, since: WallTime, until: WallTime? = nil,
            attempt: Int64? = nil
        ) {
            self.request = request
            self.reason = reason
            self.since = since
            self.until = until
            self.attempt = attempt
        }
    }

    /// An addition to `satisfied`; a host of another bgrun may have further ones.
    package struct Note: RawRepresentable, Codable, Equatable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// No source gives the current value. A condition counts as not met, a factor as met.
        package static let unknown = Note(rawValue: "unknown")
        /// It is not met but does not block: a preference, or a factor whose time is over.
        package static let tolerated = Note(rawValue: "tolerated")
    }

    /// What a line is about; a host of another bgrun may have further subjects.
    package struct Subject: RawRepresentable, Codable, Equatable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let date = Subject(rawValue: "date")
        static let condition = Subject(rawValue: "condition")
        static let factor = Subject(rawValue: "factor")
        static let limit = Subject(rawValue: "limit")
    }
}

extension Interval {
    /// The units of a manifest up to days, with their nanoseconds; the largest first.
    package static let units: [(name: String, scale: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
        ("s", 1_000_000_000), ("ms", 1_000_000),
    ]

    /// The rounded duration for people: the two largest units down to seconds, `1d12h`, `30s`,
    /// `250ms`.
    package var text: String {
        let units = Self.units + [("us", 1_000), ("ns", 1)]
        guard nanoseconds > 0, let first = units.firstIndex(where: { nanoseconds >= $0.scale })
        else { return "0s" }
        let (name, size) = units[first]
        let whole = "\(nanoseconds / size)\(name)"
        guard size > 1_000_000_000 else { return whole }
        let (nextName, nextSize) = units[first + 1]
        let rest = nanoseconds % size / nextSize
        return rest > 0 ? whole + "\(rest)\(nextName)" : whole
    }

    /// The same; `0s` below a second, also for a negative duration.
    package var brief: String { self < .seconds(1) ? "0s" : text }
}
