// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunSupervisor

extension Host {
    /// Ends the host when no work is left: warm workers first, then the loop.
    func endIfDone() {
        // The sender of a push waits for its sync.
        guard stalledSince == nil, unsynced.isEmpty else { return }
        let isDone: Bool
        if engine.isEnding {
            isDone = engine.hasNoAttempt
        } else {
            switch ending {
            case .whenIdle: isDone = engine.isIdle && !waitsForTriggers && transfersAreDone
            case .afterOneRound: isDone = engine.hasNoAttempt
            case .never: isDone = false
            }
        }
        // With `--once` no timer reports starvation: check here.
        if isDone, ending == .afterOneRound, !engine.isEnding { tellOfStarvation() }
        guard isDone, visitsAreDone(), hooksAreDone(), transfersAreStopped(), breakdown == nil
        else { return }
        if supervisor.hasWarmWorkers {
            // Checked again then: a request may have been submitted in the meantime.
            guard !isRetiring else { return }
            isRetiring = true
            return supervisor.retireWarmWorkers { [unowned self] in
                isRetiring = false
                endIfDone()
            }
        }
        if ending == .afterOneRound, !engine.isEnding { sayWhatWaits() }
        socketTriggers.removeAll()
        pushSources = nil
        loop.stop()
    }
}
