// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Takes in the callers of a socket that listens without blocking; the socket stays its owner's.
package final class Acceptor {
    private let listener: Int32
    /// Given up for a moment when no other descriptor is left, so that a caller is turned away
    /// instead of waking the loop for ever.
    private var spare = open("/dev/null", O_RDONLY | O_CLOEXEC)

    package init(_ listener: Int32) {
        self.listener = listener
    }

    deinit {
        close(spare)
    }

    /// The next caller's descriptor, which does not block and is not inherited; nil if no caller waits.
    package func next() -> Int32? {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                guard errno == EMFILE || errno == ENFILE, turnAway() else { return nil }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return descriptor
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
