// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@Suite("Time zones", .timeLimit(.minutes(10)))
struct ZoneRulesTests {
    static let names = [
        "UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Europe/Moscow",
        "Europe/Istanbul", "Europe/Kyiv", "America/New_York", "America/Chicago", "America/Denver",
        "America/Phoenix", "America/Los_Angeles", "America/Anchorage", "America/Halifax",
        "America/St_Johns", "America/Sao_Paulo", "America/Santiago", "America/Asuncion",
        "America/Bogota", "America/Mexico_City", "America/Havana", "America/Caracas",
        "America/Nuuk", "Africa/Cairo", "Africa/Casablanca", "Africa/Lagos",
        "Africa/Johannesburg", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Asia/Shanghai",
        "Asia/Tehran", "Asia/Jerusalem", "Asia/Dubai", "Asia/Pyongyang", "Australia/Sydney",
        "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Auckland", "Pacific/Chatham",
        "Pacific/Apia", "Pacific/Kiritimati",
    ]

    /// The instants around every transition from 1970 to 2037, and the middle of each month to 2060.
    private static func instants(_ zone: ZoneRules) -> [Int64] {
        let around = zone.transitions.filter { (0...2_145_916_800).contains($0) }
            .flatMap { [$0 - 3_600, $0 - 1, $0, $0 + 1, $0 + 3_600] }
        return around + stride(from: 0, to: 2_840_140_800, by: 1_209_600)
    }

    @Test(
        "offsets equal those of Foundation, around every transition and after the last",
        arguments: names)
    func offsets(_ name: String) throws {
        let zone = try ZoneRules.named(name)
        let expected = try #require(TimeZone(identifier: name))
        for instant in Self.instants(zone) {
            let date = Date(timeIntervalSince1970: Double(instant))
            #expect(
                Int(zone.offset(at: instant)) == expected.secondsFromGMT(for: date),
                "\(name) at \(instant)")
        }
    }

    @Test(
        "a local time leads to its instant, or to the first of two",
        arguments: names)
    func roundTrip(_ name: String) throws {
        let zone = try ZoneRules.named(name)
        for instant in Self.instants(zone) where instant > 90_000 {
            let back = zone.instant(of: zone.civil(at: instant))
            #expect(zone.civil(at: back) == zone.civil(at: instant), "\(name) at \(instant)")
            #expect(back <= instant, "\(name) at \(instant)")
        }
    }

    @Test("a skipped time is as long after the jump as after the begin of the gap")
    func gap() throws {
        let berlin = try ZoneRules.named("Europe/Berlin")
        let skipped = CivilTime(year: 2026, month: 3, day: 29, hour: 2, minute: 30)
        #expect(
            berlin.civil(at: berlin.instant(of: skipped)).text == "2026-03-29 03:30")
    }

    @Test(
        "an unknown name is refused",
        arguments: ["", "Europe/Berlim", "../../../etc/passwd", "/etc/passwd", "Europe", "a b"])
    func unknown(_ name: String) {
        #expect(throws: ZoneRules.Failure.self) { try ZoneRules.named(name) }
    }

    @Test("a file that was cut is damaged, wherever it ends")
    func cut() throws {
        let first = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 39)
        // The file has one local time type, of six bytes.
        var second = first
        second[39] = 1
        let whole = first + second + [UInt8](repeating: 0, count: 6)
        #expect(try ZoneRules(name: "Test", tzif: whole).offset(at: 0) == 0)
        for count in whole.indices {
            #expect(throws: ZoneRules.Failure.damaged, "\(count) bytes") {
                try ZoneRules(name: "Test", tzif: Array(whole.prefix(count)))
            }
        }
    }

    @Test(
        "dates are those of the proleptic Gregorian calendar",
        arguments: [
            (0, "1970-01-01 00:00", Weekday.thursday),
            (951_782_400, "2000-02-29 00:00", .tuesday),
            (-1, "1969-12-31 23:59:59", .wednesday),
            (4_107_542_400, "2100-03-01 00:00", .monday),
        ] as [(Int64, String, Weekday)])
    func calendar(seconds: Int64, text: String, weekday: Weekday) {
        let civil = CivilTime(seconds: seconds)
        #expect(civil.text == text)
        #expect(civil.weekday == weekday)
        let date = civil.date
        #expect(
            CivilTime(year: date.year, month: date.month, day: date.day).seconds
                + civil.secondOfDay == seconds)
    }

    @Test("a rule with days of the year does not count 29 February: J60 is 1 March in each year")
    func julian() throws {
        let rule = try #require(RecurringRule(posix: "AAA0BBB,J60/0,J300/0"))
        let zone = ZoneRules(name: "Test", transitions: [], offsets: [0], rule: rule)
        for year: Int64 in [2023, 2024] {
            let march = CivilTime.days(year: year, month: 3, day: 1) * 86_400
            #expect(zone.offset(at: march - 1) == 0 && zone.offset(at: march) == 3_600, "\(year)")
        }
    }

    @Test("every instant has an offset, before the first date and after the last, too")
    func extremes() throws {
        let rule = try #require(RecurringRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        let zone = ZoneRules(name: "Test", transitions: [], offsets: [0], rule: rule)
        for instant in [.min, .min + 1, .max - 1, .max] as [Int64] {
            #expect([3_600, 7_200].contains(zone.offset(at: instant)))
            _ = zone.civil(at: instant)
        }
    }
}
