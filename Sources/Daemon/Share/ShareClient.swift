// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import Glibc

/// A host's side of the shared slots: reports used and wanted slots, and receives grants for
/// launches.
///
/// Belongs to the loop's thread.
package final class ShareClient {
    private let loop: EventLoop
    private let socket: Int32
    /// The last report to the daemon; nil before the first.
    private var told: ShareReport?
    private var now = ShareReport(running: 0, wantsMore: false, answers: 0)

    /// - Parameters:
    ///   - socket: Inherited from the daemon; closed with this object.
    ///   - granted: The number of attempts that may be launched now; unused ones lapse.
    ///   - reclaimed: The number of attempts that must end.
    ///   - gone: Called once, after the daemon has ended.
    package init(
        _ loop: EventLoop, socket: Int32, granted: @escaping (Int) -> Void,
        reclaimed: @escaping (Int) -> Void = { _ in }, gone: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.socket = socket
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        try loop.watch(socket) { [unowned self] readiness in
            while let order = ShareOrder.receive(from: socket) {
                switch order {
                case .grant(let grant):
                    if grant.deadline > bgrun_boottime_ns() { granted(Int(grant.count)) }
                    now.answers = grant.number
                case .reclaim(let count): reclaimed(Int(count))
                // Any report proves that the host is alive.
                case .ping(let number): if now.answers == 0 { now.answers = -number }
                }
                tell()
            }
            if isClosed {
                loop.forget(socket)
                return gone()
            }
            if readiness.contains(.write) { tell() }
        }
    }

    deinit {
        loop.forget(socket)
        close(socket)
    }

    /// Reports the number of running attempts, and whether one more would be launched with a free
    /// slot.
    package func report(running: Int, wantsMore: Bool) {
        now.running = Int32(clamping: running)
        now.wantsMore = wantsMore
        tell()
    }

    /// Sends changes; if the socket is full, later.
    private func tell() {
        guard now != told else { return }
        if now.send(over: socket) {
            now.answers = 0
            told = now
            loop.change(socket, to: .read)
        } else {
            loop.change(socket, to: [.read, .write])
        }
    }

    private var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }
}
