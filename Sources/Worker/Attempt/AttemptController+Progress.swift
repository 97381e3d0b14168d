// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import CBGRunShims

extension AttemptController {
    /// The minimum time between two reports of progress, in nanoseconds.
    static let progressSpacing: Int64 = 50_000_000

    /// Stores the newest progress and reports it to the host, at most 20 times a second, or always
    /// in a trial; the watcher reports the rest later.
    func setProgress(_ id: Int64, completed: Int64, total: Int64) -> Int32 {
        guard completed >= 0 else { return BGRUN_E_INVALID }
        return state.change { state in
            guard let current = state.current, current.id == id, !current.isOver else {
                return BGRUN_E_STATE
            }
            let wasUnsent = current.progress.isUnsent
            state.current?.progress.completed = completed
            state.current?.progress.total = max(0, total)
            state.current?.progress.isUnsent = true
            let isDue = bgrun_monotonic_ns() - current.progress.sentAt >= Self.progressSpacing
            if isDue || TrialHost.isTrial {
                flushProgress(&state)
            } else if !wasUnsent {
                ProgressTimer.shared.arm(after: Self.progressSpacing)
            }
            return BGRUN_OK
        }
    }

    /// Reports the newest progress to the host if it does not know it. Called with the state
    /// locked.
    func flushProgress(_ state: inout State) {
        guard let current = state.current, current.progress.isUnsent else { return }
        state.current?.progress.isUnsent = false
        state.current?.progress.sentAt = bgrun_monotonic_ns()
        HostChannel.send(
            .progress(
                attempt: current.id, completed: current.progress.completed,
                total: current.progress.total))
    }
}
