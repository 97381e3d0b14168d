// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Accepts the callers of a nonblocking listening socket, which its owner keeps.
package final class Acceptor {
    private let listener: Int32
    /// Closed for a moment when no other descriptor is free, to turn a caller away instead of waking the
    /// loop forever.
    private var spare = open("/dev/null", O_RDONLY | O_CLOEXEC)

    /// The maximum number of callers accepted before other descriptors are served; the poller reports
    /// the listener again while others wait.
    private static let mostPerRound = 64

    package init(_ listener: Int32) { self.listener = listener }

    deinit { close(spare) }

    /// Calls `take` with the descriptors of waiting callers, up to a limit. They are nonblocking, not
    /// inherited, and `take` closes them.
    package func round(_ take: (Int32) -> Void) {
        for _ in 0..<Self.mostPerRound {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                guard errno == EMFILE || errno == ENFILE, turnAway() else { return }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            take(descriptor)
        }
    }

    /// Disconnects the next caller; false if no caller waits.
    private func turnAway() -> Bool {
        close(spare)
        let caller = accept(listener, nil, nil)
        if caller >= 0 { close(caller) }
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
        return caller >= 0
    }
}
