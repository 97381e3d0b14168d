// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Foundation
import Testing

@Suite("Real libraries", .timeLimit(.minutes(10)))
struct RealLibraryTests {
    private func zlib(_ function: String, _ arguments: [ForeignArgument]) -> ForeignCall {
        ForeignCall(
            library: "libz.so.1", function: function, arguments: arguments, returns: .i32,
            success: .zero)
    }

    @Test("zlib compresses and decompresses a real file")
    func zlib() throws {
        let bench = try Bench()
        let original = try Data(contentsOf: URL(fileURLWithPath: #filePath))
        try bench.write(original, to: "original")
        let compressed = bench.run(
            zlib(
                "compress2",
                [
                    .named(
                        "packed",
                        .outputBuffer(
                            capacity: 1 << 20, save: ForeignSave(path: "packed", length: "size"))),
                    .named("size", .pointerTo(.lengthOf("packed", .u64))),
                    .named("file", .inputFile("original")),
                    .value(.lengthOf("file", .u64)),
                    .value(.integer(.i32, 9)),
                ]))
        let packed = try #require(bench.contents("packed"))
        #expect(compressed == .succeeded(message: "saved \(packed.count) bytes to packed"))
        #expect(packed.count < original.count / 2)

        let unpacked = bench.run(
            zlib(
                "uncompress",
                [
                    .named(
                        "plain",
                        .outputBuffer(
                            capacity: 1 << 20, save: ForeignSave(path: "plain", length: "size"))),
                    .named("size", .pointerTo(.lengthOf("plain", .u64))),
                    .named("file", .inputFile("packed")),
                    .value(.lengthOf("file", .u64)),
                ]))
        #expect(unpacked == .succeeded(message: "saved \(original.count) bytes to plain"))
        #expect(bench.contents("plain") == original)
    }

    @Test("zlib's error for an invalid stream fails the program")
    func zlibFailure() throws {
        let bench = try Bench()
        let outcome = bench.run(
            zlib(
                "uncompress",
                [
                    .named("plain", .outputBuffer(capacity: 64, save: ForeignSave(path: "plain"))),
                    .value(.pointerTo(.lengthOf("plain", .u64))),
                    .named("in", .inputBytes(Array("not compressed".utf8))),
                    .value(.lengthOf("in", .u64)),
                ]))
        #expect(outcome == .failed(message: "uncompress returned -3, not 0"))
        #expect(bench.files == [])
    }

    private func run(_ statement: String, in bench: Bench) -> ForeignOutcome {
        let library = "libsqlite3.so.0"
        let row = ForeignCallback(
            parameters: [.pointer, .i32, .strings(count: 1), .strings(count: 1)], returns: .i32,
            log: true)
        return bench.run(
            ForeignCall(
                library: library, function: "sqlite3_open",
                arguments: [
                    .value(.string(bench.path("real.db"))),
                    .named("db", .pointerTo(.pointer, initial: 0)),
                ], returns: .i32, success: .zero),
            ForeignCall(
                library: library, function: "sqlite3_exec",
                arguments: [
                    .value(.reference("db")), .value(.string(statement)), .value(.callback(row)),
                    .value(.null), .named("error", .pointerTo(.string, initial: 0)),
                ], returns: .i32, success: .zero),
            ForeignCall(
                library: library, function: "sqlite3_free",
                arguments: [.value(.reference("error"))], always: true),
            ForeignCall(
                library: library, function: "sqlite3_close",
                arguments: [.value(.reference("db"))], returns: .i32, success: .zero, always: true),
        )
    }

    @Test("sqlite3_exec on a real database calls back for each row")
    func sqlite() throws {
        let bench = try Bench()
        let statement = """
            CREATE TABLE fruit (name TEXT, count INTEGER);
            INSERT INTO fruit VALUES ('apple', 3), ('kiwi', NULL);
            SELECT * FROM fruit ORDER BY name;
            """
        #expect(run(statement, in: bench) == .succeeded(message: nil))
        #expect(
            bench.log.filter { $0.hasPrefix("info") } == [
                #"info: sqlite3_exec called back (NULL, 2, ["apple", "3"], ["name", "count"]), "#
                    + "answered 0",
                #"info: sqlite3_exec called back (NULL, 2, ["kiwi", NULL], ["name", "count"]), "#
                    + "answered 0",
            ])
        #expect(bench.contents("real.db")?.prefix(15) == Data("SQLite format 3".utf8))
    }

    @Test("a long string is cut in the log")
    func longString() throws {
        let bench = try Bench()
        #expect(run("SELECT hex(zeroblob(600))", in: bench) == .succeeded(message: nil))
        let zeros = String(repeating: "0", count: 1_000)
        #expect(bench.log.contains { $0.contains("[\"\(zeros)...\"]") }, "\(bench.log)")
    }

    @Test("the failure has sqlite3_exec's message, and the database is closed")
    func sqliteFailure() throws {
        let bench = try Bench()
        #expect(
            run("SELECT * FROM absent", in: bench)
                == .failed(message: "sqlite3_exec returned 1, not 0; error: no such table: absent"))
        #expect(bench.log.last == "debug: sqlite3_close returned 0")
    }

