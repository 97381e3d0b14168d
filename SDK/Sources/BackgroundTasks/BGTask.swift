// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

/// One launch of a task. The launch handler receives one of the subclasses.
///
/// `@unchecked Sendable`: mutable state is behind a lock; subclasses are of this module only, and
/// hold constants and objects that lock themselves.
public class BGTask: NSObject, @unchecked Sendable {
    /// The attempt, with bgrun's functions beyond Apple's framework.
    public let attempt: PluginTask

    private let runtime: PluginRuntime
    private let queue: DispatchQueue
    private let state = Mutex(State())

    private struct State: Sendable {
        var expirationHandler: Callback<Void>?
        var expiring: Callback<PluginExpiration>?
        /// The launch handler is called, or about to be.
        var hasBegun = false
        /// Set once time is revoked.
        var expiration: PluginExpiration?
        /// The expiration handler was called.
        var wasTold = false
        var isOver = false
    }

    init(_ attempt: PluginTask, runtime: PluginRuntime, queue: DispatchQueue) {
        self.attempt = attempt
        self.runtime = runtime
        self.queue = queue
    }

    /// The identifier the task was submitted under.
    public var identifier: String { attempt.identifier }

    /// Called when time is revoked, or immediately if it is set after that: on the queue of the
    /// registration, or, while the launch handler runs and that queue is not the main queue,
    /// concurrently with it on another queue. State that both use needs a lock. Set it first:
    /// without a handler, expiration ends the task unsuccessfully, and its next launch is delayed
    /// like that of a task that never completes.
    ///
    /// It is nil again once it has run, and after `setTaskCompleted(success:)`.
    public var expirationHandler: (() -> Void)? {
        get {
            state.withLock { $0.expirationHandler }.map { callback in { callback.call(()) } }
        }
        set {
            let callback = newValue.map { handler in Callback<Void> { _ in handler() } }
            let late = change { state in
                state.expirationHandler = state.isOver ? nil : callback
                return state.expirationHandler == nil ? nil : state.expiration
            }
            if late != nil { tell(callback, nil, nil) }
        }
    }

    /// bgrun's form of `expirationHandler`, which receives the reason and the remaining time. If
    /// both are set, both are called.
    public func onExpiration(_ handler: @escaping (PluginExpiration) -> Void) {
        let callback = Callback(handler)
        let late = change { state in
            state.expiring = state.isOver ? nil : callback
            return state.expiring == nil ? nil : state.expiration
        }
        if let late { tell(nil, callback, late) }
    }

    /// Ends the task. It must be called on every path; the first call counts.
    ///
    /// Until the launch handler returns, requests can still be submitted. After that the process
    /// may be suspended at once.
    public func setTaskCompleted(success: Bool) {
        complete(success: success, message: nil)
    }

    func complete(success: Bool, message: String?) {
        finish()
        attempt.complete(success: success, message: message)
    }

    /// No further notifications are delivered.
    private func finish() {
        change { $0 = State(isOver: true) }
    }

    /// Changes the state. Releases the handlers that were in it after the lock: their contents may
    /// call back when they are released.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (old, result) = state.withLock { state in
            let old = state
            return (old, body(&state))
        }
        withExtendedLifetime(old) {}
        return result
    }

    // MARK: calls of the scheduler

    /// Calls the launch handler on the queue, unless time is revoked before that.
    func start(_ handler: Callback<BGTask>) {
        attempt.hold()
        queue.async { [self] in
            defer {
                attempt.handlerReturned.send()
                attempt.release()
            }
            guard begin() else { return }
            runtime.withCurrent { handler.call(self) }
        }
    }

    /// Whether to call the launch handler; it is notified if time is revoked from now on.
    private func begin() -> Bool {
        guard !attempt.isCompleted else { return false }
        return state.withLock { state in
            state.hasBegun = !state.isOver
            return state.hasBegun
        }
    }

    /// Calls the expiration handlers on the queue. Without a handler the task ends once the launch
    /// handler, and the work it has started so far, had the chance to set one; immediately if the
    /// launch handler was not called yet.
    func expire(_ expiration: PluginExpiration) {
        let (isUnbegun, plain, reasoned) = change { state in
            let isUnbegun = !state.hasBegun && !state.isOver
            if isUnbegun { state.isOver = true }
            state.expiration = state.isOver ? nil : expiration
            return (isUnbegun, state.expirationHandler, state.expiring)
        }
        if isUnbegun {
            return complete(success: false, message: "its time was revoked before it could start")
        }
        guard plain == nil, reasoned == nil else { return tell(plain, reasoned, expiration) }
        attempt.handlerReturned.whenSent { [self] in
            runtime.withCurrent {
                _ = Task {
                    await MainActor.run {}
                    queue.async { self.abandonUnlessTold() }
                }
            }
        }
    }

    private func abandonUnlessTold() {
        let isUntold = state.withLock { state in
            !state.isOver && state.expirationHandler == nil && state.expiring == nil
                && !state.wasTold
        }
        guard isUntold else { return }
        finish()
        attempt.abandon("expired without an expiration handler")
    }

    private func tell(
        _ plain: Callback<Void>?, _ reasoned: Callback<PluginExpiration>?,
        _ expiration: PluginExpiration?
    ) {
        attempt.hold()
        change { $0.wasTold = true }
        // Each access to the main queue returns another object.
        let isMain = queue.label == DispatchQueue.main.label
        let isFree = isMain || attempt.handlerReturned.isSent
        (isFree ? queue : .global(qos: .userInitiated)).async { [self] in
            defer { attempt.release() }
            runtime.withCurrent {
                plain?.call(())
                if let expiration { reasoned?.call(expiration) }
            }
            change { state in
                if plain != nil { state.expirationHandler = nil }
                if reasoned != nil { state.expiring = nil }
            }
        }
    }
}

/// A handler as in Apple's framework, which is not `Sendable`.
///
/// `@unchecked Sendable`: its owner transfers it, and it is called on the queue that the owner has
/// chosen for it.
struct Callback<Argument>: @unchecked Sendable {
    let call: (Argument) -> Void

    init(_ call: @escaping (Argument) -> Void) {
        self.call = call
    }
}
