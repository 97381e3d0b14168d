// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import BGRunStorage

/// One host process from its start to its end, with its own instances of all ports.
final class HostLife {
    let number: Int
    let loop: EventLoop
    let poller = SimulatedPoller()
    let clock: SimulatedClock
    let store: SimulatedStore
    var host: BGRunHost.Host?
    weak var notices: SimulatedSupervisor?
    /// Whether the process has died: its later actions have no effect.
    var isDead = false
    /// Whether the loop would block.
    var isIdle = false
    /// Accesses to the store until the process dies; nil: it does not die.
    var accessesLeft: Int?
    var diesAfterAccess = false
    /// Whether the power is cut at its death.
    var endsWithPower = false
    /// Whether the host was requested to end.
    var isEnding = false
    /// Whether the host was requested to kill its attempts.
    var isKilling = false
    /// The elapsed time from which the host must meet deadlines: since its start or the last wake-up.
    var punctualSince: Int64
    /// Requests without an answer so far.
    var questions: Set<Int> = []
    var asked = 0
    /// Identifiers whose cancellation was requested; nil stands for all.
    var cancelled: Set<String?> = []

    init(_ number: Int, _ time: SimulatedTime, _ disk: SimulatedDisk) {
        self.number = number
        loop = EventLoop(poller)
        clock = SimulatedClock(time)
        store = SimulatedStore(disk)
        punctualSince = time.elapsed
        poller.idle = { [unowned self] in
            isIdle = true
            loop.stop()
        }
    }

    /// Called before and after an access to the store; throws when the process dies there.
    func access(_ moment: SimulatedStore.Moment) throws(StoreError) {
        if !isDead, let left = accessesLeft {
            if moment == .before { accessesLeft = left - 1 }
            if left - (moment == .before ? 1 : 0) <= 0, (moment == .after) == diesAfterAccess {
                isDead = true
            }
        }
        guard !isDead else {
            throw .unavailable(path: store.path, detail: "the process of the host has died")
        }
    }
}

/// A log without a reader.
final class SilentLog: HostLog {
    var heard: (LogLine) -> Void = { _ in }

    func write(_ line: LogLine) { heard(line) }
    func show(_ running: [RunningView]) {}
}
