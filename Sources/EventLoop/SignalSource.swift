// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// Signals as events. They are blocked for the process while this object exists, and interrupt no
/// system call.
package final class SignalSource {
    private let descriptor: WatchedDescriptor

    /// Must be created before the process has other threads, which would not block the signals.
    /// - Parameter reportsStops: Whether SIGCHLD is also sent when a child is stopped or continued.
    package init(
        _ loop: EventLoop, _ signals: [Int32], reportsStops: Bool = false,
        received: @escaping (Int32) -> Void
    ) throws(SystemFailure) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        sigprocmask(SIG_BLOCK, &set, nil)
        // A host suspends its workers between attempts and needs no report of that.
        if signals.contains(SIGCHLD) {
            var action = sigaction()
            action.sa_flags = reportsStops ? 0 : SA_NOCLDSTOP
            sigaction(SIGCHLD, &action, nil)
        }
        let source = try SystemFailure.check(
            "signalfd", signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)))
        descriptor = try WatchedDescriptor(loop, source) { source in
            var info = signalfd_siginfo()
            while read(source, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {
                received(Int32(clamping: info.ssi_signo))
            }
        }
    }
}
