// SPDX-License-Identifier: Apache-2.0

import BGRunHostSimulation
import Foundation
import Testing

@Suite("The supervisor port", .timeLimit(.minutes(5)))
struct SupervisorPortTests {
    @Test("the simulated supervisor keeps the promises to a host")
    func simulated() {
        #expect(SupervisorContract.checkSimulated() == [])
    }

    @Test("the real supervisor keeps the promises to a host, in a separate process")
    func real() throws {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let products = URL(fileURLWithPath: executable).deletingLastPathComponent()
        let process = Process()
        let output = Pipe()
        process.executableURL = products.appendingPathComponent("bgrun-host-simulator")
        process.arguments = [
            "--supervisor", products.appendingPathComponent("bgrun-worker").path,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "" && process.terminationStatus == 0)
    }
}