    private func libc(
        _ function: String, _ arguments: [ForeignArgument] = [], returns: ForeignType = .void,
        result: String? = nil, success: ForeignSuccess? = nil, fixed: Int? = nil
    ) -> ForeignCall {
        ForeignCall(
            library: "libc.so.6", function: function, arguments: arguments, returns: returns,
            result: result, success: success, fixedArguments: fixed)
    }

    @Test("qsort calls a callback for its comparisons")
    func qsort() throws {
        let bench = try Bench()
        let comparison = ForeignCallback(
            parameters: [.pointer, .pointer], returns: .i32, value: 0, log: true)
        let outcome = bench.run(
            libc(
                "qsort",
                [
                    .named("numbers", .inputBytes([3, 1, 2])), .value(.lengthOf("numbers", .u64)),
                    .value(.integer(.u64, 1)), .value(.callback(comparison)),
                ]),
            libc(
                "memcpy",
                [
                    .value(.outputBuffer(capacity: 3, save: ForeignSave(path: "sorted"))),
                    .value(.reference("numbers")), .value(.integer(.u64, 3)),
                ]))
        #expect(outcome == .succeeded(message: "saved 3 bytes to sorted"))
        #expect(bench.contents("sorted") == Data([3, 1, 2]))
        #expect(bench.log.count { $0.hasPrefix("info: qsort called back (0x") } >= 2)
    }

    @Test("div returns its struct")
    func div() throws {
        let bench = try Bench()
        let outcome = bench.run(
            libc(
                "div", [.value(.integer(.i32, -17)), .value(.integer(.i32, 5))],
                returns: .structure([.i32, .i32]), result: "quotient"),
            libc("abs", [.value(.field("quotient", [1]))], returns: .i32, success: .equals(2)))
        #expect(outcome == .succeeded(message: nil))
        #expect(bench.log.first == "debug: div returned {-3, -2}")
    }

    @Test("snprintf takes variable arguments of every promoted class")
    func snprintf() throws {
        let bench = try Bench()
        let outcome = bench.run(
            libc(
                "snprintf",
                [
                    .named(
                        "text",
                        .outputBuffer(
                            capacity: 64, save: ForeignSave(path: "text", length: "written"))),
                    .value(.lengthOf("text", .u64)), .value(.string("%d|%.2f|%s|%lld|%c")),
                    .value(.integer(.i32, -7)), .value(.real(.f64, 2.5)), .value(.string("né")),
                    .value(.integer(.i64, 1 << 40)), .value(.integer(.i32, 65)),
                ], returns: .i32, result: "written", success: .lessThan(64), fixed: 3))
        #expect(outcome == .succeeded(message: "saved 27 bytes to text"))
        #expect(
            bench.contents("text").map { String(decoding: $0, as: UTF8.self) }
                == "-7|2.50|né|1099511627776|A")
    }

    @Test(
        "strtod fails by its errno",
        arguments: [
            ("2.5", ForeignOutcome.succeeded(message: nil)),
            (
                "1e999",
                .failed(message: "strtod returned inf: Numerical result out of range (errno 34)")
            ),
        ])
    func strtod(text: String, expected: ForeignOutcome) throws {
        let outcome = try Bench().run(
            libc(
                "strtod", [.value(.string(text)), .value(.null)], returns: .f64, success: .errno))
        #expect(outcome == expected)
    }

    @Test("the errno of open names the reason")
    func open() throws {
        let outcome = try Bench().run(
            libc(
                "open", [.value(.string("/absent/file")), .value(.integer(.i32, 0))],
                returns: .i32, success: .errno, fixed: 2))
        #expect(
            outcome == .failed(message: "open returned -1: No such file or directory (errno 2)"))
    }
}
