// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Receives events about a machine. Every call comes on the loop's thread.
package protocol DeviceObserver: AnyObject {
    /// The first complete report, and each that differs from the previous one.
    func deviceReads(_ report: DeviceReport)
    /// logind is about to suspend the machine, with its maximum delay if known.
    func deviceSuspends(within time: Interval?)
    /// The machine has slept or cancelled its sleep, and all readings were refreshed.
    func deviceResumed()
}

extension DeviceObserver {
    package func deviceSuspends(within time: Interval?) {}
    package func deviceResumed() {}
}
