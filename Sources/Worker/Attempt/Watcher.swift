// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

/// The thread that receives the host's messages while the handler uses the main thread.
enum Watcher {
    /// Starts the thread. It runs until the process ends.
    static func start() {
        let code = WorkerThread.start("bgrun-watcher") { Watcher.run() }
        guard code == 0 else {
            // Without it, no attempt could receive an expiration.
            HostChannel.send(.short(code))
            _exit(0)
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
            expire(expiration)
        case .answer(let call, let answer):
            AttemptController.shared.answer(call, answer)
        case .device(let device):
            AttemptController.shared.deviceChanged(to: device)
        case .load, .launch:
            HostChannel.isGone()
        }
    }

    /// Tells the handler that its time is revoked, on a separate thread: the handler may wait there for answers that
    /// the watcher receives.
    private static func expire(_ expiration: HostMessage.Expiration) {
        _ = WorkerThread.start("bgrun-expirer") {
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
