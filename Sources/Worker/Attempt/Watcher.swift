// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

/// The thread that receives the host's messages while the handler uses the main thread.
enum Watcher {
    /// The revocations that the expirer has not handled.
    private static let expirations = Monitor<[HostMessage.Expiration]>([])

    /// Starts the threads, which run until the process ends. Both exist before the first attempt: while processes are
    /// short, an attempt could not be told that its time is over.
    static func start() {
        let threads: [(String, @Sendable () -> Never)] = [
            ("bgrun-expirer", expireAll), ("bgrun-watcher", run),
        ]
        for (name, body) in threads {
            let code = WorkerThread.start(name) { body() }
            guard code == 0 else {
                HostChannel.send(.short(code))
                _exit(0)
            }
        }
        // No later message of a plugin counts as a shortage.
        HostChannel.send(.short(0))
    }

    private static func run() -> Never {
        var source = FrameSource(WorkerDescriptor.control)
        let timer = ProgressTimer.shared
        var polled = [
            pollfd(fd: WorkerDescriptor.control, events: Int16(POLLIN), revents: 0),
            pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&polled, 2, -1) >= 0 || errno == EINTR else { HostChannel.isGone() }
            if polled[1].revents != 0 {
                timer.acknowledge()
                let controller = AttemptController.shared
                controller.state.change { controller.flushProgress(&$0) }
            }
            guard polled[0].revents != 0 else { continue }
            source.receive()
            while let message = source.buffered() { take(message) }
        }
    }

    private static func take(_ message: HostMessage) {
        switch message {
        case .expire(let expiration):
            expirations.change { $0.append(expiration) }
        case .answer(let call, let answer):
            AttemptController.shared.answer(call, answer)
        case .device(let device):
            AttemptController.shared.deviceChanged(to: device)
        case .load, .launch:
            HostChannel.isGone()
        }
    }

    /// Tells handlers that their time is revoked: a handler may wait there for answers that the watcher receives.
    private static func expireAll() -> Never {
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        while true {
            let expiration = expirations.wait { $0.isEmpty ? nil : $0.removeFirst() }
            // The handler of an earlier attempt may have changed it.
            pthread_sigmask(SIG_SETMASK, &mask, nil)
            expiration.reasonText.withCString { text in
                AttemptController.shared.expire(
                    expiration.attempt,
                    bgrun_expiration(
                        struct_size: UInt32(MemoryLayout<bgrun_expiration>.size),
                        reason: expiration.reason, grace_ns: expiration.graceNanoseconds,
                        deadline_boottime_ns: expiration.deadlineBoottime, reason_text: text))
            }
        }
    }
}
