// SPDX-License-Identifier: Apache-2.0

/// All offsets of one time zone from UTC, past and future: the contents of a TZif file (RFC 8536).
package struct ZoneRules: Equatable, Sendable {
    package let name: String
    /// The start of each offset, in seconds since 1970 (UTC), ascending.
    package let transitions: [Int64]
    /// `offsets[0]` before the first transition, `offsets[i + 1]` from `transitions[i]`; seconds east.
    package let offsets: [Int64]
    /// The rule after the last transition.
    package let rule: RecurringRule?

    package static let utc = ZoneRules(name: "UTC", transitions: [], offsets: [0], rule: nil)

    package init(name: String, transitions: [Int64], offsets: [Int64], rule: RecurringRule?) {
        self.name = name
        self.transitions = transitions
        self.offsets = offsets
        self.rule = rule
    }

    /// Seconds east of UTC at `time`, seconds since 1970 (UTC).
    package func offset(at time: Int64) -> Int64 {
        if let rule, time >= transitions.last ?? .min { return rule.offset(at: time) }
        return offsets[begun(by: time)]
    }

    /// The number of transitions at or before `time`.
    private func begun(by time: Int64) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    package func civil(at time: Int64) -> CivilTime {
        Self.civil(at: time, offset: offset(at: time))
    }

    /// The local time at `time`. A file may contain any offset; a date out of range becomes the nearest valid one.
    static func civil(at time: Int64, offset: Int64) -> CivilTime {
        CivilTime(seconds: computable(time.saturatingAdding(offset)))
    }

    /// `time`, limited to the range of `WallTime`.
    static func computable(_ time: Int64) -> Int64 {
        min(max(time, -Int64.max / 1_000), Int64.max / 1_000)
    }

    /// The instant at which clocks show `civil`, in seconds since 1970 (UTC). If clocks were set back over it: the
    /// first of two. If they were set forward over it: as far after the jump as `civil` is after the start of the gap.
    package func instant(of civil: CivilTime) -> Int64 {
        let before = offset(at: civil.seconds.saturatingSubtracting(86_400))
        let early = civil.seconds.saturatingSubtracting(before)
        if offset(at: early) == before { return early }
        let after = offset(at: civil.seconds.saturatingAdding(86_400))
        let late = civil.seconds.saturatingSubtracting(after)
        return offset(at: late) == after ? late : early
    }

    /// A period with a constant offset, from `start` to before `end`, in seconds since 1970 (UTC).
    struct Stretch: Equatable {
        /// Nil: no start.
        var start: Int64?
        /// Nil: no end.
        var end: Int64?
        /// Seconds east.
        var offset: Int64
    }

    func stretch(at time: Int64) -> Stretch {
        guard let last = transitions.last else {
            return rule?.stretch(at: time) ?? Stretch(start: nil, end: nil, offset: offsets[0])
        }
        if time >= last, let rule {
            var stretch = rule.stretch(at: time)
            stretch.start = max(stretch.start ?? last, last)
            return stretch
        }
        let begun = begun(by: time)
        return Stretch(
            start: begun > 0 ? transitions[begun - 1] : nil,
            end: begun < transitions.count ? transitions[begun] : nil, offset: offsets[begun])
    }

    package enum Failure: Error, Equatable {
        /// The machine does not have this zone.
        case unknown
        /// The file does not conform to RFC 8536.
        case damaged
    }

    /// Reads the bytes of a TZif file of version 2 or later.
    package init(name: String, tzif bytes: [UInt8]) throws(Failure) {
        let first = try TZifHeader(bytes, at: 0)
        guard first.version >= UInt8(ascii: "2") else { throw .damaged }
        let header = try TZifHeader(bytes, at: first.end(timeSize: 4))
        let times = header.body
        let indices = times + header.transitions * 8
        let types = indices + header.transitions
        guard header.types > 0, header.end(timeSize: 8) <= bytes.count else { throw .damaged }
        let offsetOfType = (0..<header.types).map { bigEndian(bytes, types + $0 * 6, 4) }
        let used = (0..<header.transitions).map { Int(bytes[indices + $0]) }
        guard used.allSatisfy(offsetOfType.indices.contains) else { throw .damaged }
        let footer = bytes[header.end(timeSize: 8)...].dropFirst().prefix { $0 != 0x0A }
        self.init(
            name: name,
            transitions: (0..<header.transitions).map { bigEndian(bytes, times + $0 * 8, 8) },
            offsets: [offsetOfType[0]] + used.map { offsetOfType[$0] },
            rule: RecurringRule(posix: String(decoding: footer, as: UTF8.self)))
    }
}

/// The header of one of the two blocks of a TZif file.
private struct TZifHeader {
    let version: UInt8
    let body: Int
    let transitions: Int
    let types: Int
    private let rest: (utc: Int, standard: Int, leaps: Int, characters: Int)

    init(_ bytes: [UInt8], at start: Int) throws(ZoneRules.Failure) {
        guard start >= 0, start + 44 <= bytes.count,
            bytes[start..<(start + 4)].elementsEqual("TZif".utf8)
        else { throw .damaged }
        version = bytes[start + 4]
        body = start + 44
        let counts = (0..<6).map { Int(bigEndian(bytes, start + 20 + $0 * 4, 4)) }
        guard counts.allSatisfy({ (0...100_000).contains($0) }) else { throw .damaged }
        rest = (counts[0], counts[1], counts[2], counts[5])
        transitions = counts[3]
        types = counts[4]
    }

    func end(timeSize: Int) -> Int {
        body + transitions * (timeSize + 1) + types * 6 + rest.characters
            + rest.leaps * (timeSize + 4) + rest.standard + rest.utc
    }
}

/// A signed number of `count` bytes; the caller has checked that they are there.
private func bigEndian(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int64 {
    let unsigned = bytes[start..<(start + count)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return count == 4 ? Int64(Int32(truncatingIfNeeded: unsigned)) : Int64(bitPattern: unsigned)
}
