// SPDX-License-Identifier: Apache-2.0

import BGRunForeign
import BGRunWire
import Foundation
import Glibc
import Testing

@Suite("What a program does to its process")
struct ProcessTests {
    @Test("what a function prints has left the process's buffers when the program ends")
    func flush() async {
        let result = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
        ) {
            _ = try Bench().run(
                ForeignCall(
                    library: "libc.so.6", function: "puts",
                    arguments: [.value(.string("printed by puts"))]))
            // Ends the process without flushing anything.
            _exit(0)
        }
        let output = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
        #expect(output?.contains("printed by puts\n") == true)
    }

    /// A program with every kind of memory in it.
    private static let everyKind: [ForeignCall] = {
        let callback = ForeignCallback(parameters: [.i32], returns: .i32, value: 1)
        return [
            fixture(
                "large_make", [.value(.integer(.i64, 1))], returns: StructTests.large, result: "l"),
            fixture("large_shift", [.named("copy", .pointerTo(.reference("l")))]),
            fixture(
                "is_zeroed",
                [
                    .named("out", .outputBuffer(capacity: 100_000, save: nil)),
                    .value(.lengthOf("out", .u64)), .value(.string("text")),
                    .value(.inputBytes(Array(repeating: 1, count: 10_000))),
                    .value(.inputFile("/etc/passwd")),
                ], returns: .i64, success: .nonZero),
            fixture("ask_on_thread", [.value(.callback(callback))], returns: .i32),
            fixture("fail_with", [.value(.integer(.i32, 5))], returns: .i32, success: .errno),
        ]
    }()

    @Test("a program's callbacks give their code back, which the next program uses again")
    func closures() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let bench = try Bench()
            let callback = ForeignCallback(parameters: [], returns: .void)
            for _ in 0..<500 {
                _ = bench.run(
                    fixture("echo_pointer", [.value(.callback(callback))], returns: .pointer))
            }
            let addresses = Set(bench.log)
            precondition(bench.log.count == 500 && addresses.count < 10, "\(addresses.count)")
        }
    }

    @Test("a program leaves no memory behind")
    func leaks() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let bench = try Bench()
            let heapInUse = try #require(Fixture.heapInUse())
            func growth(_ body: () -> Void) -> Int {
                let before = heapInUse()
                for _ in 0..<200 { body() }
                return heapInUse() - before
            }
            func program() { _ = bench.runQuietly(ProcessTests.everyKind) }
            for _ in 0..<50 { program() }

            var leaked: [UnsafeMutableRawPointer?] = []
            leaked.reserveCapacity(200)
            let probe = growth { leaked.append(malloc(100)) }
            precondition(probe >= 200 * 100, "the counter does not see a leak")
            let grown = growth(program)
            precondition(grown < 200 * 16, "200 programs left \(grown) bytes")
        }
    }
}
