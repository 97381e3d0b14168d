// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Effects of a foreign program on its process", .timeLimit(.minutes(10)))
struct ForeignProcessTests {
    @Test("output of a function has left the process's buffers when the program ends")
    func flush() throws {
        let (code, output) = try probe("flush")
        #expect(code == 0)
        #expect(output == "printed by puts\n")
    }

    @Test("the code of a program's callbacks is released and used by the next program")
    func closures() throws {
        let (code, output) = try probe("closures", Fixture.library)
        #expect(code == 0, "\(output)")
    }

    @Test("a program leaves no memory behind")
    func leaks() throws {
        let (code, output) = try probe("leaks", Fixture.library)
        #expect(code == 0, "\(output)")
    }

    /// Runs bgrun-worker-probe. (Swift Testing's exit tests wait for any child of the process,
    /// including children of other tests.)
    private func probe(_ arguments: String...) throws -> (code: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("bgrun-worker-probe")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
