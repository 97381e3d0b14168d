// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims

/// Stops a loop whose event does not come, so that the test fails and does not hang.
final class Deadline {
    private(set) var hasPassed = false
    private var timer: LoopTimer?

    init(_ loop: EventLoop, seconds: Int64 = 20) throws {
        timer = try LoopTimer(loop) { [unowned self] in
            hasPassed = true
            loop.stop()
        }
        timer?.set(elapsed: bgrun_boottime_ns() + seconds * 1_000_000_000)
    }
}
