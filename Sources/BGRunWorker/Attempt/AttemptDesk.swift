// SPDX-License-Identifier: Apache-2.0

import BGRunWire
import CBGRunPlugin
import CBGRunShims
import Synchronization

/// Where the main thread, the watcher and the handler's own threads meet.
///
/// The plugin's `bgrun_task *` is the attempt's number and not an address, so a handler that uses
/// the task of an attempt that has ended is told so and nothing else happens.
final class AttemptDesk: Sendable {
    /// The plugin's C functions carry no context; a process has one desk.
    static let shared = AttemptDesk()

    let state = Monitor(State())
    /// The attempt that is neither expired nor ended; 0: none. What `is_expired` reads.
    private let active = Atomic<Int64>(0)

    struct State {
        var current: CurrentAttempt?
        /// The newest attempt that was begun.
        var lastBegun: Int64 = 0
        var nextCall: UInt32 = 1
        var nextAssertion: Int64 = 1
        /// The calls that wait, and what has come of their answers.
        var answers: [UInt32: HostMessage.Answer] = [:]
    }

    // MARK: main thread

    func begin(_ attempt: CurrentAttempt) {
        active.store(attempt.id, ordering: .releasing)
        state.change { state in
            state.current = attempt
            state.lastBegun = attempt.id
        }
    }

    /// Blocks until the attempt is over and no `expire` of it is running.
    func waitUntilOver() {
        state.wait { state -> Void? in
            guard let current = state.current else { return () }
            guard current.isOver, !current.isExpiring else { return nil }
            state.current = nil
            return ()
        }
    }

    // MARK: any thread

    func isActive(_ id: Int64) -> Bool {
        active.load(ordering: .acquiring) == id && id != 0
    }

    /// `is_expired` says yes from now on.
    func deactivate() {
        active.store(0, ordering: .releasing)
    }

    /// The first report wins.
    func complete(_ id: Int64, success: Bool, message: String?) -> Int32 {
        let entered: Int64? = state.change { state in
            guard let current = state.current, current.id == id, !current.isReported else {
                return nil
            }
            flushProgress(&state)
            Host.send(
                .completed(
                    attempt: id, success: success, message: message,
                    enteredMonotonic: current.entered))
            state.current?.isReported = true
            if current.assertions.isEmpty {
                deactivate()
            } else if !current.isTold {
                state.current?.timeEnds = bgrun_boottime_ns() + current.assertionLimit
            }
            return current.entered
        }
        return entered == nil ? BGRUN_E_STATE : BGRUN_OK
    }

    /// Runs `body` on the attempt if it is not over yet.
    func withCurrent(_ id: Int64, _ body: (inout CurrentAttempt) -> Int32) -> Int32 {
        state.change { state in
            guard var current = state.current, current.id == id, !current.isOver else {
                return BGRUN_E_STATE
            }
            defer { state.current = current }
            return body(&current)
        }
    }

    /// Asks the host and blocks until it has answered.
    func call(_ id: Int64, _ call: WorkerMessage.Call) -> HostMessage.Answer {
        let number: UInt32? = state.change { state in
            guard let current = state.current, current.id == id, !current.isOver else {
                return nil
            }
            let number = state.nextCall
            state.nextCall &+= 1
            state.answers[number] = HostMessage.Answer(status: BGRUN_OK, hasMore: true)
            return number
        }
        guard let number else { return HostMessage.Answer(status: BGRUN_E_STATE) }
        Host.send(.call(attempt: id, call: number, call))
        return state.wait { state in
            guard let answer = state.answers[number], !answer.hasMore else { return nil }
            state.answers[number] = nil
            return answer
        }
    }

    // MARK: watcher

    func answer(_ number: UInt32, _ answer: HostMessage.Answer) {
        state.change { state in
            guard let soFar = state.answers[number] else { return }
            state.answers[number] = soFar.followed(by: answer)
        }
    }

    /// Tells the handler. The host may say so before the main thread has begun the attempt, whose
    /// launch is on its way on the other channel.
    func expire(_ id: Int64, _ expiration: bgrun_expiration) {
        let attempt: CurrentAttempt? = state.wait { state -> CurrentAttempt?? in
            guard state.lastBegun >= id else { return nil }
            guard let current = state.current, current.id == id, !current.isOver else {
                return .some(nil)
            }
            state.current?.isTold = true
            state.current?.timeEnds = expiration.deadline_boottime_ns
            state.current?.isExpiring = true
            deactivate()
            return current
        }
        guard let attempt else { return }
        if let expire = attempt.expire {
            TrialHost.pass(expiration) {
                expire(attempt.userData, OpaquePointer(bitPattern: Int(id)), $0)
            }
        } else if !attempt.keepsGrace {
            // Apple: without an expiration handler the task is marked complete and unsuccessful.
            _ = complete(id, success: false, message: WorkerMessage.cannotBeTold)
            Host.isGone()
        }
        state.change { state in
            if state.current?.id == id { state.current?.isExpiring = false }
        }
    }
}
