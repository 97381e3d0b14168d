// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem

/// One change of the store. Changes that are applied together are stored together or not at all.
package enum StoreChange: Equatable, Sendable {
    /// Stores a pending request; replaces one of the same identifier.
    case putRequest(TaskRequest)
    /// Removes the pending request of an identifier, if it exists.
    case removeRequest(identifier: String)
    /// Moves a request from the pending ones to a running attempt, which contains everything needed to requeue it.
    case beginAttempt(Attempt, worker: ProcessIdentity?)
    /// Removes a running attempt that did not begin; `putRequest` stores its request again.
    case withdrawAttempt(Int64)
    /// An attempt was told that its time is revoked.
    case expiring(attempt: Int64, StopReason, at: Instant)
    /// Moves a running attempt to the history. `entered` is the time from launch to the handler's first instruction,
    /// nil if it was never entered; `outputDropped` counts lines that were not stored.
    case endAttempt(
        attempt: Int64, Outcome, message: String?, at: Instant, entered: Interval?,
        outputDropped: Int64)
    /// The request of an attempt whose host died was cancelled: the next host does not make it pending again.
    case cancelAttempt(Int64)
    /// Stores a handler's checkpoint for its next launch; replaces the previous one.
    case putCheckpoint(identifier: String, version: UInt32, data: [UInt8])
    /// Removes a checkpoint, if it exists.
    case removeCheckpoint(identifier: String)
    /// Stores facts about the app; removes a fact without a value.
    case remember([Fact])
    /// Stores one line that an attempt wrote.
    case output(attempt: Int64, OutputStream, text: String, at: WallTime)
    /// Stores the last lines of an attempt with their numbers, in place of the lines `replacing`.
    case lastOutput(attempt: Int64, replacing: ClosedRange<Int64>, [NumberedLine])
    /// Stores one line of the log.
    case event(EventLine)
    /// Stores a hook that must run.
    case putFiring(StoredFiring)
    /// The hook has run; does nothing if it is not stored.
    case removeFiring(id: Int64)
    /// Stores a value of the hooks' memory, by name; nil removes it.
    case rememberOfHooks(name: String, value: Int64?)
    /// Stores when a plugin was notified that a person used the app.
    case rememberVisit(plugin: String, at: WallTime)
    /// Holds a message.
    case holdPush(PushMessage)
    /// A message is delivered or dropped; does nothing if it is not held.
    case dropPush(id: Int64)
    /// Stores the result of an ended attempt for its messages.
    case fetched(attempt: Int64, FetchResult)
    /// Stores the processor time of an ended attempt.
    case processorTime(attempt: Int64, milliseconds: Int64)
    /// The next message gets this id; has no other effect than a commit that can be synced.
    case nextPush(id: Int64)
}

/// How durable a change is when `Store.apply` returns.
package enum Durability: Equatable, Sendable {
    /// It survives the death of the host, and a power failure once a later `full` commit, or one of SQLite's own
    /// checkpoints, has been made. A power failure loses the newest changes, never one from the middle.
    case normal
    /// It is on the disk, with all previous changes.
    case full
}

/// The source of a line of output.
package enum OutputStream: String, Equatable, Sendable, CaseIterable {
    case standardOutput = "stdout"
    case standardError = "stderr"
    /// The log function of the plugin interface.
    case log
}

/// A hook that must run.
package struct StoredFiring: Equatable, Sendable {
    /// Increases with each firing.
    package var id: Int64
    /// The name of the hook in the manifest.
    package var hook: String
    /// The input of the hook, a JSON object.
    package var event: String

    package init(id: Int64, hook: String, event: String) {
        self.id = id
        self.hook = hook
        self.event = event
    }
}

/// A line of the log as it is stored.
package struct EventLine: Equatable, Sendable {
    package var at: Instant
    /// One word for programs, for example `starting`.
    package var kind: String
    /// The identifier of the task; empty for the whole app.
    package var identifier: String
    package var attempt: Int64?
    /// The sentence for people.
    package var text: String

    package init(
        at: Instant, kind: String, identifier: String, attempt: Int64? = nil, text: String
    ) {
        self.at = at
        self.kind = kind
        self.identifier = identifier
        self.attempt = attempt
        self.text = text
    }
}
