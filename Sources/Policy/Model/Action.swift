// SPDX-License-Identifier: Apache-2.0

/// Something the host must do, in the order given. The engine never does anything itself.
package enum Action: Equatable, Sendable {
    /// Stores a request; replaces one of the same identifier.
    case store(TaskRequest)
    case remove(TaskRequest)
    /// Stores facts about the app, to be returned in `Engine.Restoration`.
    case remember([Fact])
    /// Moves the request from the store's pending ones to a running attempt, then launches it.
    case launch(Attempt)
    /// Withdraws a launch that has not begun: its attempt is not recorded.
    case withdraw(attempt: Int64)
    /// Tells the handler that its time is revoked; SIGTERM follows at `deadline`.
    case expire(attempt: Int64, StopReason, grace: Interval, deadlineElapsed: Int64)
    /// Sends SIGTERM to everything the attempt started.
    case terminate(attempt: Int64)
    /// Sends SIGKILL to everything the attempt started.
    case kill(attempt: Int64)
    /// Answers the waiting caller. Every change before it in the list must be on disk first.
    case reply(Ticket, Reply)
    /// Sets the only timer, on the elapsed clock; nil: no timer, since nothing is due.
    case wake(elapsed: Int64?)
    /// Writes a line to the log and the event table.
    case record(Record)

    /// The attempt that it launches, ends or records as ended; nil: none, or one that never began.
    package var attempt: Int64? {
        switch self {
        case .launch(let attempt): attempt.id
        case .expire(let attempt, _, _, _), .terminate(let attempt), .kill(let attempt): attempt
        case .record(let record): record.attempt
        case .store, .remove, .remember, .withdraw, .reply, .wake: nil
        }
    }
}

/// One granted launch.
package struct Attempt: Equatable, Sendable {
    package var id: Int64
    package var request: TaskRequest
    /// The `identifier` of its declaration: the identifier itself or the wildcard it matches.
    package var declaration: String
    /// Elapsed instant at which time runs out.
    package var deadlineElapsed: Int64
    package var launched: Instant

    package init(
        id: Int64, request: TaskRequest, declaration: String, deadlineElapsed: Int64,
        launched: Instant
    ) {
        self.id = id
        self.request = request
        self.declaration = declaration
        self.deadlineElapsed = deadlineElapsed
        self.launched = launched
    }

    /// The same attempt, launched at `now` with all of its time.
    package func launched(at now: Instant) -> Attempt {
        let delay = now.elapsed.saturatingSubtracting(launched.elapsed)
        var attempt = self
        attempt.launched = now
        attempt.deadlineElapsed = deadlineElapsed.saturatingAdding(delay)
        return attempt
    }
}

/// The answer to a command.
package enum Reply: Equatable, Sendable {
    /// The request is accepted; `replaced` is the pending request it took the place of.
    case accepted(TaskRequest, replaced: Int64?)
    case refused(Refusal)
    /// That many pending requests were cancelled.
    case cancelled(Int)
    case launched(attempt: Int64)
    case expiring(attempt: Int64)
    /// No attempt of that identifier is running.
    case notRunning
    /// The fact about the app is recorded.
    case noted
}

/// Something worth a line in the log, in the framework's own phrases (features row 134).
package enum Record: Equatable, Sendable {
    case scheduling(TaskRequest)
    case starting(Attempt)
    case expiring(identifier: String, attempt: Int64, StopReason)
    case terminating(identifier: String, attempt: Int64)
    case killing(identifier: String, attempt: Int64)
    case ended(identifier: String, attempt: Int64, Outcome)
    case cancelled(TaskRequest)
    case retrying(TaskRequest, after: Interval)
    case requeued(TaskRequest, Outcome)
    case skipped(TaskRequest, blockedBy: Int64)
    case gaveUp(TaskRequest, Outcome)
    /// At the end of its attempt, a newer request of its identifier is pending.
    case superseded(TaskRequest, by: Int64)
    /// The occurrence of the request was not launched in time; nil: there is no next one.
    case missed(TaskRequest, next: WallTime?)
    /// A request that the host submitted for a task at launch is not accepted.
    case refused(String, Refusal)
    /// Progress must come within `left`, or the attempt is expired as stalled.
    case stalling(identifier: String, attempt: Int64, left: Interval)
    /// From here on another manifest applies.
    case manifestLoaded
    /// No worker can be started for lack of a resource: requests wait for it.
    case shortage(Resource)
    /// The resource suffices again, or nothing waits for it.
    case shortageOver(Resource)
    /// A person uses the app.
    case appOpened
    /// A person removed the app.
    case appForceQuit
    /// Background refresh was switched.
    case refreshSwitch(RefreshSwitch)

    package var attempt: Int64? {
        switch self {
        case .starting(let attempt): attempt.id
        case .expiring(_, let attempt, _), .terminating(_, let attempt), .killing(_, let attempt),
            .ended(_, let attempt, _), .stalling(_, let attempt, _):
            attempt
        case .scheduling, .cancelled, .retrying, .requeued, .skipped, .gaveUp, .superseded,
            .missed, .refused, .manifestLoaded, .shortage, .shortageOver, .appOpened, .appForceQuit,
            .refreshSwitch:
            nil
        }
    }
}
