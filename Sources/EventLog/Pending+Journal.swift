// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// A snapshot may have 100,000 of them: dates are relative to the submission, and integers have variable
/// lengths.
extension Engine.Snapshot.Pending: WireValue {
    /// Bits above those of the kind.
    private enum Flag {
        static let kind: UInt16 = 0b111
        static let delayed: UInt16 = 1 << 3
        static let parked: UInt16 = 1 << 4
        static let earliest: UInt16 = 1 << 5
        static let waitingSince: UInt16 = 1 << 6
        static let placed: UInt16 = 1 << 7
        static let parameters: UInt16 = 1 << 8
        static let requires: UInt16 = 1 << 9
        static let occurrence: UInt16 = 1 << 10
        static let spaced: UInt16 = 1 << 11
        /// Since format 7.
        static let annotations: UInt16 = 1 << 12
    }

    package func write(to writer: inout WireWriter) {
        let origin = request.submitted.milliseconds
        var identifier = request.identifier
        withUnsafeTemporaryAllocation(byteCount: 13 * Packer.longest, alignment: 1) { space in
            var packer = Packer(space)
            packer.write(Int64(flags))
            packer.write(request.id)
            packer.write(origin)
            packer.write(since &- origin)
            packer.write(Int64(request.failures))
            packer.write(Int64(request.interruptions))
            if let earliest = request.earliest { packer.write(earliest.milliseconds &- origin) }
            if let since = request.waitingSince { packer.write(since.milliseconds &- origin) }
            if let placed { packer.write(placed.milliseconds &- origin) }
            if case .delayed(let date) = stage { packer.write(date &- origin) }
            if request.flags.byte != 0 { packer.write(Int64(request.flags.byte)) }
            if let date = request.occurrence { packer.write(date.milliseconds &- origin) }
            packer.write(Int64(identifier.utf8.count))
            writer.append(packer.bytes)
        }
        identifier.withUTF8 { writer.append(UnsafeRawBufferPointer($0)) }
        if let parameters = request.parameters { writer.put(parameters) }
        if !request.annotations.isEmpty { writer.put(request.annotations) }
    }

    private var flags: UInt16 {
        var flags = UInt16(request.kind.rawValue)
        switch stage {
        case .delayed: flags |= Flag.delayed
        case .parked: flags |= Flag.parked
        case .ready: break
        }
        if request.earliest != nil { flags |= Flag.earliest }
        if request.waitingSince != nil { flags |= Flag.waitingSince }
        if placed != nil { flags |= Flag.placed }
        if request.parameters != nil { flags |= Flag.parameters }
        if request.flags.byte != 0 { flags |= Flag.requires }
        if request.occurrence != nil { flags |= Flag.occurrence }
        if request.isSpaced { flags |= Flag.spaced }
        if !request.annotations.isEmpty { flags |= Flag.annotations }
        return flags
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let flags = UInt16(truncatingIfNeeded: try reader.readPacked())
        let tag = UInt8(clamping: flags & Flag.kind)
        guard let kind = TaskKind(rawValue: tag) else { throw unknownTag(tag, TaskKind.self) }
        let id = try reader.readPacked()
        let origin = try reader.readPacked()
        func date(_ flag: UInt16) throws(WireError) -> WallTime? {
            guard flags & flag != 0 else { return nil }
            return WallTime(milliseconds: try reader.readPacked() &+ origin)
        }
        let since = try reader.readPacked() &+ origin
        let failures = Int(try reader.readPacked())
        let interruptions = Int(try reader.readPacked())
        let earliest = try date(Flag.earliest)
        let waitingSince = try date(Flag.waitingSince)
        let placed = try date(Flag.placed)
        let delayed = try date(Flag.delayed)
        let own = RequestFlags(
            byte: UInt8(
                truncatingIfNeeded: flags & Flag.requires != 0 ? try reader.readPacked() : 0))
        let occurrence = try date(Flag.occurrence)
        let identifier = try reader.readText(Int(try reader.readPacked()))
        let parameters = flags & Flag.parameters != 0 ? try reader.read(String.self) : nil
        let annotations =
            flags & Flag.annotations != 0 ? try reader.read(Annotations.self) : Annotations()
        self.init(
            request: TaskRequest(
                id: id, identifier: identifier, kind: kind,
                submitted: WallTime(milliseconds: origin), earliest: earliest,
                waitingSince: waitingSince, parameters: parameters,
                requires: own.requires, occurrence: occurrence, failures: failures,
                interruptions: interruptions, isOnlyImmediate: own.isOnlyImmediate,
                isSpaced: flags & Flag.spaced != 0, annotations: annotations),
            placed: placed, since: since,
            stage: delayed.map { .delayed(until: $0.milliseconds) }
                ?? (flags & Flag.parked != 0 ? .parked : .ready))
    }
}

/// Writes integers with seven bits per byte, the lowest first, with the sign in the lowest bit.
private struct Packer {
    static let longest = 10

    private let space: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ space: UnsafeMutableRawBufferPointer) { self.space = space }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: space[..<count]) }

    mutating func write(_ value: Int64) {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func append(_ byte: UInt8) {
        space[count] = byte
        count += 1
    }
}

extension WireReader {
    fileprivate mutating func readPacked() throws(WireError) -> Int64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try read(UInt8.self)
            value |= UInt64(clamping: byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
        }
        throw .malformed("an integer of more than \(Packer.longest) bytes")
    }
}
