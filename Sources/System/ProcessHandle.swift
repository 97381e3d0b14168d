// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// A process that is signalled by pidfd instead of its process ID, which may have been reused.
package final class ProcessHandle {
    private let descriptor: Int32

    /// The process that has the ID now; nil if it does not exist, or no descriptor is free.
    package init?(_ pid: pid_t) {
        descriptor = bgrun_pidfd_open(pid)
        guard descriptor >= 0 else { return nil }
    }

    /// The process of that identity; nil when it has ended.
    package convenience init?(_ identity: ProcessIdentity) {
        self.init(identity.pid)
        // Checked after the descriptor was opened: it can no longer refer to another process.
        guard identity.isAlive else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends it a signal; false when it has been reaped.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        bgrun_pidfd_signal(descriptor, number) >= 0
    }

    /// Waits for it to end, at most this many milliseconds; whether it has ended.
    package func waitForEnd(milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&polled, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
