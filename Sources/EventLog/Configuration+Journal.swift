// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol

extension Engine.Configuration: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(permitted)
        let zones = declarations.zones
        writer.put(zones, UInt32(declarations.count))
        for declaration in declarations { declaration.write(to: &writer, zones) }
        writer.put(Mode.allCases.filter(modes.contains), policy, usageZone)
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(zoneless: &reader)
        usageZone = try reader.value()
    }

    /// The representation up to format 5, in which the hours of use were in UTC.
    init(zoneless reader: inout WireReader) throws(WireError) {
        let permitted: [String] = try reader.array()
        let zones: [ZoneRules] = try reader.array()
        self.init(
            permitted: permitted,
            declarations: try reader.readArray { reader throws(WireError) in
                try TaskDeclaration(from: &reader, zones)
            },
            modes: Set(try reader.array(Mode.self)), policy: try reader.value())
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
        startDeadline = try reader.optional()
        let bits: UInt8 = try reader.read()
        triggers = Triggers(rawValue: bits & ~Self.hasAnnotations)
        submission = try reader.value()
        timeLimit = try reader.optional()
        grace = try reader.optional()
        retry = try reader.optional()
        overlap = try reader.value()
        catchUp = try reader.value()
        jitter = try reader.value()
        group = try reader.optional()
        strategy = try reader.value()
        if bits & Self.hasAnnotations != 0 { annotations = try reader.value() }
    }
}

extension RetryRule: Journaled {
    func write(to writer: inout WireWriter) { writer.put(backoff, from, to, attempts) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            backoff: try reader.value(), from: try reader.value(), to: try reader.value(),
            attempts: try reader.optional())
    }
}

extension TaskDeclaration.Group: Journaled {
    func write(to writer: inout WireWriter) { writer.put(name, limit) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(name: try reader.value(), limit: try reader.value())
    }
}

extension Policy: Journaled {
    /// By name: another bgrun finds the settings that it knows; a missing one gets the value from before it
    /// existed.
    func write(to writer: inout WireWriter) {
        writer.put(profile, UInt32(PolicySetting.all.count))
        for setting in PolicySetting.all { writer.put(setting.name, setting.value(in: self)) }
    }

    init(from reader: inout WireReader) throws(WireError) {
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
