// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy

/// Decides which tasks are launched for finished transfers.
///
/// A task named by `then` or `on_failure` gets one transfer at a time, as its parameters: the next one waits until that
/// request has run, since it would replace it. A session's task is launched when all transfers of the session have
/// finished, and queries them itself (Apple: handleEventsForBackgroundURLSession).
struct DeliveryRule {
    enum Decision: Equatable {
        /// Submit `task` for this transfer.
        case tell(task: String, Int64)
        /// Submit the session's task.
        case launch(session: String)
        /// These have no task to receive them.
        case drop([Int64])
    }

    /// Whether the manifest has a task of kind `transfer` for a session.
    var hasTask: (_ session: String) -> Bool
    /// Whether a submission of `task` must wait: a request or an attempt of it exists.
    var isTaken: (_ task: String) -> Bool

    /// - Parameters:
    ///   - finished: The transfers that may still have to be delivered, in the order of their end.
    ///   - unfinished: The sessions with unfinished transfers.
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
    /// The task that receives its result.
    fileprivate var follower: String? {
        switch progress.result {
        case .completed: request.then
        case .failed: request.onFailure
        // Without a new file no task has work, and the caller of a cancellation knows the result.
        case .unchanged, .cancelled, nil: nil
        }
    }
}
