// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension TaskRequest: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(id, identifier, kind, submitted, earliest)
        writer.put(waitingSince, RequestExtras(parameters, flags, annotations), occurrence)
        writer.put(failures, interruptions)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let id: Int64 = try reader.read()
        let identifier: String = try reader.read()
        let kind: TaskKind = try reader.read()
        let submitted: WallTime = try reader.read()
        let earliest: WallTime? = try reader.read()
        let waitingSince: WallTime? = try reader.read()
        let extras: RequestExtras = try reader.read()
        self.init(
            id: id, identifier: identifier, kind: kind, submitted: submitted, earliest: earliest,
            waitingSince: waitingSince, parameters: extras.parameters,
            requires: extras.flags.requires,
            occurrence: try reader.read(), failures: try reader.read(),
            interruptions: try reader.read(), isOnlyImmediate: extras.flags.isOnlyImmediate,
            annotations: extras.annotations)
    }
}

extension Submission: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(identifier, delay, RequestExtras(parameters, flags, annotations))
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let identifier: String = try reader.read()
        let delay: Interval? = try reader.read()
        let extras: RequestExtras = try reader.read()
        self.init(
            identifier: identifier, delay: delay, parameters: extras.parameters,
            requires: extras.flags.requires, isOnlyImmediate: extras.flags.isOnlyImmediate,
            annotations: extras.annotations)
    }
}

/// The common part of a submission and its request, in the same bytes: the parameters, after a byte that states
/// which other fields follow; the flags; the annotations.
private struct RequestExtras: WireValue {
    var parameters: String?
    var flags: RequestFlags
    var annotations: Annotations

    private static let hasParameters: UInt8 = 1
    /// Since format 7.
    private static let hasAnnotations: UInt8 = 2

    init(_ parameters: String?, _ flags: RequestFlags, _ annotations: Annotations) {
        self.parameters = parameters
        self.flags = flags
        self.annotations = annotations
    }

    package func write(to writer: inout WireWriter) {
        writer.put(
            (parameters == nil ? 0 : Self.hasParameters)
                | (annotations.isEmpty ? 0 : Self.hasAnnotations))
        parameters?.write(to: &writer)
        writer.put(flags.byte)
        if !annotations.isEmpty { writer.put(annotations) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let presence: UInt8 = try reader.read()
        guard presence <= Self.hasParameters | Self.hasAnnotations else {
            throw unknownTag(presence, Self.self)
        }
        parameters = presence & Self.hasParameters == 0 ? nil : try reader.read(String.self)
        flags = RequestFlags(byte: try reader.read())
        annotations = presence & Self.hasAnnotations == 0 ? Annotations() : try reader.read()
    }
}

extension Annotations: WireValue {
    package func write(to writer: inout WireWriter) { writer.put(text ?? "") }

    package init(from reader: inout WireReader) throws(WireError) {
        let text: String = try reader.read()
        guard let annotations = Annotations(text: text) else {
            throw .malformed("\"\(text)\" are not annotations")
        }
        self = annotations
    }
}

extension Submission {
    /// The tags of a submission event: from the app's code, and from an attempt of the same task.
    static let appTag: UInt8 = 26
    static let ownTaskTag: UInt8 = 34

    var journalTag: UInt8 { isFromOwnTask ? Self.ownTaskTag : isFromApp ? Self.appTag : 2 }
}

extension InterruptedAttempt: WireRecord {
    package static let layout = Layout(Self.init) { ($0.id, $0.request) }
}

extension Attempt: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(id, request, declaration, deadlineElapsed, launched)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(
            id: try reader.read(), request: try reader.read(), declaration: try reader.read(),
            deadlineElapsed: try reader.read(), launched: try reader.read())
    }
}

extension Outcome: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .completed: writer.put(UInt8(0))
        case .failed: writer.put(UInt8(1))
        case .expired(let reason, let reported): writer.put(UInt8(2), reason, reported)
        case .crashed(let signal): writer.put(UInt8(3), signal)
        case .exited(let code): writer.put(UInt8(4), code)
        case .refused: writer.put(UInt8(5))
        case .interrupted: writer.put(UInt8(6))
        case .limited(let resource): writer.put(UInt8(7), resource.journalTag)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .completed
        case 1: self = .failed
        case 2: self = .expired(try reader.read(), reported: try reader.read())
        case 3: self = .crashed(signal: try reader.read())
        case 4: self = .exited(code: try reader.read())
        case 5: self = .refused
        case 6: self = .interrupted
        case 7: self = .limited(try LimitedResource(journalTag: try reader.read()))
        case let tag: throw unknownTag(tag, Outcome.self)
        }
    }
}

extension LimitedResource {
    fileprivate var journalTag: UInt8 {
        switch self {
        case .memory: 0
        case .processorTime: 1
        case .fileSize: 2
        }
    }

    fileprivate init(journalTag: UInt8) throws(WireError) {
        guard let resource = Self.allCases.first(where: { $0.journalTag == journalTag }) else {
            throw unknownTag(journalTag, Self.self)
        }
        self = resource
    }
}

extension DeviceState: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(externalPower, batteryPercent, lowPowerMode, network, networkMetered)
        writer.put(userIdle, storageLow, thermal, pressure)
        let later = Self.later.map { self[keyPath: $0.path] }
        let hasLater = later.contains { $0 != .unknown }
        writer.put(gpu.rawValue + (hasLater ? Self.laterFollow : 0))
        if hasLater { writer.put(later) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(
            externalPower: try reader.read(), batteryPercent: try reader.read(),
            lowPowerMode: try reader.read(), network: try reader.read(),
            networkMetered: try reader.read(), userIdle: try reader.read(),
            storageLow: try reader.read(), thermal: try reader.read(),
            pressure: try reader.read())
        let gpuByte: Int8 = try reader.read()
        // fits: the sum of two constants
        let hasLater = gpuByte >= Reading.unknown.rawValue + Self.laterFollow
        // fits: it is not below the subtrahend, except for one
        guard let gpu = Reading(rawValue: hasLater ? gpuByte - Self.laterFollow : gpuByte) else {
            throw .malformed("\(gpuByte) is not a Reading")
        }
        self.gpu = gpu
        guard hasLater else { return }
        for (plain, reading) in zip(Self.later, try reader.read([Reading].self)) {
            self[keyPath: plain.path] = reading
        }
    }
}

extension DeviceState {
    /// Readings since format 7, written if any is known: `laterFollow`, added to the previous byte, announces them.
    private static let later = PlainReading.all.filter { !["storage", "gpu"].contains($0.name) }
    private static let laterFollow: Int8 = 8
}

extension Fact: WireRecord {
    package static let layout = Layout(Self.init) { ($0.name, $0.value) }
}
