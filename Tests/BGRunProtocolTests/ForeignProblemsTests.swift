// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite(
    "Problems of foreign programs",
    .timeLimit(.minutes(10)))
struct ForeignProblemsTests {
    /// An argument of a call, and its expected problem; nil: none.
    struct Case: Sendable, CustomTestStringConvertible {
        var value: ForeignValue
        var problem: String?
        var testDescription: String { "\(value)" }

        init(_ value: ForeignValue, _ problem: String? = nil) {
            self.value = value
            self.problem = problem
        }
    }

    /// Earlier arguments that the cases may refer to.
    static let earlier: [ForeignArgument] = [
        ForeignArgument(name: "n", value: .integer(.i32, 1)),
        ForeignArgument(
            name: "s", value: .structure([.integer(.i8, 1), .structure([.real(.f32, 1)])])),
        ForeignArgument(name: "out", value: .pointerTo(.u64, initial: 0)),
        ForeignArgument(name: "text", value: .pointerTo(.integer(.string, 0))),
        ForeignArgument(name: "bytes", value: .inputBytes([1])),
    ]

    @Test(
        "an argument has each of its problems",
        arguments: [
            Case(.integer(.u8, 255)),
            Case(.integer(.u8, 256), "256 does not fit u8"),
            Case(.integer(.i8, -129), "-129 does not fit i8"),
            Case(.integer(.u32, -1), "-1 does not fit u32"),
            Case(.integer(.u64, -1)),
            Case(.integer(.string, 0)),
            Case(.integer(.string, 1), "1 does not fit string"),
            Case(.integer(.f64, 1), "f64 is not an integer type"),
            Case(.integer(.void, 1), "void is not an integer type"),
            Case(.real(.f32, 1e300)),
            Case(.real(.i32, 1), "i32 is not f32 or f64"),
            Case(
                .string("a\0b"), "a string contains NUL, where C would end it; pass bytes instead"),
            Case(.null), Case(.inputBytes([])), Case(.inputFile("relative/path")),
            Case(.inputFile("/absolute")),
            Case(.inputFile(""), "'' is not the path of a file"),
            Case(.inputFile("directory/"), "'directory/' is not the path of a file"),
            Case(
                .outputBuffer(capacity: 0, save: nil), "an output buffer has no room: capacity 0"),
            Case(.outputBuffer(capacity: 1, save: ForeignSave(path: "x", length: "n"))),
            Case(
                .outputBuffer(capacity: 1, save: ForeignSave(path: "x", length: "s")),
                "the length 's' is {i8, {f32}}, not an integer"),
            Case(
                .outputBuffer(capacity: 1, save: ForeignSave(path: "x", length: "none")),
                "nothing named 'none' comes before it"),
            Case(
                .outputBuffer(capacity: 1, save: ForeignSave(path: "")),
                "'' is not the path of a file"),
            Case(
                .outputBuffer(capacity: (1 << 30) + 1, save: nil),
                "the program's buffers hold 1073741825 bytes together, at most 1073741824 are "
                    + "allowed"),
            Case(.pointerTo(.integer(.u8, 256)), "256 does not fit u8"),
            Case(.structure([]), "a struct without fields has no size in C"),
            Case(.structure([.integer(.u8, -1)]), "-1 does not fit u8"),
            Case(.reference("n")), Case(.reference("bytes")), Case(.reference("s")),
            Case(.reference("later"), "nothing named 'later' comes before it"),
            Case(.addressOf("s")), Case(.addressOf("bytes")),
            Case(.addressOf("later"), "nothing named 'later' comes before it"),
            Case(.field("s", [1, 0])), Case(.field("s", [])),
            Case(.field("s", [2]), "'s' has no field 2, only 0 to 1"),
            Case(.field("s", [-1]), "'s' has no field -1, only 0 to 1"),
            Case(.field("s", [0, 0]), "'s' has no field 0: it is i8 there"),
            Case(.field("bytes", [0]), "'bytes' has no field 0: it is pointer there"),
            Case(.lengthOf("bytes", .u64)), Case(.lengthOf("text", .i32)),
            Case(.lengthOf("n", .u64), "'n' is i32: it has no length"),
            Case(.lengthOf("bytes", .f64), "a length cannot be passed as f64"),
            Case(.callback(ForeignSamples.callback)),
            Case(
                .callback(ForeignCallback(parameters: [.void], returns: .i32)), "void has no value"),
            Case(
                .callback(ForeignCallback(parameters: [.strings(count: 1), .f64], returns: .void)),
                "strings are counted by parameter 1, which is not an integer parameter"),
            Case(
                .callback(ForeignCallback(parameters: [], returns: .structure([.i8]))),
                "a callback cannot return a struct"),
            Case(
                .callback(
                    ForeignCallback(parameters: [], returns: .i8, value: 0, valueWhenExpired: 128)),
                "a callback cannot return 128 as i8"),
        ])
    func argument(item: Case) {
        let program = ForeignProgram(calls: [
            ForeignCall(
                library: "libc.so.6", function: "f",
                arguments: Self.earlier + [ForeignArgument(value: item.value)])
        ])
        #expect(program.problems().map(\.message) == (item.problem.map { [$0] } ?? []))
    }

    /// A call, and its expected problem; nil: none.
    struct CallCase: Sendable, CustomTestStringConvertible {
        var call: ForeignCall
        var problem: String?
        var testDescription: String { problem ?? "\(call.returns) \(call.function)" }

