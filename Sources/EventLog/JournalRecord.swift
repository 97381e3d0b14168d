// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// One entry of a journal.
enum JournalRecord: Sendable {
    /// Everything that an engine needs to begin: the first record of a file and of a run.
    indirect case beginning(Beginning)
    case event(JournaledEvent)
    /// The normal end of the host.
    case end(Instant)
    /// Recording is paused: the snapshot of this many pending requests is too large.
    case pause(pending: Int, Instant)

    struct Beginning: Sendable {
        /// The version of the bgrun that wrote it.
        var version: String
        var app: String
        var at: Instant
        var origin: Origin
        var configuration: Engine.Configuration
        var snapshot: Engine.Snapshot

        /// The origin of the engine.
        enum Origin: UInt8, Sendable {
            /// A new host.
            case host
            /// The previously recorded engine, which continues.
            case continuation
            /// Another manifest of the same host.
            case manifest
        }
    }
}

/// One event in the form that the engine received.
struct JournaledEvent: Sendable {
    var at: Instant
    /// The random number that the engine drew; it draws at most one per event.
    var random: UInt64?
    var event: Event
    /// The digest of the actions' bytes.
    var digest: UInt64
}

extension JournalRecord: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .beginning(let beginning): writer.put(UInt8(4), beginning)
        case .event(let event): writer.put(UInt8(1), event)
        case .end(let now): writer.put(UInt8(2), now)
        case .pause(let pending, let now): writer.put(UInt8(3), pending, now)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .beginning(try Beginning(from: &reader, hasZone: false))
        case 4: self = .beginning(try reader.read())
        case 1: self = .event(try reader.read())
        case 2: self = .end(try reader.read())
        case 3: self = .pause(pending: try reader.read(), try reader.read())
        case let tag: throw unknownTag(tag, JournalRecord.self)
        }
    }
}

extension JournalRecord.Beginning: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(version, app, at, origin.rawValue, configuration)
        writer.put(snapshot)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try self.init(from: &reader, hasZone: true)
    }

    /// - Parameter hasZone: False up to format 5.
    init(from reader: inout WireReader, hasZone: Bool) throws(WireError) {
        self.init(
            version: try reader.read(), app: try reader.read(), at: try reader.read(),
            origin: try Origin(from: &reader),
            configuration: hasZone
                ? try reader.read() : try Engine.Configuration(zoneless: &reader),
            snapshot: try Engine.Snapshot(from: &reader, hasShortage: hasZone))
    }

    /// Writes the record of a beginning with `engine`.
    static func write(
        version: String, app: String, at now: Instant, _ origin: Origin, _ engine: Engine,
        to writer: inout WireWriter
    ) {
        writer.put(UInt8(4), version, app, now, origin.rawValue)
        writer.put(engine.configuration)
        Engine.Snapshot.write(of: engine, to: &writer)
    }
}

extension JournalRecord.Beginning.Origin {
    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.read(UInt8.self)
        guard let origin = Self(rawValue: tag) else { throw unknownTag(tag, Self.self) }
        self = origin
    }
}

// Like `Instant` and `Attempt` without a layout: with its parameter packs, an event takes 40 % more time.
extension JournaledEvent: WireValue {
    func write(to writer: inout WireWriter) { writer.put(at, random, event, digest) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            at: try reader.read(), random: try reader.read(), event: try reader.read(),
            digest: try reader.read())
    }
}

extension [Action] {
    /// The digest of these actions; replaces the contents of `writer`.
    func digest(_ writer: inout WireWriter) -> UInt64 {
        writer.removeAll()
        writer.put(self)
        return Digest.of(writer.bytes)
    }
}
