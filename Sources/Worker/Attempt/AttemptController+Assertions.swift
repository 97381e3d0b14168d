// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import CBGRunShims

extension AttemptController {
    /// The id of a new assertion; `BGRUN_ASSERTION_INVALID` if there is no attempt to hold open.
    func beginAssertion(_ id: Int64, name: String?) -> Int64 {
        state.change { state in
            guard let current = state.current, current.id == id, !current.isOver, !current.isTold,
                current.assertions.count < Int(BGRUN_ASSERTIONS_MAX)
            else { return Int64(BGRUN_ASSERTION_INVALID) }
            let assertion = state.nextAssertion
            state.nextAssertion += 1
            state.current?.assertions.insert(assertion)
            // Sent while the state is locked, so that no report overtakes it.
            HostChannel.send(.assertionBegan(attempt: id, id: assertion, name: name))
            return assertion
        }
    }

    /// Ends an assertion if it is held; the last one ends an attempt that has reported.
    func endAssertion(_ id: Int64, _ assertion: Int64) {
        state.change { state in
            guard state.current?.id == id,
                state.current?.assertions.remove(assertion) != nil
            else { return }
            flushProgress(&state)
            HostChannel.send(.assertionEnded(attempt: id, id: assertion))
            if state.current?.isOver == true { deactivate() }
        }
    }

    /// The time that remains for the attempt, in nanoseconds; `.max`: no limit.
    func timeRemaining(_ id: Int64) -> Int64 {
        state.look { state in
            guard let current = state.current, current.id == id, !current.isOver else { return 0 }
            guard current.timeEnds < .max else { return .max }
            return max(0, current.timeEnds - bgrun_boottime_ns())
        }
    }
}
