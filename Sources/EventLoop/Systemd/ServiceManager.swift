// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// The manager that started this process and expects reports of its state: systemd, for a unit of
/// `Type=notify` or `notify-reload` (sd_notify(3)). Belongs to the loop's thread.
package final class ServiceManager {
    private let socket: DatagramSocket
    private let loop: EventLoop
    private let watchdogInterval: Int64?
    private var watchdog: LoopTimer?
    private var told: String?

    /// The environment variables that a manager sets.
    package struct Variables: Equatable, Sendable {
        /// NOTIFY_SOCKET
        var socket: String?
        /// WATCHDOG_USEC
        var watchdog: String?
        /// WATCHDOG_PID
        var watched: String?

        /// Removes them from the environment: they do not concern processes that this one starts. Must be
        /// called while the process has one thread.
        package static func take() -> Variables {
            func take(_ name: String) -> String? {
                let value = getenv(name).map { String(cString: $0) }
                unsetenv(name)
                return value
            }
            return Variables(
                socket: take("NOTIFY_SOCKET"), watchdog: take("WATCHDOG_USEC"),
                watched: take("WATCHDOG_PID"))
        }

        /// The nanoseconds between two watchdog signals, half of the limit; nil if none are expected.
        func interval(of process: pid_t) -> Int64? {
            guard let watchdog, let allowed = Int64(watchdog), allowed > 1,
                allowed < .max / 1_000, watched == nil || watched == String(process)
            else { return nil }
            return allowed * 1_000 / 2
        }
    }

    /// Nil if no manager expects messages. From now on the manager receives watchdog signals, while the
    /// loop runs.
    package init?(_ loop: EventLoop, _ variables: Variables) throws(SystemFailure) {
        guard let name = variables.socket, let socket = DatagramSocket(name) else { return nil }
        self.socket = socket
        self.loop = loop
        watchdogInterval = variables.interval(of: getpid())
        guard watchdogInterval != nil else { return }
        watchdog = try LoopTimer(loop) { [unowned self] in feedWatchdog() }
        feedWatchdog()
    }

    private func feedWatchdog() {
        guard let watchdogInterval else { return }
        send("WATCHDOG=1")
        watchdog?.set(elapsed: bgrun_boottime_ns() + watchdogInterval)
    }

    /// Reports that the process is ready: the start, or the reload, is complete.
    package func ready(_ status: String) {
        told = status
        send("READY=1\nSTATUS=\(status)")
    }

    /// Sends a line for `systemctl status`, if it changed.
    package func say(_ status: String) {
        guard status != told else { return }
        told = status
        send("STATUS=\(status)")
    }

    /// Reports a reload of the configuration; `ready` must follow.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(bgrun_monotonic_ns() / 1_000)") }

    package func stopping(_ status: String) {
        told = status
        send("STOPPING=1\nSTATUS=\(status)")
    }

    private func send(_ text: String) { socket.send(Array(text.utf8)) }
}
