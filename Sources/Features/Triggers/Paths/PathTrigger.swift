// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy

/// Submits a task when its path has changed and then stayed unchanged for a while, so that a burst of changes makes one
/// request. Belongs to the loop's thread.
final class PathTrigger {
    let path: String
    private let settle: Interval
    private let clock: any HostClock
    private var watch: PathWatch?
    private var timer: (any HostTimer)?
    /// The elapsed instant of the first change that was not submitted yet.
    private var since: Int64?

    /// Continuous changes are submitted after this many times `settle`.
    private static let mostSettles: Int64 = 10

    init(
        _ loop: EventLoop, _ clock: any HostClock, path: String, settle: Interval,
        changed: @escaping () -> Void
    ) throws(SystemFailure) {
        self.path = path
        self.settle = settle
        self.clock = clock
        timer = try clock.timer(loop) { [unowned self] in
            since = nil
            changed()
        }
        watch = try PathWatch(loop, path: path) { [unowned self] in hear() }
    }

    private func hear() {
        let elapsed = clock.now.elapsed
        let first = since ?? elapsed
        since = first
        let (length, limit) = (
            settle.nanoseconds, settle.multiplied(by: Self.mostSettles).nanoseconds
        )
        timer?.set(elapsed: min(elapsed.saturatingAdding(length), first.saturatingAdding(limit)))
    }
}
