// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunManifest
import BGRunStore

/// Another program holds a write lock on the store: decisions wait for it, and nothing is executed
/// or acknowledged before it is stored. Meanwhile the loop continues and answers queries.
struct Stall {
    /// What waits.
    var round: Host.Round?
    /// Since when on the elapsed clock; nil: the store is not waited for.
    var since: Int64?
    var timer: (any HostTimer)?
}

extension Host {
    /// How long the loop blocks for another program that is writing.
    static let busyPatience = Interval.milliseconds(50)
    /// The retry interval.
    private static let busyPause = Interval.milliseconds(100)

    /// When this host began to wait for another program that writes to the store; nil: it does not wait.
    public var waitsForStoreSince: WallTime? {
        stall.since.map { since in
            let now = clock.now
            let waited = now.elapsed.saturatingSubtracting(since) / 1_000_000
            return WallTime(milliseconds: now.wall.milliseconds.saturatingSubtracting(waited))
        }
    }

    /// Retries after a short delay, until the limit of the policy.
    func waitForStore() {
        let now = clock.now.elapsed
        if stall.since == nil {
            stall.since = now
            say(
                .warning,
                "Waiting for another program that is writing to \(store.path); nothing is launched or "
                    + "answered meanwhile")
            noteChange()
        }
        guard let timer = stall.timer else { return breakDown(.busy(path: store.path)) }
        timer.set(elapsed: now + Self.busyPause.nanoseconds)  // fits: both are short
    }

    /// The store may be free again.
    func tryStore() {
        guard let since = stall.since, breakdown == nil else { return }
        let round = stall.round
        stall.round = nil
        do throws(StoreError) {
            if let round { try finish(round) }
            if stall.round == nil, unsaved.isWaiting { try saveLines() }
            for feature in features where !isStoreBusy { try feature.storeIsFree() }
            if !isStoreBusy { writeWaitingCheckpoints() }
        } catch {
            return breakDown(error)
        }
        guard !isStoreBusy, checkpoints.waiting.isEmpty else {
            // Judged after the attempt: the machine may have slept since the last one.
            let waited = Interval(nanoseconds: clock.now.elapsed - since)  // fits: our own clock
            guard waited < manifest.policy.storeWait else {
                return breakDown(.busy(path: store.path))
            }
            return
        }
        stall.since = nil
        say(.info, "\(store.path) can be written again")
        saveAfterThisRound()
        handleEvents()
    }

    private var isStoreBusy: Bool { stall.round != nil || unsaved.isWaiting }
}
