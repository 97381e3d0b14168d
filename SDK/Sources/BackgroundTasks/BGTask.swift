// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

/// One launch of a task. The launch handler is given one of the subclasses.
///
/// `@unchecked Sendable`: what changes is behind a lock; subclasses are of this module only, and
/// hold constants and objects that lock by themselves.
public class BGTask: NSObject, @unchecked Sendable {
    /// The attempt, and what bgrun offers beyond Apple's framework.
    public let attempt: PluginTask

    private let runtime: PluginRuntime
    private let queue: DispatchQueue
    private let state = Mutex(State())

    private struct State: Sendable {
        var expirationHandler: Callback<Void>?
        var expiring: Callback<PluginExpiration>?
        var isOver = false
    }

    init(_ attempt: PluginTask, runtime: PluginRuntime, queue: DispatchQueue) {
        self.attempt = attempt
        self.runtime = runtime
        self.queue = queue
    }

    /// The identifier the task was submitted under.
    public var identifier: String { attempt.identifier }

    /// Called on the queue of the registration when time is revoked. Set it first of all: without
    /// one the task is then over at once, and unsuccessful.
    ///
    /// It is nil again once it has run, and after `setTaskCompleted(success:)`.
    public var expirationHandler: (() -> Void)? {
        get {
            state.withLock { $0.expirationHandler }.map { callback in { callback.call(()) } }
        }
        set {
            let callback = newValue.map { handler in Callback<Void> { _ in handler() } }
            change { $0.expirationHandler = $0.isOver ? nil : callback }
        }
    }

    /// bgrun's form of `expirationHandler`: it is told why, and how long it has. Both are called
    /// when both are set.
    public func onExpiration(_ handler: @escaping (PluginExpiration) -> Void) {
        let callback = Callback(handler)
        change { $0.expiring = $0.isOver ? nil : callback }
    }

    /// Ends the task. It must be called on every path; the first call counts.
    ///
    /// Until the launch handler returns, requests can still be submitted. After that the process
    /// may be suspended at once.
    public func setTaskCompleted(success: Bool) {
        complete(success: success, message: nil)
    }

    func complete(success: Bool, message: String?) {
        change { $0 = State(isOver: true) }
        attempt.complete(success: success, message: message)
    }

    /// Changes the state. The handlers that were in it go after the lock is free: what they hold may
    /// call back when it goes.
    private func change(_ body: (inout State) -> Void) {
        let old = state.withLock { state in
            let old = state
            body(&state)
            return old
        }
        withExtendedLifetime(old) {}
    }

    // MARK: what the scheduler calls

    /// Calls the launch handler on the queue, unless time was revoked before it could be.
    func start(_ handler: Callback<BGTask>) {
        attempt.hold()
        queue.async { [self] in
            defer {
                attempt.handlerReturned.send()
                attempt.release()
            }
            guard !attempt.isCompleted else { return }
            runtime.withCurrent { handler.call(self) }
        }
    }

    /// Calls the expiration handlers on the queue.
    func expire(_ expiration: PluginExpiration) {
        let (plain, reasoned) = state.withLock { ($0.expirationHandler, $0.expiring) }
        guard plain != nil || reasoned != nil else {
            return complete(success: false, message: "expired without an expiration handler")
        }
        attempt.hold()
        queue.async { [self] in
            defer { attempt.release() }
            runtime.withCurrent {
                plain?.call(())
                reasoned?.call(expiration)
            }
            change { state in
                state.expirationHandler = nil
                state.expiring = nil
            }
        }
    }
}

/// A handler as Apple's framework takes it, which is not `Sendable`.
///
/// `@unchecked Sendable`: it is handed over by its owner, and called on the queue the owner has
/// chosen for it.
struct Callback<Argument>: @unchecked Sendable {
    let call: (Argument) -> Void

    init(_ call: @escaping (Argument) -> Void) {
        self.call = call
    }
}
