// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Testing

@Suite("Structs by value and by address", .timeLimit(.minutes(10)))
struct StructTests {
    static let small = ForeignType.structure([.i8, .i32])
    static let floats = ForeignType.structure([.f32, .f32, .f32])
    static let large = ForeignType.structure([small, .i64, .i64, .i64, floats])

    @Test("a struct with padding is passed in one register")
    func small() throws {
        let outcome = try Bench().run(
            fixture(
                "small_negate",
                [.value(.structure([.integer(.i8, 5), .integer(.i32, -100_000)]))],
                returns: Self.small, result: "s"),
            fixture("widen_i8", [.value(.field("s", [0]))], returns: .i64, success: .equals(-5)),
            fixture(
                "widen_i32", [.value(.field("s", [1]))], returns: .i64, success: .equals(100_000)))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("a struct of floats is passed")
    func floats() throws {
        let bench = try Bench()
        let outcome = bench.run(
            fixture(
                "floats_double",
                [.value(.structure([.real(.f32, 0.25), .real(.f32, -1), .real(.f32, 3)]))],
                returns: Self.floats))
        #expect(outcome == .succeeded(message: nil))
        #expect(bench.log == ["debug: floats_double returned {0.5, -2.0, 6.0}"])
    }

    @Test("a struct is passed in two registers of different classes")
    func mixed() throws {
        let bench = try Bench()
        let outcome = bench.run(
            fixture(
                "pair_swap", [.value(.structure([.real(.f64, 7), .integer(.i64, -9)]))],
                returns: .structure([.f64, .i64])))
        #expect(outcome == .succeeded(message: nil))
        #expect(bench.log == ["debug: pair_swap returned {-9.0, 7}"])
    }

    @Test("a struct of structs that is too large for registers is passed")
    func large() throws {
        let outcome = try Bench().run(
            fixture(
                "large_make", [.value(.integer(.i64, 20))], returns: Self.large, result: "l"),
            fixture(
                "large_sum", [.value(.reference("l"))], returns: .i64,
                success: .equals(21 + 22 + 23 + 129)),
            fixture(
                "widen_f32", [.value(.field("l", [4, 2]))], returns: .i64, success: .equals(22)),
            fixture(
                "small_negate", [.value(.field("l", [0]))], returns: Self.small, result: "s"),
            fixture("widen_i32", [.value(.field("s", [1]))], returns: .i64, success: .equals(20)))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("a struct behind a pointer is changed in place, and its copy is not")
    func inPlace() throws {
        let outcome = try Bench().run(
            fixture("large_make", [.value(.integer(.i64, 1))], returns: Self.large, result: "l"),
            fixture("large_shift", [.named("copy", .pointerTo(.reference("l")))]),
            fixture("large_shift", [.value(.addressOf("copy"))]),
            fixture(
                "widen_i64", [.value(.field("copy", [3]))], returns: .i64,
                success: .equals(2004)),
            fixture(
                "widen_i32", [.value(.field("copy", [0, 1]))], returns: .i64,
                success: .equals(199)),
            fixture("widen_i64", [.value(.field("l", [3]))], returns: .i64, success: .equals(4)))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("a callback receives structs by value")
    func inCallback() throws {
        let bench = try Bench()
        let callback = ForeignCallback(
            parameters: [Self.small, Self.floats], returns: .i64, value: -6, log: true)
        let outcome = bench.run(
            fixture(
                "ask_small", [.value(.callback(callback))], returns: .i64, success: .equals(-6)))
        #expect(outcome == .succeeded(message: nil))
        #expect(
            bench.log.first
                == "info: ask_small called back ({-3, 70000}, {0.5, 1.5, -2.0}), answered -6")
    }

    @Test("several calls share one struct, which may hold strings")
    func sharedState() throws {
        let outcome = try Bench().run(
            fixture(
                "counter_add",
                [
                    .named(
                        "counter",
                        .pointerTo(
                            .structure([.integer(.i32, 0), .integer(.i64, 5), .string("name")]))),
                    .value(.integer(.i64, 10)),
                ]),
            fixture(
                "counter_add", [.value(.addressOf("counter")), .value(.integer(.i64, 100))]),
            fixture(
                "widen_i64", [.value(.field("counter", [1]))], returns: .i64,
                success: .equals(115)),
            fixture(
                "widen_i32", [.value(.field("counter", [0]))], returns: .i64, success: .equals(2)),
            ForeignCall(
                library: "libc.so.6", function: "strlen",
                arguments: [.value(.field("counter", [2]))], returns: .u64, success: .equals(4)))
        #expect(outcome == .succeeded(message: nil))
    }
}
