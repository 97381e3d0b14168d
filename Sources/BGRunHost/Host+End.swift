// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest
import BGRunSupervisor

extension Host {
    /// Ends the host when no work is left: warm workers first, then the loop.
    func endIfDone() {
        guard stall.since == nil else { return }
        let isDone: Bool
        if engine.isEnding {
            isDone = engine.hasNoAttempt
        } else {
            switch ending {
            case .whenIdle:
                isDone =
                    engine.isIdle && !waitsForResume
                    && !features.contains(where: \.isBusy)
            case .afterOneRound: isDone = engine.hasNoAttempt
            case .never: isDone = false
            }
        }
        guard isDone, features.reversed().allSatisfy({ $0.stop() }),
            breakdown == nil
        else { return }
        if supervisor.hasWarmWorkers {
            // Checked again then: a request may have been submitted in the meantime.
            guard !life.isRetiring else { return }
            life.isRetiring = true
            return supervisor.retireWarmWorkers { [unowned self] in
                life.isRetiring = false
                endIfDone()
            }
        }
        if ending == .afterOneRound, !engine.isEnding { sayWhatWaits() }
        for feature in features { feature.close() }
        loop.stop()
    }

    /// Whether the machine may sleep, and submit a task when it has.
    private var waitsForResume: Bool {
        manifest.tasks.contains { $0.declaration.triggers.contains(.resume) }
    }
}