        init(
            _ problem: String?, library: String = "libc.so.6", function: String = "f",
            arguments: [ForeignValue] = [], returns: ForeignType = .void, result: String? = nil,
            success: ForeignSuccess? = nil, fixed: Int? = nil
        ) {
            self.problem = problem
            call = ForeignCall(
                library: library, function: function,
                arguments: arguments.map { ForeignArgument(value: $0) }, returns: returns,
                result: result, success: success, fixedArguments: fixed)
        }
    }

    static let one = ForeignValue.integer(.i32, 1)

    @Test(
        "a call has each of its problems",
        arguments: [
            CallCase(nil),
            CallCase(nil, library: "./lib/own.so"), CallCase(nil, library: "/opt/own.so"),
            CallCase("no library is named", library: ""),
            CallCase("no library is named", library: "a\0b"),
            CallCase("'' is not the name of a C function", function: ""),
            CallCase("'a-b' is not the name of a C function", function: "a-b"),
            CallCase(
                "128 arguments, at most 127 are allowed",
                arguments: .init(repeating: one, count: 128)),
            CallCase("a void function has no result to name", result: "r"),
            CallCase("a void function has no result to judge success by", success: .zero),
            CallCase(
                "strings can only be a parameter of a callback", returns: .strings(count: nil)),
            CallCase(
                "a struct has more than 256 parts",
                returns: .structure(
                    .init(repeating: .structure(.init(repeating: .i8, count: 20)), count: 20))),
            CallCase(
                "success cannot be judged by a struct", returns: .structure([.i8]), success: .zero),
            CallCase(
                "success compares with 300, which does not fit u8", returns: .u8,
                success: .equals(300)),
            CallCase(
                "an address can only be compared with zero", returns: .pointer, success: .atLeast(1)
            ),
            CallCase(nil, returns: .pointer, success: .nonZero),
            CallCase(nil, returns: .string, success: .errno),
            CallCase(nil, returns: .f64, success: .errno),
            CallCase(nil, returns: .u64, success: .atLeast(-1)),
            CallCase(nil, arguments: [one, one], fixed: 1),
            CallCase(
                "0 of 1 arguments cannot be the fixed ones of a variadic function",
                arguments: [one], fixed: 0),
            CallCase(
                "2 of 1 arguments cannot be the fixed ones of a variadic function",
                arguments: [one], fixed: 2),
            CallCase(
                "u8 in the variable part of a call is i32 in C; pass i32",
                arguments: [one, .integer(.u8, 1)], fixed: 1),
            CallCase(
                "f32 in the variable part of a call is f64 in C; pass f64",
                arguments: [one, .real(.f32, 1)], fixed: 1),
            CallCase(nil, arguments: [.integer(.u8, 1), .real(.f64, 1)], fixed: 1),
        ])
    func call(item: CallCase) {
        let problems = ForeignProgram(calls: [item.call]).problems()
        #expect(problems.map(\.message) == (item.problem.map { [$0] } ?? []))
    }

    @Test("a name has one meaning in the whole program")
    func names() {
        let call = ForeignCall(
            library: "l.so", function: "f", arguments: [ForeignArgument(name: "a", value: .null)],
            returns: .i32, result: "a")
        #expect(
            ForeignProgram(calls: [call, call]).problems().map(\.description) == [
                "call 1, f: the name 'a' is taken",
                "call 2, f, argument 1: the name 'a' is taken",
                "call 2, f: the name 'a' is taken",
            ])
    }

    @Test("a length may come before its buffer, other references may not")
    func forward() {
        func problems(_ first: ForeignValue, _ second: ForeignValue) -> [String] {
            ForeignProgram(calls: [
                ForeignCall(
                    library: "l.so", function: "f",
                    arguments: [
                        ForeignArgument(value: first), ForeignArgument(name: "x", value: second),
                    ])
            ]).problems().map(\.message)
        }
        #expect(problems(.lengthOf("x", .u64), .inputBytes([1])) == [])
        #expect(
            problems(.reference("x"), .integer(.i32, 1)) == ["nothing named 'x' comes before it"])
    }

    @Test("a program has a limited number of calls and of literal data")
    func totals() {
        let call = ForeignCall(library: "l.so", function: "f")
        let many = ForeignProgram(calls: .init(repeating: call, count: 1001))
        #expect(
            ForeignProgram(calls: []).problems().map(\.description) == [
                "a program has 1 to 1000 calls"
            ])
        #expect(many.problems().map(\.description) == ["a program has 1 to 1000 calls"])
        var large = call
        large.arguments = [ForeignArgument(value: .inputBytes(.init(repeating: 0, count: 1 << 20)))]
        #expect(ForeignProgram(calls: [large]).problems() == [])
        large.arguments.append(ForeignArgument(value: .string("x")))
        #expect(
            ForeignProgram(calls: [large]).problems().map(\.description) == [
                "the program spells out 1048577 bytes of strings and buffers, at most 1048576 are "
                    + "allowed; pass large ones from a file"
            ])
    }

    @Test("nested names cannot build a huge struct")
    func vastStruct() {
        var calls = [
            ForeignCall(
                library: "l.so", function: "f",
                arguments: [ForeignArgument(name: "s0", value: .structure([.null, .null]))])
        ]
        for level in 1..<1000 {
            let half = ForeignValue.reference("s\(level - 1)")
            calls.append(
                ForeignCall(
                    library: "l.so", function: "f",
                    arguments: [
                        ForeignArgument(name: "s\(level)", value: .structure([half, half]))
                    ]
                ))
        }
        let problems = ForeignProgram(calls: calls).problems()
        #expect(problems.first?.message == "a struct has more than 256 parts")
        #expect(problems.count == 1000 - 7)
    }

    @Test("the sample program has no problem")
    func valid() {
        #expect(ForeignSamples.valid.problems() == [])
    }
}
