// SPDX-License-Identifier: Apache-2.0

/// Why a request is not accepted. `code` is Apple's BGTaskScheduler.Error.Code where there is one.
package enum Refusal: Error, Equatable, Sendable {
    /// The identifier is not among the permitted ones; `nearest` is a similar one.
    case notPermitted(identifier: String, nearest: String?)
    /// The kind needs a mode the manifest does not declare.
    case modeMissing(identifier: String, kind: TaskKind, mode: Mode)
    /// The identifier is permitted, but no task of the manifest handles it. `nearest` is a similar declared one.
    case noHandler(identifier: String, nearest: String?)
    case tooManyPending(kind: TaskKind, limit: Int)
    /// This attempt is running, and the task has `overlap: skip` or was triggered by hand.
    case alreadyRunning(identifier: String, attempt: Int64)
    /// The task has `strategy: fail` and cannot start at once.
    case notImmediately(identifier: String, reason: String)
    /// It was triggered, and no worker can be started now. Its request stays pending.
    case postponed(identifier: String, reason: String)
    /// The host is shutting down.
    case unavailable
    /// The store is busy, and the queue for it is full. The request is not kept.
    case busy

    /// Apple's number: 1 unavailable, 2 tooManyPendingTaskRequests, 3 notPermitted, 4 immediateRunIneligible; 0 for
    /// refusals that Apple does not have.
    package var code: Int {
        switch self {
        case .unavailable, .busy: 1
        case .tooManyPending: 2
        case .notPermitted, .modeMissing: 3
        case .notImmediately, .postponed: 4
        case .noHandler, .alreadyRunning: 0
        }
    }

    /// The problem and the remedy.
    package var message: String {
        switch self {
        case .notPermitted(let identifier, _) where !IdentifierRule.isWellFormed(identifier):
            "notPermitted: \"\(identifier)\" is not an identifier; use letters, digits, `-` and `_`, in "
                + "parts joined by dots"
        case .notPermitted(let identifier, let nearest):
            "notPermitted: \"\(identifier)\" is not in permitted_identifiers"
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? "; add it to the manifest")
        case .modeMissing(let identifier, let kind, let mode):
            "notPermitted: \"\(identifier)\" is of kind \(kind.name), which needs mode "
                + "\(mode.rawValue); add it to modes in the manifest"
        case .noHandler(let identifier, let nearest):
            "No launch handler registered for task with identifier \(identifier); "
                + (nearest.map { "did you mean \"\($0)\"?" } ?? "add it to tasks in the manifest")
        case .tooManyPending(let kind, let limit):
            "tooManyPendingTaskRequests: \(limit) \(kind.name) requests are pending already; "
                + "cancel one, or raise the limit under policy in the manifest"
        case .alreadyRunning(let identifier, let attempt):
            "\"\(identifier)\" is running as attempt \(attempt); wait until it ends, or expire it"
        case .notImmediately(let identifier, let reason):
            "immediateRunIneligible: \"\(identifier)\" cannot start now: \(reason); submit it "
                + "again later, or give the task `strategy: queue`"
        case .postponed(let identifier, let reason):
            "immediateRunIneligible: \"\(identifier)\" is kept and starts later: it \(reason)"
        case .unavailable:
            "unavailable: the host is ending; see what is pending before you submit again, since the "
                + "request may be stored already"
        case .busy:
            "unavailable: another program is writing to the store, and too many requests wait for it; "
                + "submit the request again when `bgrun doctor` no longer reports the wait"
        }
    }
}
