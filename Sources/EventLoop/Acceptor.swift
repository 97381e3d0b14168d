// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Takes in the callers of a socket that listens without blocking; the socket stays its owner's.
package final class Acceptor {
    private let listener: Int32
    /// Given up for a moment when no other descriptor is left, so that a caller is turned away
    /// instead of waking the loop for ever.
    private var spare = open("/dev/null", O_RDONLY | O_CLOEXEC)

    /// Callers taken in before other descriptors are served; the poller reports the listener again while
    /// others wait.
    private static let mostPerRound = 64

    package init(_ listener: Int32) { self.listener = listener }

    deinit { close(spare) }

    /// Calls `take` with the descriptors of callers that wait, up to a limit. They do not block, are not
    /// inherited, and are for `take` to close.
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

    /// Hangs up on the next caller; false if no caller waits.
    private func turnAway() -> Bool {
        close(spare)
        let caller = accept(listener, nil, nil)
        if caller >= 0 { close(caller) }
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
        return caller >= 0
    }
}
