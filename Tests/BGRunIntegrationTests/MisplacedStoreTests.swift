// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The store of another app in the place of an app's", .timeLimit(.minutes(5)))
struct MisplacedStoreTests {
    @Test("is refused by hosts and commands, named by doctor, and not changed")
    func refused() async throws {
        try await Sandbox.with { box in
            try box.write(
                tasks: """
                    org.test.job:
                      kind: processing
                      submit: manual
                      call: {library: libc.so.6, function: sync}
                    """)
            let other = box.directory + "/other.yaml"
            try String(contentsOfFile: box.manifest, encoding: .utf8)
                .replacingOccurrences(of: "app: org.test.app", with: "app: org.test.other")
                .write(toFile: other, atomically: true, encoding: .utf8)
            for manifest in [box.manifest, other] {
                let end = try await box.run(["run", "--once", "-m", manifest, "--state", box.state])
                #expect(end.code == 0, "\(end.error)")
            }
            let store = box.state + "/org.test.app/bgrun.sqlite"
            let found = try Data(
                contentsOf: URL(fileURLWithPath: box.state + "/org.test.other/bgrun.sqlite"))
            try found.write(to: URL(fileURLWithPath: store))

            let message = "belongs to the app org.test.other, not to org.test.app"
            for arguments in [["run", "--once"], ["submit", "org.test.job"], ["history"]] {
                let end = try await box.run(arguments + ["-m", box.manifest, "--state", box.state])
                #expect(end.code == 74, "\(arguments)")
                #expect(end.error.contains(message), "\(arguments): \(end.error)")
            }
            let doctor = try await box.run("doctor", "--symptom", "works-here-not-there")
            #expect(doctor.code == 1 && doctor.output.contains(message), "\(doctor.output)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == found)

            // The developer has renamed the app.
            _ = try HostileStoreTests.rows(store, "DELETE FROM fact WHERE name LIKE 'owner:%'")
            #expect(try await box.run("submit", "org.test.job").code == 0)
            #expect(try await box.run("run", "--once").code == 0)
        }
    }
}
