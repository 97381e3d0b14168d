// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import CBGRunShims
import Glibc

/// Receives the announcement of sleep, and delays it while work remains, by a delay lock of logind
/// (systemd.io/INHIBITOR_LOCKS). logind limits the delay; if it refuses the lock, nothing is delayed. Belongs to the
/// loop's thread.
final class SleepGuard {
    private let loop: EventLoop
    private let changed: () -> Void
    private var word = SleepWord()
    private var timer: LoopTimer?
    private var lock: Int32?
    private var isAsking = false
    private var isRefused = false
    private var isReady = false

    /// Whether the lock is wanted while the machine is awake.
    var isWanted = false { didSet { if !isWanted { release() } } }
    /// Whether the wanted lock is held, or has been refused.
    var isSettled: Bool { !isAsking }
    private(set) var isAboutToSleep = false
    /// The maximum delay of logind.
    private(set) var delay: Interval?

    /// `changed` is called after each change of `isAboutToSleep`, and after the lock was taken or refused.
    init(_ loop: EventLoop, changed: @escaping () -> Void) throws(SystemFailure) {
        self.loop = loop
        self.changed = changed
        timer = try LoopTimer(loop) { [unowned self] in look() }
    }

    deinit {
        release()
    }

    /// Handles the current state of logind; nil while it is missing.
    func hear(_ news: SleepNews?, from bus: SystemBus?) {
        delay = news?.delay
        word.hear(news, monotonic: bgrun_monotonic_ns())
        if let news {
            if news.isPreparing {
                isRefused = false
            } else {
                isReady = false
                take(from: bus)
            }
        } else {
            // The lock of an ended logind delays nothing.
            release()
            isRefused = false
        }
        look()
    }

    /// Allows the machine to sleep.
    func readyToSleep() {
        guard isAboutToSleep else { return }
        isReady = true
        release()
    }

    private func release() {
        if let lock { close(lock) }
        lock = nil
    }

    private func take(from bus: SystemBus?) {
        guard isWanted, lock == nil, !isAsking, !isRefused, let bus else { return }
        isAsking = true
        bus.delaySleep { [weak self] descriptor in
            guard let self else {
                if let descriptor { close(descriptor) }
                return
            }
            isAsking = false
            lock = descriptor
            isRefused = descriptor == nil
            if isReady { release() }
            changed()
        }
    }

    private func look() {
        let monotonic = bgrun_monotonic_ns()
        word.look(monotonic: monotonic)
        let isDue = word.isAboutToSleep
        timer?.set(
            elapsed: isDue
                ? word.doubtedAt.map { bgrun_boottime_ns() + ($0 - monotonic) } : nil)
        guard isDue != isAboutToSleep else { return }
        isAboutToSleep = isDue
        changed()
    }
}
