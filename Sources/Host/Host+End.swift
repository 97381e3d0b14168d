// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunSupervisor

extension Host {
    /// Ends the host when no work is left: warm workers first, then the loop.
    package func endIfDone() {
        guard breakdown == nil, stall.since == nil, isDone else { return }
        // A feature that cannot store its end breaks the host down.
        guard features.reversed().allSatisfy({ $0.stop() }), breakdown == nil else { return }
        if supervisor.hasWarmWorkers {
            // Checked again then: a request may have been submitted in the meantime.
            guard !life.isRetiring else { return }
            life.isRetiring = true
            return supervisor.retireWarmWorkers { [unowned self] in
                life.isRetiring = false
                endIfDone()
            }
        }
        precondition(
            attempts.views.isEmpty && stall.round == nil, "the host ends while attempts run")
        if ending == .afterOneRound, !engine.isEnding { sayWhatWaits() }
        for feature in features { feature.close() }
        if !supervisor.hasWorkers { leftovers.areGone(store: store.path) }
        loop.stop()
    }

    /// Whether no work is left: the host ends once every feature has stopped.
    package var isDone: Bool {
        guard !engine.isEnding else { return engine.hasNoAttempt }
        switch ending {
        case .whenIdle:
            return engine.isIdle && !waitsForResume && !features.contains(where: \.isBusy)
        case .afterOneRound: return engine.hasNoAttempt
        case .never: return false
        }
    }

    /// Whether the machine may sleep, and a task is submitted on resume.
    private var waitsForResume: Bool {
        manifest.tasks.contains { $0.declaration.triggers.contains(.resume) }
    }
}
