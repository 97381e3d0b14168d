// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunWorker
import Testing

@Suite("Scalars of foreign calls", .timeLimit(.minutes(10)))
struct ScalarTests {
    /// A type, and a value at the limit of its range.
    struct Edge: Sendable, CustomTestStringConvertible {
        var type: ForeignType
        var value: Int64
        var testDescription: String { "\(type) \(value)" }
    }

    static let edges: [Edge] =
        [ForeignType.i8, .u8, .i16, .u16, .i32, .u32, .i64, .u64].flatMap { type in
            let range = type.range ?? 0...0
            return Set([range.lowerBound, range.upperBound, 0, 1, range.upperBound / 2 + 1])
                .sorted().map { Edge(type: type, value: $0) }
        }
        + [-1, -77].flatMap { value in
            [ForeignType.i8, .i16, .i32, .i64].map { Edge(type: $0, value: value) }
        }

    @Test("are unchanged as an argument, as a result and as a reference", arguments: edges)
    func echo(edge: Edge) throws {
        let outcome = try Bench().run(
            fixture(
                "echo_\(edge.type)", [.value(.integer(edge.type, edge.value))],
                returns: edge.type, result: "echo", success: .equals(edge.value)),
            fixture(
                "widen_\(edge.type)", [.value(.reference("echo"))], returns: .i64,
                success: .equals(edge.value)))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("are unchanged as a callback's parameter and result", arguments: edges)
    func callback(edge: Edge) throws {
        let bench = try Bench()
        let callback = ForeignCallback(
            parameters: [edge.type], returns: edge.type, value: edge.value, log: true)
        let outcome = bench.run(
            fixture(
                "ask_\(edge.type)",
                [.value(.callback(callback)), .value(.integer(edge.type, edge.value))],
                returns: .i64, success: .equals(edge.value)))
        #expect(outcome == .succeeded(message: nil))
        let shown = edge.type == .u64 ? "\(UInt64(bitPattern: edge.value))" : "\(edge.value)"
        #expect(
            bench.log.first
                == "info: ask_\(edge.type) called back (\(shown)), answered \(edge.value)")
    }

    @Test(
        "are read behind a pointer after the function has changed them",
        arguments: [ForeignType.i8, .u8, .i16, .u16, .i32, .u32, .i64, .u64])
    func pointee(type: ForeignType) throws {
        let outcome = try Bench().run(
            fixture("increment_\(type)", [.named("n", .pointerTo(type, initial: 41))]),
            fixture("increment_\(type)", [.value(.addressOf("n"))]),
            fixture(
                "widen_\(type)", [.value(.reference("n"))], returns: .i64, success: .equals(43)))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("keep the fraction of real numbers", arguments: [ForeignType.f32, .f64])
    func reals(type: ForeignType) throws {
        let bench = try Bench()
        let outcome = bench.run(
            fixture("echo_\(type)", [.value(.real(type, -2.5))], returns: type, result: "r"),
            fixture("increment_\(type)", [.named("p", .pointerTo(.reference("r")))]),
            fixture("echo_\(type)", [.value(.reference("p"))], returns: type),
            fixture(
                "ask_\(type)",
                [
                    .value(.callback(ForeignCallback(parameters: [type], returns: type, value: 9))),
                    .value(.real(type, 1)),
                ], returns: .i64, success: .equals(9)))
        #expect(outcome == .succeeded(message: nil))
        #expect(bench.log.contains("debug: echo_\(type) returned -2.5"))
        #expect(bench.log.contains("debug: echo_\(type) returned -1.5"))
    }

    @Test("are passed in more arguments than registers, of mixed classes")
    func manyArguments() throws {
        let types: [ForeignType] = [
            .i8, .f64, .u16, .f32, .i32, .f64, .u64, .f32, .i64, .f64, .i16, .f64, .u32, .f64, .i8,
            .f64, .f64, .f64,
        ]
        let arguments = types.enumerated().map { index, type in
            ForeignArgument.value(
                type == .f32 || type == .f64
                    ? .real(type, Double(index) + 0.5) : .integer(type, Int64(index)))
        }
        let outcome = try Bench().run(
            fixture("sum_many", arguments, returns: .f64, success: .equals(153 + 5)))
        #expect(outcome == .succeeded(message: nil))
    }

    @Test("are passed as variable arguments")
    func variadic() throws {
        let outcome = try Bench().run(
            fixture(
                "sum_variadic",
                [3, 10, -4, 100].map { .value(.integer(.i32, $0)) }, returns: .i32,
                success: .equals(106), fixed: 1))
        #expect(outcome == .succeeded(message: nil))
    }
}
