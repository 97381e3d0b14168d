// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import CBGRunShims
import Synchronization

/// Synchronizes the main thread, the watcher and the handler's own threads.
///
/// The plugin's `bgrun_task *` is the attempt's number and not an address, so that the use of an ended attempt's task
/// returns an error and has no other effect.
final class AttemptController: Sendable {
    /// The plugin's C functions carry no context; a process has one controller.
    static let shared = AttemptController()

    let state = Monitor(State())
    /// The attempt that is neither expired nor ended; 0 if there is none. Read by `is_expired`.
    private let active = Atomic<Int64>(0)

    struct State {
        var current: CurrentAttempt?
        /// The newest attempt that was begun.
        var lastBegun: Int64 = 0
        var nextCall: UInt32 = 1
        var nextAssertion: Int64 = 1
        /// The number of waiting calls of the process, not of an attempt.
        var processCalls = 0
        var observation = Observation()
        /// The readings while the plugin's init runs; nil before and after it.
        var deviceOfInit: HostMessage.Device?
        /// The waiting calls, and the received parts of their answers.
        var answers: [UInt32: HostMessage.Answer] = [:]
    }

    // MARK: main thread

    func begin(_ attempt: CurrentAttempt) {
        precondition(attempt.id != 0, "0 is the number of no attempt")
        active.store(attempt.id, ordering: .releasing)
        state.change { state in
            precondition(state.current == nil, "attempt \(attempt.id) begins within another one")
            state.current = attempt
            state.lastBegun = attempt.id
        }
    }

    /// Blocks until the attempt is over, no `expire` of it is running and no call waits for the host.
    func waitUntilOver() {
        state.wait { state -> Void? in
            guard let current = state.current else { return () }
            guard current.isOver, !current.isExpiring, state.processCalls == 0,
                !state.observation.isRunning
            else { return nil }
            state.current = nil
            return ()
        }
    }

    // MARK: any thread

    func isActive(_ id: Int64) -> Bool { active.load(ordering: .acquiring) == id && id != 0 }

    /// `is_expired` returns true from now on.
    func deactivate() { active.store(0, ordering: .releasing) }

    /// Accepts the first report only.
    func complete(_ id: Int64, success: Bool, message: String?) -> Int32 {
        report(id) { current in
            .completed(
                attempt: id, success: success, message: message, enteredMonotonic: current.entered)
        }
    }

    /// Ends an expired attempt that does not report.
    func abandon(_ id: Int64, message: String?) -> Int32 {
        report(id) { current in
            guard current.isTold else { return nil }
            return .completed(
                attempt: id, success: nil, message: message, enteredMonotonic: current.entered)
        }
    }

    private func report(_ id: Int64, _ message: (CurrentAttempt) -> WorkerMessage?) -> Int32 {
        let isFirst = state.change { state in
            guard let current = state.current, current.id == id, !current.isReported,
                let message = message(current)
            else { return false }
            flushProgress(&state)
            HostChannel.send(message)
            state.current?.isReported = true
            if current.assertions.isEmpty {
                deactivate()
            } else if !current.isTold {
                state.current?.timeEnds = bgrun_boottime_ns() + current.assertionLimit
            }
            return true
        }
        return isFirst ? BGRUN_OK : BGRUN_E_STATE
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

    /// Sends a call to the host and blocks until it is answered.
    func call(_ id: Int64, _ call: WorkerMessage.Call) -> HostMessage.Answer {
        let number: UInt32? = state.change { state in
            guard let current = state.current, current.id == id, !current.isOver else { return nil }
            return Self.beginCall(&state)
        }
        guard let number else { return HostMessage.Answer(status: BGRUN_E_STATE) }
        return answer(to: number, call, of: id)
    }

    /// The same for the process, at any time. The running attempt stays open until the call is answered.
    func callOfProcess(_ call: WorkerMessage.Call) -> HostMessage.Answer {
        let number = state.change { state in
            state.processCalls += 1
            return Self.beginCall(&state)
        }
        defer { state.change { $0.processCalls -= 1 } }
        return answer(to: number, call, of: 0)
    }

    static func beginCall(_ state: inout State) -> UInt32 {
        let number = state.nextCall
        precondition(state.answers[number] == nil, "call \(number) waits already")
        state.nextCall &+= 1
        state.answers[number] = HostMessage.Answer(status: BGRUN_OK, hasMore: true)
        return number
    }

    private func answer(
        to number: UInt32, _ call: WorkerMessage.Call, of attempt: Int64
    ) -> HostMessage.Answer {
        HostChannel.send(.call(attempt: attempt, call: number, call))
        return state.wait { state in
            guard let answer = state.answers[number], !answer.hasMore else { return nil }
            state.answers[number] = nil
            return answer
        }
    }

    // MARK: watcher

    func answer(_ number: UInt32, _ answer: HostMessage.Answer) {
        // In place: a list may come in a thousand parts.
        state.change { $0.answers[number]?.append(answer) }
    }

    /// Tells the handler. The message may arrive before the main thread has begun the attempt, whose launch comes over
    /// the other channel.
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
            _ = abandon(id, message: WorkerMessage.cannotBeTold)
            HostChannel.isGone()
        }
        state.change { state in
            if state.current?.id == id { state.current?.isExpiring = false }
        }
    }
}
