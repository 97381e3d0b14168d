// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy

/// Which tasks are launched for transfers that have finished.
///
/// A task named by `then` or `on_failure` is told of one transfer at a time, as its parameters: the
/// next one waits until that request has run, since it would take its place. A session's task comes
/// when all transfers of the session have finished, and asks for them itself (Apple:
/// handleEventsForBackgroundURLSession).
struct DeliveryRule {
    enum Decision: Hashable {
        /// Submit `task` for this one transfer.
        case tell(task: String, Int64)
        /// Submit the session's task.
        case launch(session: String)
        /// These are delivered to no task.
        case drop([Int64])
    }

    /// Whether the manifest has a task of kind `transfer` for a session.
    var hasTask: (_ session: String) -> Bool
    /// Whether a request or an attempt of `task` is there that a submission would get in the way of.
    var isTaken: (_ task: String) -> Bool

    /// - Parameters:
    ///   - finished: The transfers that may still have to be delivered, in the order they finished.
    ///   - unfinished: The sessions that have transfers still.
    func verdicts(finished: [Transfer], unfinished: Set<String>) -> [Decision] {
        var verdicts: [Decision] = []
        var dropped: [Int64] = []
        var launched: Set<String> = []
        var told: Set<String> = []
        for transfer in finished {
            let session = transfer.request.session
            if let task = transfer.follower {
                guard !told.contains(task), !isTaken(task) else { continue }
                told.insert(task)
                verdicts.append(.tell(task: task, transfer.id))
            } else if transfer.request.then != nil || !hasTask(session) {
                dropped.append(transfer.id)
            } else if transfer.request.sendsLaunchEvents, !unfinished.contains(session),
                !launched.contains(session), !isTaken(session)
            {
                launched.insert(session)
                verdicts.append(.launch(session: session))
            }
        }
        return dropped.isEmpty ? verdicts : verdicts + [.drop(dropped)]
    }
}

extension Transfer {
    /// The task that is told how it ended.
    fileprivate var follower: String? {
        switch progress.result {
        case .completed: request.then
        case .failed: request.onFailure
        // Without a new file no task has work, and the caller that cancels knows the result.
        case .unchanged, .cancelled, nil: nil
        }
    }
}
