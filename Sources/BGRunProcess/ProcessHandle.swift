// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// A process that is signalled by what it is and not by its number, which may be another process's
/// by then.
package final class ProcessHandle {
    private let descriptor: Int32

    /// The process that has the number now; nil when there is none, or no descriptor is free.
    package init?(_ pid: pid_t) {
        descriptor = bgrun_pidfd_open(pid)
        guard descriptor >= 0 else { return nil }
    }

    /// The process of that identity; nil when it has ended.
    package convenience init?(_ identity: ProcessIdentity) {
        self.init(identity.pid)
        // Looked at after the descriptor was opened: it cannot become another process any more.
        guard identity.isAlive else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends it a signal; false when it has been reaped.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        bgrun_pidfd_signal(descriptor, number) >= 0
    }

    /// Waits for its end, at most so many milliseconds; whether it has come.
    package func waitForEnd(milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&polled, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
