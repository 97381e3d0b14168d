// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import CSeccomp
import Foundation
import Testing

/// Makes system calls in a process with a filter.
enum SyscallProbe {
    /// Added to the errno values of the filter: a call that fails without the filter, too, for example with EPERM
    /// because the test is not root, is then distinct.
    private static let mark: UInt32 = 1_000

    /// The calls that this processor has, with their answers. `isMarked`: as `mark` describes; glibc needs the true
    /// values.
    static func run(
        _ calls: [Call], _ rules: SyscallFilter.Rules, isMarked: Bool = true
    ) throws -> [(call: Call, answer: Answer)] {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-filter-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let program = try SyscallFilter(rules).program()
        try Data(isMarked ? marked(program) : program).write(to: file)
        let known = calls.filter { $0.word != nil }

        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("bgrun-confinement-probe")
        process.arguments = [file.path] + known.compactMap(\.word)
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == known.count)
        return try zip(known, lines).map { call, line in
            let words = line.split(separator: " ")
            try #require(words.count == 2)
            return (
                call, answer(try #require(Int(words[0])), try #require(Int32(words[1])))
            )
        }
    }

    /// Expects the answers that the calls name.
    static func expect(_ calls: [Call], _ rules: SyscallFilter.Rules) throws {
        for (call, answer) in try run(calls, rules) {
            if let code = call.code {
                #expect(
                    answer.isOfFilter && answer.code == code, "\(call) with \(rules): \(answer)")
            } else {
                #expect(!answer.isOfFilter, "\(call) with \(rules): \(answer)")
            }
        }
    }

    private static func answer(_ result: Int, _ code: Int32) -> Answer {
        let isOfFilter = code > Int32(mark)
        return Answer(
            result: result, code: isOfFilter ? code - Int32(mark) : code, isOfFilter: isOfFilter)
    }

    private static func marked(_ program: [UInt8]) -> [UInt8] {
        FilterProgram(program).instructions.flatMap { instruction in
            var instruction = instruction
            if instruction.code == 0x06, instruction.k >> 16 == 5 { instruction.k += mark }
            return withUnsafeBytes(of: instruction, Array.init)
        }
    }
}
