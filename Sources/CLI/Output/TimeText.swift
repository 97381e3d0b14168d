// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
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

extension WallTime {
    /// Local date and time, `2026-11-21 07:45:01`.
    var localText: String { format("%Y-%m-%d %H:%M:%S", localtime_r) }

    /// Local time of day, `07:45:01`.
    var localTimeOfDay: String { format("%H:%M:%S", localtime_r) }

    /// RFC 3339 in UTC with milliseconds, `2026-11-21T07:45:01.250Z`.
    var utcText: String {
        let fraction = CivilTime.modulo(milliseconds, 1_000)
        return format("%Y-%m-%dT%H:%M:%S", gmtime_r) + ".\(fraction.digits(3))Z"
    }

    private func format(
        _ pattern: String,
        _ split: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
    ) -> String {
        var seconds = time_t((Double(milliseconds) / 1_000).rounded(.down))
        var parts = tm()
        guard split(&seconds, &parts) != nil else { return "\(milliseconds) ms" }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, pattern, &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
