// SPDX-License-Identifier: Apache-2.0

public import BGRunLoop
import Glibc

/// A host's side of the room it shares: says what it takes and wants, and is granted launches.
///
/// Belongs to the loop's thread.
public final class ShareClient {
    private let loop: EventLoop
    private let socket: Int32
    private var last = ShareReport(running: 0, wantsMore: false, answers: 0)
    /// Granted, and not accounted for yet.
    private var unanswered: Int32 = 0

    /// - Parameters:
    ///   - socket: Inherited from the daemon; closed with this object.
    ///   - granted: So many attempts may be launched now; what is not used of it lapses.
    ///   - gone: The daemon has ended. Called once.
    public init(
        _ loop: EventLoop, socket: Int32, granted: @escaping (Int) -> Void,
        gone: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.socket = socket
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        try loop.watch(socket) { [unowned self] _ in
            var count: Int32 = 0
            let size = MemoryLayout<Int32>.size
            while true {
                let received = recv(socket, &count, size, Int32(MSG_DONTWAIT))
                guard received == size else {
                    if received == 0 || errno != EAGAIN && errno != EINTR {
                        loop.forget(socket)
                        gone()
                    }
                    return
                }
                unanswered += count
                granted(Int(count))
                if unanswered > 0 { send(last) }
            }
        }
    }

    deinit {
        loop.forget(socket)
        close(socket)
    }

    /// So many attempts run, and whether one more would be launched, were there room.
    public func report(running: Int, wantsMore: Bool) {
        let next = ShareReport(running: Int32(clamping: running), wantsMore: wantsMore, answers: 0)
        guard next != last || unanswered > 0 else { return }
        send(next)
    }

    private func send(_ report: ShareReport) {
        last = report
        var answer = report
        answer.answers = unanswered
        unanswered = 0
        _ = answer.send(over: socket)
    }
}
