// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// What started this process and waits to hear how it is: systemd, for a unit of `Type=notify` or
/// `notify-reload` (sd_notify(3)). Belongs to the loop's thread.
package final class ServiceManager {
    private let socket: DatagramSocket
    private let loop: EventLoop
    private let watchdogInterval: Int64?
    private var watchdog: LoopTimer?
    private var told: String?

    /// The variables by which a manager makes itself known.
    package struct Variables: Hashable, Sendable {
        /// NOTIFY_SOCKET
        var socket: String?
        /// WATCHDOG_USEC
        var watchdog: String?
        /// WATCHDOG_PID
        var watched: String?

        /// Takes them out of the environment: they concern no process that this one starts.
        /// To be called while there is one thread.
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

        /// Nanoseconds between two signs of life, half of what is allowed; nil when none is awaited.
        func interval(of process: pid_t) -> Int64? {
            guard let watchdog, let allowed = Int64(watchdog), allowed > 1,
                allowed < .max / 1_000, watched == nil || watched == String(process)
            else { return nil }
            return allowed * 1_000 / 2
        }
    }

    /// Nil if no manager waits for messages. From now on the manager receives watchdog signals, as long as
    /// the loop runs.
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

    /// It works: what was started, or read again, is in effect.
    package func ready(_ status: String) {
        told = status
        send("READY=1\nSTATUS=\(status)")
    }

    /// A line for `systemctl status`, when it says something new.
    package func say(_ status: String) {
        guard status != told else { return }
        told = status
        send("STATUS=\(status)")
    }

    /// It reads its configuration again; `ready` is to follow.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(bgrun_monotonic_ns() / 1_000)") }

    package func stopping(_ status: String) {
        told = status
        send("STOPPING=1\nSTATUS=\(status)")
    }

    private func send(_ text: String) { socket.send(Array(text.utf8)) }
}
