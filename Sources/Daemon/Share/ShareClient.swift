// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import Glibc

/// Receives the orders of the daemon. Every call comes on the loop's thread.
package protocol ShareObserver: AnyObject {
    /// `count` attempts may be launched now; unused ones lapse.
    func shareGranted(_ count: Int)
    /// `count` attempts must end.
    func shareReclaimed(_ count: Int)
    /// Called once.
    func daemonEnded()
}

/// A host's side of the shared slots: reports used and wanted slots, and receives grants for
/// launches.
///
/// Belongs to the loop's thread.
package final class ShareClient {
    private let loop: EventLoop
    private let socket: Int32
    private weak var observer: (any ShareObserver)?
    /// The last report to the daemon; nil before the first.
    private var told: ShareReport?
    private var now = ShareReport(running: 0, wantsMore: false, answers: 0)

    /// - Parameter socket: Inherited from the daemon; closed with this object.
    package init(
        _ loop: EventLoop, socket: Int32, observer: any ShareObserver
    ) throws(SystemFailure) {
        self.loop = loop
        self.socket = socket
        self.observer = observer
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        try loop.watch(socket) { [unowned self] in receive($0) }
    }

    deinit {
        loop.forget(socket)
        close(socket)
    }

    private func receive(_ readiness: EventLoop.Readiness) {
        while let order = ShareOrder.receive(from: socket) {
            switch order {
            case .grant(let grant):
                if grant.deadline > bgrun_boottime_ns() {
                    observer?.shareGranted(Int(grant.count))
                }
                now.answers = grant.number
            case .reclaim(let count): observer?.shareReclaimed(Int(count))
            // Any report proves that the host is alive.
            case .ping(let number): if now.answers == 0 { now.answers = -number }
            }
            tell()
        }
        if isClosed {
            loop.forget(socket)
            observer?.daemonEnded()
        } else if readiness.contains(.write) {
            tell()
        }
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
