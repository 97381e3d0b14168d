// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// Runs `work` in a Swift task, and completes `task` on every path: with success if `work` returns,
/// without if it throws or is cancelled. Expiration cancels the Swift task.
///
///     BGTaskScheduler.shared.register(forTaskWithIdentifier: id, using: nil) { task in
///         withBackgroundTask(task) { _ in try await refresh() }
///     }
///
/// Returns at once. Replaces `task.expirationHandler`.
@discardableResult
public func withBackgroundTask<Kind: BGTask>(
    _ task: Kind, priority: TaskPriority? = nil,
    _ work: @escaping @Sendable (Kind) async throws -> Void
) -> Task<Void, Never> {
    let running = Task(priority: priority) {
        do {
            try await work(task)
            task.setTaskCompleted(success: !Task.isCancelled)
        } catch is CancellationError {
            task.complete(success: false, message: "cancelled")
        } catch {
            task.complete(success: false, message: "\(error)")
        }
    }
    task.expirationHandler = { running.cancel() }
    return running
}

extension BGTaskScheduler {
    /// Registers `work` for an identifier; see `withBackgroundTask`.
    /// - Returns: false when the manifest does not permit the identifier.
    @discardableResult
    public func register(
        _ identifier: String, _ work: @escaping @Sendable (BGTask) async throws -> Void
    ) -> Bool {
        register(forTaskWithIdentifier: identifier, using: nil) { task in
            withBackgroundTask(task, work)
        }
    }
}
