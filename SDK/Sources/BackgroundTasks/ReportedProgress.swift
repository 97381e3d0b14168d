// SPDX-License-Identifier: Apache-2.0

import BGRunFoundation
import BGRunPluginRuntime
import Dispatch
import Foundation

/// A progress whose changes reach the host. Foundation on Linux does not report changes of
/// children, so a progress with children is polled.
///
/// `@unchecked Sendable`: besides Foundation's class, which locks, it has constants, and the timer,
/// which is created once under a lock.
final class ReportedProgress: Progress, @unchecked Sendable {
    private static let childInterval = DispatchTimeInterval.milliseconds(250)
    private static let childUnits: Int64 = 1_000

    private let attempt: PluginTask
    private let lock = NSLock()
    private var timer: (any DispatchSourceTimer)?

    init(to attempt: PluginTask) {
        self.attempt = attempt
        super.init(parent: nil)
    }

    override var completedUnitCount: Int64 {
        didSet { report() }
    }

    override var totalUnitCount: Int64 {
        didSet { report() }
    }

    override func addChild(_ child: Progress, withPendingUnitCount inUnitCount: Int64) {
        super.addChild(child, withPendingUnitCount: inUnitCount)
        watchChildren()
    }

    override func becomeCurrent(withPendingUnitCount unitCount: Int64) {
        super.becomeCurrent(withPendingUnitCount: unitCount)
        watchChildren()
    }

    private func report() {
        if hasChildren {
            let completed = Int64(fractionCompleted * Double(Self.childUnits))
            attempt.setProgress(completed: completed, total: Self.childUnits)
        } else {
            attempt.setProgress(completed: completedUnitCount, total: totalUnitCount)
        }
        tellObservers()
    }

    private var hasChildren: Bool { lock.withLock { timer != nil } }

    private func watchChildren() {
        lock.withLock {
            guard timer == nil else { return }
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .now(), repeating: Self.childInterval)
            timer.setEventHandler { [weak self] in
                guard let self, !attempt.isCompleted else { return timer.cancel() }
                report()
            }
            timer.activate()
            self.timer = timer
        }
    }
}
