// SPDX-License-Identifier: Apache-2.0

/// An event outside the core. The host passes these in; nothing else changes the engine.
package enum Event: Equatable, Sendable {
    /// Attempts that were running when the host died; comes before all other events and launches nothing.
    case recover([InterruptedAttempt])
    /// The host is up: tasks that are submitted at launch are submitted now, unless pending.
    case start
    /// The same with `--once`, where hosts run intermittently: a date that passed between them was not missed.
    case startOnce
    /// A person, a program or a handler submits a request.
    case submit(Submission, ticket: Ticket?)
    /// Cancels a pending request; a running attempt continues (Apple).
    case cancel(identifier: String, ticket: Ticket?)
    /// Cancels every pending request (Apple: cancelAllTaskRequests).
    case cancelAll(ticket: Ticket?)
    /// Cancels every pending request that has this word among its annotations (Android: cancelAllWorkByTag).
    case cancelAnnotated(String, ticket: Ticket?)
    /// Launches an identifier now, regardless of its dates and conditions (Apple: _simulateLaunch...).
    case trigger(Submission, ticket: Ticket?)
    /// Expires a running attempt (Apple: _simulateExpiration...).
    case expire(identifier: String, StopReason, ticket: Ticket?)
    /// The handler has reported its result; the attempt continues until everything it started has ended.
    case attemptReported(attempt: Int64)
    /// A temporary resource shortage: no worker could be started for these attempts, none of which has begun.
    case launchDeferred([Int64], Resource)
    /// The store was busy when these attempts were launched, and is now free: their time begins now.
    case launchesDelayed([Int64])
    /// The host ends while the store is busy: these launches are not stored and have not begun. No other launches
    /// follow.
    case launchesEnd(withdrawn: [Int64])
    /// The only worker with the handler of this attempt runs another attempt first: its time starts when it begins.
    case attemptWaits(attempt: Int64)
    /// The attempt that has waited for its worker begins.
    case attemptBegan(attempt: Int64)
    /// An attempt is over, and everything it started has ended.
    case attemptEnded(attempt: Int64, Outcome)
    /// A handler reports its progress; `total` is at most 0 if unknown.
    case progress(attempt: Int64, completed: Int64, total: Int64)
    /// A handler asks for time after its report (Apple: beginBackgroundTask). `id` is unique in its attempt.
    case assertionBegan(attempt: Int64, id: Int64)
    case assertionEnded(attempt: Int64, id: Int64)
    /// An event that came at `arrived` and waited for a busy store, together with the late events after it. A report
    /// counts from its arrival, and no time runs out before an event that did not wait.
    indirect case late(Event, arrived: Instant)
    /// A person uses the app, now.
    case appOpened(ticket: Ticket?)
    /// A person removed the app (Apple: swiped it away): nothing runs until it is opened.
    case appForceQuit(ticket: Ticket?)
    /// Background refresh was switched.
    case refreshSwitch(RefreshSwitch, ticket: Ticket?)
    case deviceChanged(DeviceState)
    /// The machine will sleep, after at most `within` if known: running attempts are expired (systemd:
    /// PrepareForSleep).
    case suspending(within: Interval?)
    /// The machine has slept, or the sleep was cancelled.
    case resumed
    /// The machine has slept without an announcement: the time asleep does not count against any attempt.
    case slept
    /// Another manifest takes effect: these attempts, whose task changes, are expired, and nothing is launched.
    case manifestChanged(stopping: [Int64])
    /// The engine continues from one of another manifest; these declarations are new.
    case manifestLoaded(added: [String])
    /// The apps of a machine share slots, and this one may now launch this many more attempts; unused slots lapse at
    /// once. After the first such event nothing is launched without a grant, except continued tasks, since a person
    /// waits for them.
    case granted(Int)
    /// Returns this many slots to other apps: expires the longest-running attempts that no person triggered or waits
    /// for.
    case shareReclaimed(Int)
    /// The instant requested by `Action.wake` has come, or the clock was set.
    case timer
    /// Only requests that are pending now may still be launched (`--once`).
    case closeAdmission
    /// Running attempts are expired with reason `shutdown`; nothing is launched any more.
    case shutdown
}

extension Event {
    /// Whether it reports what an attempt did, so that its arrival time counts.
    package var isReport: Bool {
        switch self {
        case .attemptWaits, .attemptBegan, .attemptReported, .attemptEnded, .progress,
            .assertionBegan, .assertionEnded:
            true
        default: false
        }
    }
}

/// Identifies the caller that waits for a reply; chosen by the host, opaque to the core.
package typealias Ticket = UInt64

/// A request as it is submitted.
package struct Submission: Equatable, Sendable {
    package var identifier: String
    /// Not before now plus this; nil: the task's own `earliest` (Apple: earliestBeginDate nil).
    package var delay: Interval?
    /// A JSON object laid over the task's parameters.
    package var parameters: String?
    /// The annotations in addition to those of its task.
    package var annotations: Annotations
    /// One number, because events are copied by their fields.
    private var packed: UInt16

    private static let fromApp: UInt16 = 1 << 8
    private static let onlyImmediate: UInt16 = 1 << 9
    private static let fromOwnTask: UInt16 = 1 << 10

    /// The conditions in addition to those of its task.
    var requires: Conditions {
        get { Conditions(rawValue: UInt8(truncatingIfNeeded: packed)) }
        set { packed = packed & 0xff00 | UInt16(newValue.rawValue) }
    }
    /// Whether the app's own code submits it: then it does not postpone the pending request, and processing is spaced.
    package var isFromApp: Bool {
        get { packed & Self.fromApp != 0 }
        set { packed = newValue ? packed | Self.fromApp : packed & ~Self.fromApp }
    }
    /// Whether an attempt of the same task submits it; implies `isFromApp`, and `resubmission_spacing` applies.
    package var isFromOwnTask: Bool {
        get { packed & Self.fromOwnTask != 0 }
        set {
            packed =
                newValue ? packed | Self.fromOwnTask | Self.fromApp : packed & ~Self.fromOwnTask
        }
    }
    /// Whether it is refused unless it can start immediately (Apple: strategy `fail`); for continued tasks.
    var isOnlyImmediate: Bool {
        get { packed & Self.onlyImmediate != 0 }
        set { packed = newValue ? packed | Self.onlyImmediate : packed & ~Self.onlyImmediate }
    }

    package init(
        identifier: String, delay: Interval? = nil, parameters: String? = nil,
        requires: Conditions = [], isFromApp: Bool = false, isOnlyImmediate: Bool = false,
        annotations: Annotations = Annotations()
    ) {
        self.identifier = identifier
        self.delay = delay
        self.parameters = parameters
        self.annotations = annotations
        packed =
            UInt16(requires.rawValue) | (isFromApp ? Self.fromApp : 0)
            | (isOnlyImmediate ? Self.onlyImmediate : 0)
    }
}

/// An attempt that was running when its host died.
package struct InterruptedAttempt: Equatable, Sendable {
    package var id: Int64
    package var request: TaskRequest

    package init(id: Int64, request: TaskRequest) {
        self.id = id
        self.request = request
    }
}
