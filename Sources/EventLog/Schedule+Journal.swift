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
        case 0: self = .every(try reader.read(), flex: try reader.read())
        case 1:
            let entries = try reader.readArray { reader throws(WireError) in
                let text: String = try reader.read()
                let zone: Int = try reader.read()
                guard zones.indices.contains(zone) else { throw .malformed("no zone \(zone)") }
                return CalendarSchedule.Entry(try reader.read(), in: zones[zone], text: text)
            }
            self = .calendar(CalendarSchedule(entries))
        case let tag: throw unknownTag(tag, Schedule.self)
        }
    }
}

extension CalendarSchedule.Rule: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .cron(let cron): writer.put(UInt8(0), cron)
        case .systemd(let calendar): writer.put(UInt8(1), calendar)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .cron(try reader.read())
        case 1: self = .systemd(try reader.read())
        case let tag: throw unknownTag(tag, CalendarSchedule.Rule.self)
        }
    }
}

extension CronSchedule: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.seconds, $0.minutes, $0.hours, $0.days, $0.months, $0.weekdays, $0.stars)
    }
}

extension CronSchedule.Stars: WireValue {}

extension SystemdCalendar: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.weekdays, $0.years, $0.months, $0.days, $0.daysFromEnd, $0.hours, $0.minutes,
            $0.seconds
        )
    }
}

extension SystemdCalendar.Component: WireRecord {
    package static let layout = Layout(Self.init) { ($0.start, $0.stop, $0.step) }
}

extension ZoneRules: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(name, transitions, offsets, rule?.posix)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let name: String = try reader.read()
        let transitions: [Int64] = try reader.read()
        let offsets: [Int64] = try reader.read()
        guard offsets.count == transitions.count + 1 else {
            throw .malformed("a zone of \(offsets.count) offsets")
        }
        let posix: String? = try reader.read()
        self.init(
            name: name, transitions: transitions, offsets: offsets,
            rule: posix.flatMap { RecurringRule(posix: $0) })
    }
}
