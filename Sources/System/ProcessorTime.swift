// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// The processor time of a process and of its ended children.
package enum ProcessorTime {
    /// The time of a live process, in milliseconds; nil if the pid does not exist.
    package static func milliseconds(of pid: pid_t) -> Int64? {
        guard let fields = ProcFile.statNumbers(of: pid), fields.count > 14 else { return nil }
        // utime, stime, cutime and cstime.
        let ticks = fields[11...14].reduce(0, &+)
        let perSecond = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return ticks.multipliedReportingOverflow(by: 1_000).partialValue / perSecond
    }

    /// The time of a reaped process, in milliseconds.
    package static func milliseconds(of usage: rusage) -> Int64 {
        func milliseconds(_ time: timeval) -> Int64 {
            Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000).partialValue
                &+ Int64(time.tv_usec) / 1_000
        }
        return milliseconds(usage.ru_utime) &+ milliseconds(usage.ru_stime)
    }
}
