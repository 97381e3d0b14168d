// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension FuzzTarget {
    /// A file of time zone rules (RFC 8536).
    static let zone = FuzzTarget("zone", longest: 2_048, made: { [sampleZone] }) { bytes in
        guard let rules = try? ZoneRules(name: "Test/Zone", tzif: bytes) else { return }
        for milliseconds in [.min, -1, 1_770_000_000_000, .max] as [Int64] {
            _ = rules.offset(at: milliseconds)
        }
        let schedule = CalendarSchedule([
            CalendarSchedule.Entry(
                .systemd(try SystemdCalendar.Expression("*-*-* 02:30:00").calendar), in: rules,
                text: "daily")
        ])
        let date = WallTime(milliseconds: 1_770_000_000_000)
        if let next = schedule.next(after: date) { try hold(next > date, "\(next)") }
    }

    /// The rules of Berlin since 2025.
    private static var sampleZone: [UInt8] {
        func number(_ value: Int64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
        }
        func header(_ transitions: Int64) -> [UInt8] {
            let counts: [Int64] = [0, 0, 0, transitions, 2, 9]
            return Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
                + counts.flatMap { number($0, 4) }
        }
        let types = number(3_600, 4) + [0, 0] + number(7_200, 4) + [1, 4]
        let names = Array("CET\u{0}CEST\u{0}".utf8)
        return header(0) + types + names + header(2) + number(1_743_296_400, 8)
            + number(1_761_440_400, 8) + [1, 0] + types + names
            + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
    }
}
