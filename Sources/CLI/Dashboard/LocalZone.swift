// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The zone of this machine.
enum LocalZone {
    /// Seconds east of Greenwich at a date, milliseconds since 1970.
    @Sendable
    static func offset(_ date: Int64) -> Int {
        var seconds = time_t(date / 1_000)
        var parts = tm()
        return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
    }
}
