// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Identifies a process uniquely, even after its pid is reused and after a reboot.
package struct ProcessIdentity: Hashable, Sendable {
    package var pid: pid_t
    /// Clock ticks from boot to its start.
    package var startTicks: Int64
    /// The kernel's random id of this boot.
    package var bootID: String

    package init(pid: pid_t, startTicks: Int64, bootID: String) {
        self.pid = pid
        self.startTicks = startTicks
        self.bootID = bootID
    }

    /// The identity of a living process, or of a zombie; nil if the pid does not exist.
    package init?(of pid: pid_t) {
        guard let ticks = ProcFile.statFields(of: pid)?.startTicks else { return nil }
        self.init(pid: pid, startTicks: ticks, bootID: Self.currentBootID)
    }

    /// Whether this process still runs; false for one that is exiting, or a zombie.
    package var isAlive: Bool {
        guard bootID == Self.currentBootID, let now = ProcFile.statFields(of: pid) else {
            return false
        }
        return now.startTicks == startTicks && !now.isExiting
    }

    package static let currentBootID = String(
        ProcFile.text("/proc/sys/kernel/random/boot_id").prefix { !$0.isNewline })
}
