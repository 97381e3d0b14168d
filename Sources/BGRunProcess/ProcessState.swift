// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel is doing with a process.
public enum ProcessState {
    /// Whether the process is on its way out, or a zombie, or gone (PF_EXITING).
    public static func isExiting(_ pid: pid_t) -> Bool {
        guard let flags = ProcFile.statFields(of: pid)?.flags else { return true }
        return flags & 0x4 != 0
    }
}
