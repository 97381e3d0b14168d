// SPDX-License-Identifier: Apache-2.0

/// Everything that decides when an identifier is launched, as it stands at one moment.
package struct Explanation: Hashable, Sendable {
    package var identifier: String
    package var kind: TaskKind
    package var state: State
    /// The one thing that holds the request back; nil when none is pending.
    package var reason: PendingReason?
    /// The same in words.
    package var sentence: String?
    /// Of the request that is pending or runs; of another task, those of its next one.
    package var annotations: Annotations
    /// Dates, conditions, factors and limits, in that order.
    package var lines: [Line]
    /// The next date at which one of them changes though nothing happens; nil when only an event can change anything.
    package var next: WallTime?

    package enum State: Hashable, Sendable {
        case running(Running)
        case pending(TaskRequest)
        /// No request waits and no attempt runs; the lines say what one submitted now would meet.
        case idle
    }

    /// An attempt that runs.
    package struct Running: Hashable, Sendable {
        package var attempt: Int64
        package var phase: Phase
        /// When the phase ends if nothing happens, by the calendar clock as it was at the launch; nil for the last one.
        package var until: WallTime?

        package enum Phase: Hashable, Sendable {
            /// Its worker runs another attempt first; its time begins afterwards.
            case waiting
            /// Has time; it is expired for that reason afterwards.
            case granted(StopReason)
            /// Has reported its result and holds an assertion.
            case asserting
            /// Has reported its result and may tidy up; SIGTERM follows.
            case reported
            /// Was told that its time is over; SIGTERM follows.
            case expiring(StopReason)
            /// Was sent SIGTERM; SIGKILL follows.
            case terminated
            /// Was sent SIGKILL; only the kernel is waited for.
            case killed

            /// Why it is expired, or would be.
            package var reason: StopReason? {
                switch self {
                case .granted(let reason), .expiring(let reason): reason
                case .waiting, .asserting, .reported, .terminated, .killed: nil
                }
            }

            package var name: String {
                switch self {
                case .waiting: "waiting"
                case .granted: "granted"
                case .asserting: "asserting"
                case .reported: "reported"
                case .expiring: "expiring"
                case .terminated: "terminated"
                case .killed: "killed"
                }
            }
        }
    }

    /// One thing that must hold.
    package struct Line: Hashable, Sendable {
        package var subject: Subject
        package var name: String
        package var current: String
        package var needed: String
        package var isSatisfied: Bool
        /// Since when it is as it is; nil: since before the host's first event.
        package var since: WallTime?
        /// When it changes if nothing happens; nil when that is not known.
        package var until: WallTime?
        /// Nil: `isSatisfied` is all there is to report.
        package var note: Note?
    }

    /// What `isSatisfied` alone hides.
    package enum Note: String, Sendable {
        /// Nothing tells the current value. A condition counts as not met, a factor as met.
        case unknown
        /// It is not met and holds nothing back: a preference, or one whose time is over.
        case tolerated
    }

    package enum Subject: String, Sendable, CaseIterable {
        case date, condition, factor, limit
    }
}

extension Interval {
    /// The two largest units, `2d3h` or `45s`; `0s` below a second.
    package var brief: String {
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]
        var rest = nanoseconds / 1_000_000_000
        var parts: [String] = []
        for (unit, size) in units where parts.count < 2 {
            if rest / size != 0 { parts.append("\(rest / size)\(unit)") }
            if rest / size == 0, !parts.isEmpty { break }
            rest %= size
        }
        return parts.isEmpty ? "0s" : parts.joined()
    }
}
