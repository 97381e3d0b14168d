// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import CBGRunShims
import Glibc

/// Hears that the machine is about to sleep, and delays that while there is something to do first, by a delay lock of
/// logind's (systemd.io/INHIBITOR_LOCKS). logind limits the delay; a lock that it refuses is done without.
/// Belongs to the loop's thread.
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
    /// Whether what is wanted is held, or cannot be.
    var isSettled: Bool { !isAsking }
    private(set) var isAboutToSleep = false
    /// How long logind waits, at most.
    private(set) var delay: Interval?

    /// `changed` is called when `isAboutToSleep` has changed, and when the lock was taken or refused.
    init(_ loop: EventLoop, changed: @escaping () -> Void) throws(SystemFailure) {
        self.loop = loop
        self.changed = changed
        timer = try LoopTimer(loop) { [unowned self] in look() }
    }

    deinit {
        release()
    }

    /// What logind says now; nil while it is not there.
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
            // The lock of a logind that has ended delays nothing.
            release()
            isRefused = false
        }
        look()
    }

    /// Nothing need be done any more before the machine sleeps.
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
