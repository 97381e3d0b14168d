// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// A schedule is written with the rules of its zones, which may differ on the machine of the replay.
extension Schedule {
    /// - Parameter zones: The zones written so far: a schedule refers to its zone by number.
    func write(to writer: inout WireWriter, _ zones: [ZoneRules]) {
        switch self {
        case .every(let period, let flex): writer.put(UInt8(0), period, flex)
        case .calendar(let calendar):
            writer.put(UInt8(1), UInt32(calendar.entries.count))
            for entry in calendar.entries {
                writer.put(entry.text, zones.firstIndex(of: entry.zone) ?? zones.count, entry.rule)
            }
        }
    }

    init(from reader: inout WireReader, _ zones: [ZoneRules]) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .every(try reader.value(), flex: try reader.value())
        case 1:
            let entries = try reader.readArray { reader throws(WireError) in
                let text: String = try reader.value()
                let zone: Int = try reader.value()
                guard zones.indices.contains(zone) else { throw .malformed("no zone \(zone)") }
                return CalendarSchedule.Entry(try reader.value(), in: zones[zone], text: text)
            }
            self = .calendar(CalendarSchedule(entries))
        case let tag: throw unknownTag(tag, Schedule.self)
        }
    }
}

extension CalendarSchedule.Rule: Journaled {
    func write(to writer: inout WireWriter) {
        switch self {
        case .cron(let cron): writer.put(UInt8(0), cron)
        case .systemd(let calendar): writer.put(UInt8(1), calendar)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .cron(try reader.value())
        case 1: self = .systemd(try reader.value())
        case let tag: throw unknownTag(tag, CalendarSchedule.Rule.self)
        }
    }
}

extension CronSchedule: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(seconds, minutes, hours, days, months)
        writer.put(weekdays, stars.rawValue)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            seconds: try reader.read(), minutes: try reader.read(), hours: try reader.read(),
            days: try reader.read(), months: try reader.read(), weekdays: try reader.read(),
            stars: Stars(rawValue: try reader.read()))
    }
}

extension SystemdCalendar: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(weekdays, years, months, days, daysFromEnd)
        writer.put(hours, minutes, seconds)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            weekdays: try reader.read(), years: try reader.array(), months: try reader.array(),
            days: try reader.array(), daysFromEnd: try reader.value(), hours: try reader.array(),
            minutes: try reader.array(), seconds: try reader.array())
    }
}

extension SystemdCalendar.Component: Journaled {
    func write(to writer: inout WireWriter) { writer.put(start, stop, step) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(start: try reader.read(), stop: try reader.optional(), step: try reader.read())
    }
}

extension ZoneRules: Journaled {
    func write(to writer: inout WireWriter) { writer.put(name, transitions, offsets, rule?.posix) }

    init(from reader: inout WireReader) throws(WireError) {
        let name: String = try reader.value()
        let transitions: [Int64] = try reader.array()
        let offsets: [Int64] = try reader.array()
        guard offsets.count == transitions.count + 1 else {
            throw .malformed("a zone of \(offsets.count) offsets")
        }
        let posix: String? = try reader.optional()
        self.init(
            name: name, transitions: transitions, offsets: offsets,
            rule: posix.flatMap { RecurringRule(posix: $0) })
    }
}
