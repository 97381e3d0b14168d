// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// The zone of this machine.
enum LocalZone {
    /// Seconds east of Greenwich at a date.
    @Sendable
    static func offset(_ date: WallTime) -> Int {
        var seconds = time_t(date.milliseconds / 1_000)
        var parts = tm()
        return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
    }
}

extension WallTime {
    /// Local date and time, `2026-11-21 07:45:01`.
    var localText: String { "\(local.dateText) \(local.clock)" }

    /// Local time of day, `07:45:01`.
    var localTimeOfDay: String { local.clock }

    /// RFC 3339 in UTC with milliseconds, `2026-11-21T07:45:01.250Z`.
    var utcText: String {
        let utc = civil(east: 0)
        let fraction = CivilTime.modulo(milliseconds, 1_000)
        return "\(utc.dateText)T\(utc.clock).\(fraction.digits(3))Z"
    }

    /// The local time.
    var local: CivilTime { civil(east: Int64(LocalZone.offset(self))) }

    private func civil(east: Int64) -> CivilTime {
        CivilTime(seconds: CivilTime.floorDivide(milliseconds, 1_000).saturatingAdding(east))
    }
}
