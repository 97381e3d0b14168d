// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("A system bus without a usable libsystemd", .timeLimit(.minutes(5)))
struct SystemdLibraryTests {
    @Test(
        "doctor and device name the library, and a host runs without the bus",
        arguments: ["text", "empty library"])
    func named(_ kind: String) async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            let library = box.directory + "/libsystemd.so.0"
            if kind == "text" {
                try "not a library".write(toFile: library, atomically: true, encoding: .utf8)
            } else {
                let compiler = try box.startProgram(
                    "/usr/bin/cc", ["-shared", "-o", library, "-x", "c", "/dev/null"])
                #expect(await compiler.end().code == 0)
            }
            let socket = box.directory + "/bus"
            try "".write(toFile: socket, atomically: true, encoding: .utf8)
            let variables = [
                "LD_LIBRARY_PATH": box.directory, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(socket)",
            ]
            let options = ["--manifest", box.manifest, "--state", box.state]
            func run(_ arguments: String...) async throws -> Finished {
                try await box.start(arguments + options, false, variables).end()
            }
            let doctor = try await run("doctor")
            #expect(doctor.output.contains("libsystemd cannot be loaded: "), "\(doctor)")
            let device = try await box.start(["device"], false, variables).end()
            #expect(device.output.contains("install libsystemd"), "\(device)")
            #expect(try await run("run", "--once").code == 0)
        }
    }
}
