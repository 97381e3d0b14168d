// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import BGRunStorage

/// One host process from its start to its end, with its own ends of all ports.
final class HostLife {
    let number: Int
    let loop: EventLoop
    let poller = SimulatedPoller()
    let clock: SimulatedClock
    let store: SimulatedStore
    var host: BGRunHost.Host?
    weak var notices: SimulatedSupervisor?
    /// Whether the process has died: nothing it does from then on counts.
    var isDead = false
    /// Whether the loop would block.
    var isIdle = false
    /// Accesses to the store until it dies; nil: it does not.
    var accessesLeft: Int?
    var diesAfterAccess = false
    /// Whether the power is cut at its death.
    var endsWithPower = false
    /// Whether it was asked to end.
    var isEnding = false
    /// Whether it was asked to kill what runs.
    var isKilling = false
    /// The elapsed instant from which on deadlines are kept: it was started, or the machine has woken.
    var punctualSince: Int64
    /// Questions that were not answered yet.
    var questions: Set<Int> = []
    var asked = 0
    /// Identifiers of requests whose removal was asked for; nil stands for all.
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

    /// One access to the store begins or ends; throws when the process dies there.
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

/// A log that nobody reads.
final class SilentLog: HostLog {
    var heard: (LogLine) -> Void = { _ in }

    func write(_ line: LogLine) { heard(line) }
    func show(_ running: [RunningView]) {}
}
