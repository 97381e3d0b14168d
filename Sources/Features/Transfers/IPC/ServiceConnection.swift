// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

/// A host's connection to the transfer service of its app. Belongs to the loop's thread. Closed
/// when released.
package final class ServiceConnection {
    private var channel: LineChannel?

    /// Connects to the socket at `path` (`StateDirectory.transferSocket`), without waiting: throws
    /// ENOENT or ECONNREFUSED if no service listens.
    /// - Parameters:
    ///   - onNotice: Called on the loop's thread.
    ///   - onClose: The service has ended or died. There may be new work: a process that added
    ///     transfers checks the database, and starts another service if there is work.
    package init(
        _ loop: EventLoop, path: String, onNotice: @escaping (ServiceNotice) -> Void,
        onClose: @escaping () -> Void
    ) throws(SystemFailure) {
        channel = try LineChannel(
            loop, SocketName.connected(to: path),
            heard: { line in if let notice = ServiceNotice(line: line) { onNotice(notice) } },
            closed: onClose)
    }

    /// A failure to send the order is not reported here: `onClose` is called then.
    package func send(_ order: ServiceOrder) { channel?.send(order.line) }
}
