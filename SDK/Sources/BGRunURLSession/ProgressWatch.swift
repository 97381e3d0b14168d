// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Dispatch
import Foundation
import Synchronization

/// Polls the host for the progress of a session's tasks, a few times a second while an attempt
/// runs.
///
/// `@unchecked Sendable`: the only mutable state is the timer, which may be cancelled from any
/// thread.
final class ProgressWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    let attempt: PluginTask

    /// Milliseconds between two polls.
    private static let pause = 500

    /// - Parameter ask: Returns false when no task is left to poll.
    init(_ attempt: PluginTask, _ ask: @escaping @Sendable () -> Bool) {
        self.attempt = attempt
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "transfers"))
        timer.schedule(
            deadline: .now() + .milliseconds(Self.pause), repeating: .milliseconds(Self.pause))
        let source = timer
        timer.setEventHandler {
            if attempt.isCompleted || attempt.isExpired || !ask() { source.cancel() }
        }
        timer.resume()
    }

    var isOver: Bool { timer.isCancelled }

    deinit {
        timer.cancel()
    }
}

extension BackgroundSession {
    /// Reports progress to the delegate, until the attempt is over or no task is active.
    func watchProgress(in attempt: PluginTask) {
        state.withLock { state in
            guard state.delegate is any URLSessionTaskDelegate else { return }
            if let watch = state.watch, watch.attempt === attempt, !watch.isOver { return }
            state.watch = ProgressWatch(attempt) { [weak self] in
                self?.tellOfProgress(in: attempt) ?? false
            }
        }
    }

    private func tellOfProgress(in attempt: PluginTask) -> Bool {
        guard let transfers = try? attempt.transfers(ofSession: identifier) else { return false }
        var isMoving = false
        for transfer in transfers where transfer.state != .completed {
            guard let task = state.withLock({ $0.tasks[transfer.id] }) else { continue }
            isMoving = true
            let moved = transfer.options.contains(.upload) ? transfer.sent : transfer.received
            guard task.state == .running, moved > task.values.withLock(\.told) else { continue }
            tell { delegate, session in
                // Its completion may have been delivered in the meantime.
                guard task.state == .running else { return }
                task.update(transfer)
                Self.tellOfProgress(of: task, transfer, delegate, session)
            }
        }
        return isMoving
    }
}
