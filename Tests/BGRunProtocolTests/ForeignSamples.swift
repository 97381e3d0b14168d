// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// Programs that contain every case of every type, for round trips and as seeds of the fuzzer.
enum ForeignSamples {
    static let types: [ForeignType] = [
        .void, .i8, .u8, .i16, .u16, .i32, .u32, .i64, .u64, .f32, .f64, .pointer, .string,
        .structure([.i8, .structure([.f32, .string]), .u64]), .structure([]),
        .strings(count: nil), .strings(count: 2),
    ]

    static let callback = ForeignCallback(
        parameters: [.pointer, .i32, .strings(count: 1)], returns: .i32, value: -1,
        valueWhenExpired: 4, log: true)

    static let values: [ForeignValue] = [
        .integer(.i8, -1), .integer(.u64, .min), .integer(.pointer, .max), .real(.f32, 0.5),
        .real(.f64, -.infinity), .string(""), .string("naïve \u{1f600}"), .null,
        .inputBytes([]), .inputBytes([0, 255, 7]), .inputFile("data/in.bin"),
        .outputBuffer(capacity: 1, save: nil),
        .outputBuffer(capacity: .max, save: ForeignSave(path: "/tmp/out")),
        .outputBuffer(capacity: 4096, save: ForeignSave(path: "out", length: "size")),
        .pointerTo(.u64, initial: 9), .pointerTo(.structure([.i8, .f64]), initial: 0),
        .pointerTo(.pointerTo(.null)), .structure([.integer(.i8, 1), .structure([.null])]),
        .reference("a"), .addressOf("a"), .field("a", [0, 3]), .field("a", []),
        .lengthOf("a", .u32), .callback(callback),
        .callback(ForeignCallback(parameters: [], returns: .void)),
    ]

    static let successes: [ForeignSuccess?] = [
        nil, .zero, .nonZero, .equals(-3), .notEquals(.max), .atLeast(.min), .lessThan(0), .errno,
    ]

    static let everything = ForeignProgram(
        calls: types.enumerated().map { index, type in
            ForeignCall(
                library: "lib\(index).so", function: "f\(index)",
                arguments: values.enumerated().map { position, value in
                    ForeignArgument(name: position % 2 == 0 ? "n\(position)" : nil, value: value)
                },
                returns: type, result: index % 2 == 0 ? "r\(index)" : nil,
                success: successes[index % successes.count], always: index % 3 == 0,
                fixedArguments: index % 4 == 0 ? index : nil)
        })

    /// A program without a problem.
    static let valid = ForeignProgram(calls: [
        ForeignCall(
            library: "libz.so.1", function: "compress2",
            arguments: [
                ForeignArgument(
                    name: "packed",
                    value: .outputBuffer(
                        capacity: 4096, save: ForeignSave(path: "out.z", length: "size"))),
                ForeignArgument(name: "size", value: .pointerTo(.lengthOf("packed", .u64))),
                ForeignArgument(name: "file", value: .inputFile("in.txt")),
                ForeignArgument(value: .lengthOf("file", .u64)),
                ForeignArgument(value: .integer(.i32, 9)),
            ], returns: .i32, result: "status", success: .zero),
        ForeignCall(
            library: "./libown.so", function: "own",
            arguments: [
                ForeignArgument(name: "s", value: .structure([.integer(.i8, 1), .real(.f64, 2)])),
                ForeignArgument(value: .callback(callback)),
                ForeignArgument(value: .field("s", [1])),
                ForeignArgument(value: .addressOf("size")),
                ForeignArgument(value: .reference("status")),
            ], returns: .structure([.i32, .i32]), always: true, fixedArguments: 2),
    ])

    static func encode(_ program: ForeignProgram) -> [UInt8] {
        var writer = WireWriter()
        writer.put(program)
        return writer.bytes
    }
}
