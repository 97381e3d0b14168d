// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// A process that is signalled by pidfd instead of its process ID, which may have been reused. Only `child`
/// and `bgrun_spawn_as` signal by ID, each an unreaped child of this process.
package final class ProcessHandle {
    package let pid: pid_t
    /// Its pidfd, which a signal handler may pass to `bgrun_pidfd_signal` as long as this object lives.
    package let descriptor: Int32

    /// The process that has the ID now; nil if it does not exist, or no descriptor is free.
    package init?(_ pid: pid_t) {
        self.pid = pid
        descriptor = bgrun_pidfd_open(pid)
        guard descriptor >= 0 else { return nil }
    }

    /// A child that the calling thread has just started; nil if no descriptor can be opened for it: `errno`
    /// has the reason; the child has been killed and must be reaped.
    package static func child(
        _ pid: pid_t, open: (pid_t) -> ProcessHandle? = { ProcessHandle($0) }
    ) -> ProcessHandle? {
        if let handle = open(pid) { return handle }
        // The kernel does not reuse the ID of a child before the child is reaped. The signal succeeds, and
        // so does not change `errno`.
        kill(pid, SIGKILL)
        return nil
    }

    /// The process of that identity; nil if it has ended.
    package convenience init?(_ identity: ProcessIdentity) {
        self.init(identity.pid)
        // Checked after the descriptor was opened: it can no longer refer to another process.
        guard identity.isAlive else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends it a signal; false when it has been reaped.
    @discardableResult
    package func signal(_ number: Int32) -> Bool { bgrun_pidfd_signal(descriptor, number) >= 0 }

    /// Waits for its end, at most this many milliseconds; returns whether it has ended.
    package func waitForEnd(milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&polled, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
