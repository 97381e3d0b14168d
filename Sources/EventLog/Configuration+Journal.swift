// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol

extension Engine.Configuration: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(permitted)
        let zones = declarations.zones
        writer.put(zones, UInt32(declarations.count))
        for declaration in declarations { declaration.write(to: &writer, zones) }
        writer.put(Mode.allCases.filter(modes.contains), policy, usageZone)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try self.init(zoneless: &reader)
        usageZone = try reader.value()
    }

    /// The representation up to format 5, in which the hours of use were in UTC.
    init(zoneless reader: inout WireReader) throws(WireError) {
        let permitted: [String] = try reader.value()
        let zones: [ZoneRules] = try reader.value()
        self.init(
            permitted: permitted,
            declarations: try reader.readArray { reader throws(WireError) in
                try TaskDeclaration(from: &reader, zones)
            },
            modes: Set(try reader.value([Mode].self)), policy: try reader.value())
    }
}

extension [TaskDeclaration] {
    /// The zones of all schedules, each once.
    fileprivate var zones: [ZoneRules] {
        var zones: [ZoneRules] = []
        for entry in flatMap({ $0.schedule?.calendar?.entries ?? [] })
        where !zones.contains(entry.zone) {
            zones.append(entry.zone)
        }
        return zones
    }
}

extension Engine.Configuration {
    /// Identifies this configuration: covers every part of a manifest that the engine uses.
    package var digest: UInt64 {
        var writer = WireWriter()
        write(to: &writer)
        return Digest.of(writer.bytes)
    }
}

extension TaskDeclaration {
    fileprivate func write(to writer: inout WireWriter, _ zones: [ZoneRules]) {
        writer.put(identifier, kind, requires, earliest, schedule != nil)
        schedule?.write(to: &writer, zones)
        writer.put(startDeadline)
        writer.put(triggers.rawValue | (annotations.isEmpty ? 0 : Self.hasAnnotations), submission)
        writer.put(timeLimit, grace, retry, overlap, catchUp)
        writer.put(jitter, group, strategy)
        if !annotations.isEmpty { writer.put(annotations) }
    }

    /// A bit above those of the triggers, since format 7: annotations follow at the end.
    private static let hasAnnotations: UInt8 = 1 << 7

    fileprivate init(from reader: inout WireReader, _ zones: [ZoneRules]) throws(WireError) {
        self.init(
            identifier: try reader.value(), kind: try reader.value(),
            requires: try reader.value(), earliest: try reader.value())
        schedule = try reader.read(Bool.self) ? try Schedule(from: &reader, zones) : nil
        startDeadline = try reader.value()
        let bits: UInt8 = try reader.value()
        triggers = Triggers(rawValue: bits & ~Self.hasAnnotations)
        submission = try reader.value()
        timeLimit = try reader.value()
        grace = try reader.value()
        retry = try reader.value()
        overlap = try reader.value()
        catchUp = try reader.value()
        jitter = try reader.value()
        group = try reader.value()
        strategy = try reader.value()
        if bits & Self.hasAnnotations != 0 { annotations = try reader.value() }
    }
}

extension RetryRule: WireRecord {
    package static let layout = Layout(Self.init) { ($0.backoff, $0.from, $0.to, $0.attempts) }
}

extension TaskDeclaration.Group: WireRecord {
    package static let layout = Layout(Self.init) { ($0.name, $0.limit) }
}

extension Policy: WireValue {
    /// By name: another bgrun finds the settings that it knows; a missing one gets the value from before it
    /// existed.
    package func write(to writer: inout WireWriter) {
        writer.put(profile, UInt32(PolicySetting.all.count))
        for setting in PolicySetting.all { writer.put(setting.name, setting.value(in: self)) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self = .profile(try reader.value())
        for setting in PolicySetting.all {
            if let value = setting.before { setting.set(value, in: &self) }
        }
        for _ in 0..<(try reader.read(UInt32.self)) {
            let name = try reader.read(String.self)
            let value = try reader.read(Int64.self)
            PolicySetting.all.first { $0.name == name }?.set(value, in: &self)
        }
    }
}
