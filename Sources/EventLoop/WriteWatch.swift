// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// Reports when files of a directory are written while they stay open, as a database's log, or names
/// appear and disappear (inotify). Combines many writes into one report. Belongs to the loop's thread.
package final class WriteWatch {
    private let inotify: Inotify
    private var token: Inotify.Token?
    private var timer: LoopTimer?
    private let names: (String) -> Bool
    private let heard: () -> Void
    private let pause: Int64
    private var toldAt: Int64 = .min / 2
    private var isWaiting = false

    /// - Parameters:
    ///   - names: Selects the names to report.
    ///   - pause: The minimum time between two calls of `heard`, in nanoseconds; the last write is
    ///     always reported.
    package init(
        _ loop: EventLoop, _ directory: String, pause: Int64,
        names: @escaping (String) -> Bool, heard: @escaping () -> Void
    ) throws(SystemFailure) {
        inotify = try Inotify.of(loop)
        self.names = names
        self.heard = heard
        self.pause = pause
        timer = try LoopTimer(loop) { [unowned self] in tell() }
        let news = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE
        token = try inotify.add(directory, Int(news)) { [unowned self] events in
            guard
                events.contains(where: {
                    self.names($0.name) || $0.mask & UInt32(IN_Q_OVERFLOW) != 0
                })
            else { return }
            note()
        }
    }

    deinit { if let token { inotify.remove(token) } }

    private func note() {
        guard !isWaiting else { return }
        let next = toldAt + pause
        guard next > bgrun_boottime_ns() else { return tell() }
        isWaiting = true
        timer?.set(elapsed: next)
    }

    private func tell() {
        isWaiting = false
        toldAt = bgrun_boottime_ns()
        heard()
    }
}
