// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A descriptor that a loop watches, closed with this object. Belongs to the loop's thread.
package final class WatchedDescriptor {
    package let number: Int32
    private let loop: EventLoop

    /// Takes ownership of `descriptor`; calls `ready` with it whenever it can be read.
    package init(
        _ loop: EventLoop, _ descriptor: Int32, ready: @escaping (Int32) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        number = descriptor
        try loop.watch(descriptor) { _ in ready(descriptor) }
    }

    deinit {
        loop.forget(number)
        close(number)
    }
}
