// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs the built bgrun-audit.
enum Tool {
    struct Ending {
        var code: Int32
        var output: String
        var error: String
    }

    static func run(_ arguments: [String], in directory: URL? = nil) throws -> Ending {
        let process = Process()
        // Beside the executable of the tests.
        process.executableURL = Bundle.main.bundleURL.appending(path: "bgrun-audit")
        process.arguments = arguments
        process.currentDirectoryURL = directory
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complained = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ending(
            code: process.terminationStatus, output: String(decoding: said, as: UTF8.self),
            error: String(decoding: complained, as: UTF8.self))
    }
}
