// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Foundation
import Testing

@Suite("Buffers and files", .timeLimit(.minutes(10)))
struct BufferTests {
    private func fill(
        _ save: ForeignSave?, used: Int64, capacity: UInt64 = 100, byte: Int64 = 65
    ) -> ForeignCall {
        fixture(
            "fill",
            [
                .named("buffer", .outputBuffer(capacity: capacity, save: save)),
                .value(.lengthOf("buffer", .u64)),
                .value(.integer(.u8, byte)),
                .named("used", .pointerTo(.u64, initial: used)),
            ], returns: .i32, success: .zero)
    }

    /// A call that increases `used` above the size of the buffer, after the buffer was filled.
    private let grow = fixture(
        "increment_u64", [.value(.addressOf("used"))], returns: .i32)

    @Test("an output is saved up to the length that the function reports")
    func save() throws {
        let bench = try Bench()
        let outcome = bench.run(fill(ForeignSave(path: "out", length: "used"), used: 7))
        #expect(outcome == .succeeded(message: "saved 7 bytes to out"))
        #expect(bench.contents("out") == Data("AAAAAAA".utf8))
        #expect(bench.files == ["out"])
    }

    @Test("an output without a length is saved completely, and is zeroed at the start")
    func saveWhole() throws {
        let bench = try Bench()
        let outcome = bench.run(fill(ForeignSave(path: bench.path("out")), used: 2, capacity: 4))
        #expect(outcome == .succeeded(message: "saved 4 bytes to \(bench.path("out"))"))
        #expect(bench.contents("out") == Data([65, 65, 0, 0]))
    }

    @Test("a file that is replaced keeps its mode")
    func keepsMode() throws {
        let bench = try Bench()
        try bench.write(Data("old".utf8), to: "out")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: bench.path("out"))
        _ = bench.run(fill(ForeignSave(path: "out", length: "used"), used: 1))
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path("out"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(bench.contents("out") == Data("A".utf8))
    }

    @Test("nothing is saved when a later call fails")
    func failureSavesNothing() throws {
        let bench = try Bench()
        try bench.write(Data("old".utf8), to: "out")
        let outcome = bench.run(
            fill(ForeignSave(path: "out", length: "used"), used: 7),
            fixture("fail_with", [.value(.integer(.i32, 5))], returns: .i32, success: .errno))
        #expect(
            outcome == .failed(message: "fail_with returned -1: Input/output error (errno 5)"))
        #expect(bench.contents("out") == Data("old".utf8))
        #expect(bench.files == ["out"])
    }

    @Test("a length beyond the buffer is a failure, and no file is touched")
    func badLength() throws {
        let bench = try Bench()
        let outcome = bench.run(
            fill(ForeignSave(path: "out", length: "used"), used: 4, capacity: 4), grow)
        #expect(
            outcome
                == .failed(message: "out was not saved: its buffer has 4 bytes, and 'used' says 5"))
        #expect(bench.files == [])
    }

    @Test("no output is written if one of several cannot be")
    func allOrNone() throws {
        let bench = try Bench()
        var second = fill(ForeignSave(path: "absent/b"), used: 1)
        second.arguments[0].name = nil
        second.arguments[1] = .value(.integer(.u64, 100))
        second.arguments[3] = .value(.pointerTo(.u64, initial: 1))
        let outcome = bench.run(fill(ForeignSave(path: "a"), used: 1), second)
        #expect(
            outcome
                == .failed(
                    message: "absent/b cannot be saved: No such file or directory (errno 2)"))
        #expect(bench.files == [])
    }

    @Test("a file is passed as a buffer, relative to the manifest, with a NUL after it")
    func inputFile() throws {
        let bench = try Bench()
        try bench.write(Data("abc".utf8), to: "in")
        let outcome = bench.run(
            ForeignCall(
                library: "libc.so.6", function: "strlen",
                arguments: [.named("in", .inputFile("in"))],
                returns: .u64, success: .equals(3)),
            fixture(
                "widen_u16", [.value(.lengthOf("in", .u16))], returns: .i64, success: .equals(3)))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("an empty file is an empty buffer")
    func emptyFile() throws {
        let bench = try Bench()
        try bench.write(Data(), to: "in")
        let outcome = bench.run(
            fixture(
                "byte_at", [.named("in", .inputFile("in")), .value(.lengthOf("in", .u64))],
                returns: .i64, success: .zero))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test(
        "only a regular file with a size can be passed",
        arguments: [
            (".", ". is not a regular file"),
            ("/dev/zero", "/dev/zero is not a regular file"),
            (
                "/proc/self/status",
                "/proc/self/status does not say how large it is, as files of /proc and /sys do "
                    + "not; copy it"
            ),
        ])
    func irregularFile(path: String, reason: String) throws {
        let outcome = try Bench().run(
            fixture("is_zeroed", [.value(.inputFile(path)), .value(.integer(.u64, 0))]))
        #expect(outcome == .failed(message: "is_zeroed was not called: \(reason)"))
    }

    @Test("a file too large for a program is refused before it is read")
    func largeFile() throws {
        let bench = try Bench()
        try bench.write(Data(), to: "in")
        let file = try FileHandle(forWritingTo: bench.directory.appendingPathComponent("in"))
        try file.truncate(atOffset: ForeignLimits.bufferBytes)
        try file.close()
        let outcome = bench.run(fixture("is_zeroed", [.value(.inputFile("in"))], returns: .i64))
        #expect(
            outcome
                == .failed(
                    message: "is_zeroed was not called: in has 1073741824 bytes, less than "
                        + "1073741824 are allowed"))
    }

    @Test("a length that does not fit its type fails the call")
    func lengthDoesNotFit() throws {
        let outcome = try Bench().run(
            fixture(
                "echo_u8",
                [
                    .value(.lengthOf("b", .u8)),
                    .named("b", .outputBuffer(capacity: 256, save: nil)),
                ],
                returns: .u8))
        #expect(
            outcome
                == .failed(
                    message: "echo_u8 was not called: the length of 'b', 256, does not fit u8"))
    }

    @Test("bytes and strings are passed with their lengths, also of returned strings")
    func lengths() throws {
        let outcome = try Bench().run(
            fixture(
                "byte_at", [.named("b", .inputBytes([1, 2, 200])), .value(.integer(.u64, 2))],
                returns: .i64, success: .equals(200)),
            fixture(
                "widen_i32", [.value(.lengthOf("b", .i32))], returns: .i64, success: .equals(3)),
            ForeignCall(
                library: "libc.so.6", function: "strchr",
                arguments: [.named("s", .string("naïve=x")), .value(.integer(.i32, 61))],
                returns: .string, result: "rest"),
            fixture("widen_i8", [.value(.lengthOf("s", .i8))], returns: .i64, success: .equals(8)),
            fixture(
                "widen_i8", [.value(.lengthOf("rest", .i8))], returns: .i64, success: .equals(2)))
        #expect(outcome == .succeeded(message: nil))
    }
}
