// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
import Synchronization

extension UIApplication {
    /// Requests time that continues after the task is completed: the attempt stays open until
    /// `endBackgroundTask`, at most for the policy's `assertion_limit`. Balance each call with one
    /// of these.
    ///
    /// - Parameters:
    ///   - taskName: for people.
    ///   - handler: called on the main thread, at most once, when the time is revoked; it should
    ///     end the assertion. Without one the process is killed after the grace period.
    /// - Returns: `invalid` outside an attempt, after the revocation of its time, and with over 64
    ///   at once.
    public nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        guard let task = runtime.currentTask else { return .invalid }
        let id = task.beginAssertion(taskName)
        guard id != 0 else { return .invalid }
        let identifier = UIBackgroundTaskIdentifier(rawValue: Int(id))
        assertions.hold(identifier, task, handler)
        return identifier
    }

    /// The same without a name.
    public nonisolated func beginBackgroundTask(
        expirationHandler handler: (@MainActor () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Ends an assertion. Ignores one that is not held, including `invalid`. When the last one ends
    /// after the completion, the attempt is over.
    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        assertions.release(identifier)
    }

    /// The remaining seconds of the current attempt, 0 without one; `.greatestFiniteMagnitude`
    /// without a limit.
    public nonisolated var backgroundTimeRemaining: TimeInterval {
        guard let task = runtime.currentTask else { return 0 }
        guard let left = task.timeRemaining else { return .greatestFiniteMagnitude }
        return TimeInterval(left.components.seconds)
            + TimeInterval(left.components.attoseconds) / 1e18
    }
}

/// The assertions that the app holds.
final class Assertions: Sendable {
    private struct Assertion {
        let task: PluginTask
        /// nil after its call.
        var expirationHandler: (@MainActor () -> Void)?
    }

    private let held = Mutex<[UIBackgroundTaskIdentifier: Assertion]>([:])

    func hold(
        _ identifier: UIBackgroundTaskIdentifier, _ task: PluginTask,
        _ handler: (@MainActor () -> Void)?
    ) {
        task.hold()
        held.withLock { $0[identifier] = Assertion(task: task, expirationHandler: handler) }
        // An earlier revocation has not found the assertion.
        if task.isExpired { expire() }
    }

    func release(_ identifier: UIBackgroundTaskIdentifier) {
        guard let assertion = held.withLock({ $0.removeValue(forKey: identifier) }) else { return }
        assertion.task.endAssertion(Int64(identifier.rawValue))
        assertion.task.release()
    }

    /// Makes the main actor call each expiration handler, once, oldest first.
    func expire() {
        let handlers = held.withLock { held in
            defer { for identifier in held.keys { held[identifier]?.expirationHandler = nil } }
            return held.sorted { $0.key.rawValue < $1.key.rawValue }
                .compactMap(\.value.expirationHandler)
        }
        guard !handlers.isEmpty else { return }
        Task { @MainActor in
            for handler in handlers { handler() }
        }
    }
}
