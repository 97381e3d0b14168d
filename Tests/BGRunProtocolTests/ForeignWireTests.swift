// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Testing

@Suite("Encoded foreign programs", .timeLimit(.minutes(10)))
struct ForeignWireTests {
    private func decode(_ bytes: [UInt8]) throws(WireError) -> ForeignProgram {
        var reader = WireReader(bytes)
        return try reader.read(ForeignProgram.self)
    }

    private func program(with value: ForeignValue) -> ForeignProgram {
        ForeignProgram(calls: [
            ForeignCall(library: "l", function: "f", arguments: [ForeignArgument(value: value)])
        ])
    }

    @Test("every value is read unchanged", arguments: ForeignSamples.values)
    func value(value: ForeignValue) throws {
        let program = program(with: value)
        #expect(try decode(ForeignSamples.encode(program)) == program)
    }

    @Test("every type is read unchanged", arguments: ForeignSamples.types)
    func type(type: ForeignType) throws {
        let program = ForeignProgram(calls: [
            ForeignCall(library: "l", function: "f", returns: type)
        ])
        #expect(try decode(ForeignSamples.encode(program)) == program)
    }

    @Test("every condition of success is read unchanged", arguments: ForeignSamples.successes)
    func success(success: ForeignSuccess?) throws {
        let program = ForeignProgram(calls: [
            ForeignCall(library: "l", function: "f", returns: .i32, success: success)
        ])
        #expect(try decode(ForeignSamples.encode(program)) == program)
    }

    @Test("a complete program is read unchanged to its last byte")
    func everything() throws {
        var reader = WireReader(ForeignSamples.encode(ForeignSamples.everything))
        #expect(try reader.read(ForeignProgram.self) == ForeignSamples.everything)
        #expect(reader.isAtEnd)
    }

    @Test("the bytes of a release remain readable")
    func golden() {
        let program = program(with: .pointerTo(.integer(.i32, 7)))
        #expect(
            ForeignSamples.encode(program) == [
                1, 0, 0, 0,  // calls
                1, 0, 0, 0, 108, 1, 0, 0, 0, 102,  // "l", "f"
                1, 0, 0, 0, 0,  // one argument, unnamed
                7, 0, 5, 7, 0, 0, 0, 0, 0, 0, 0,  // pointer to an i32 of 7
                0, 0, 0, 0, 0,  // void, no result, no success, not always, not variadic
            ])
    }

    @Test("a program truncated at any byte is malformed")
    func truncation() {
        let bytes = ForeignSamples.encode(ForeignSamples.valid)
        for count in bytes.indices {
            #expect(throws: WireError.self) { try decode(Array(bytes[..<count])) }
        }
    }

    @Test("a value nested without end is malformed, not a stack overflow")
    func nesting() {
        var bytes = Array(ForeignSamples.encode(program(with: .null)).prefix(19))
        bytes += [UInt8](repeating: 7, count: 1_000_000)
        #expect(throws: WireError.malformed("a foreign value is nested deeper than 16")) {
            try decode(bytes)
        }
    }

    @Test("a count beyond its limit is malformed before anything is read for it")
    func counts() {
        #expect(throws: WireError.malformed("4294967295 calls, at most 1000 are allowed")) {
            try decode([255, 255, 255, 255])
        }
    }

    @Test("mutated bytes never crash the reader or the rules", arguments: 0..<40)
    func mutations(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let seeds = [ForeignSamples.valid, ForeignSamples.everything].map(ForeignSamples.encode)
        var survivors = 0
        for _ in 0..<100 {
            let bytes = random.mutate(seeds[Int.random(in: 0..<2, using: &random)])
            guard let program = try? decode(bytes) else { continue }
            survivors += 1
            _ = program.problems()
            // Compared as bytes, because NaN is not equal to itself.
            let encoded = ForeignSamples.encode(program)
            #expect(ForeignSamples.encode(try decode(encoded)) == encoded, "seed \(seed)")
        }
        #expect(survivors > 0, "the mutations are too coarse to test anything but the first bytes")
    }
}

extension SplitMix {
    /// Changes, inserts, removes or copies a few bytes.
    fileprivate mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: bytes.indices, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 2: bytes.insert(UInt8.random(in: 0...15, using: &self), at: place)
            case 3: bytes.remove(at: place)
            default: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
            }
        }
        return bytes
    }
}
