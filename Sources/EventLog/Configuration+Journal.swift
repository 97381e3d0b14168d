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
        usageZone = try reader.read()
    }

    /// The representation up to format 5, in which the hours of use were in UTC.
    init(zoneless reader: inout WireReader) throws(WireError) {
        let permitted: [String] = try reader.read()
        let zones: [ZoneRules] = try reader.read()
        self.init(
            permitted: permitted,
            declarations: try reader.readArray { reader throws(WireError) in
                try TaskDeclaration(from: &reader, zones)
            },
            modes: Set(try reader.read([Mode].self)), policy: try reader.read())
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
            identifier: try reader.read(), kind: try reader.read(),
            requires: try reader.read(), earliest: try reader.read())
        schedule = try reader.read(Bool.self) ? try Schedule(from: &reader, zones) : nil
        startDeadline = try reader.read()
        let bits: UInt8 = try reader.read()
        triggers = Triggers(rawValue: bits & ~Self.hasAnnotations)
        submission = try reader.read()
        timeLimit = try reader.read()
        grace = try reader.read()
        retry = try reader.read()
        overlap = try reader.read()
        catchUp = try reader.read()
        jitter = try reader.read()
        group = try reader.read()
        strategy = try reader.read()
        if bits & Self.hasAnnotations != 0 { annotations = try reader.read() }
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
        self = .profile(try reader.read())
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
