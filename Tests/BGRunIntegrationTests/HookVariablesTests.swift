// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The variables of hooks", .timeLimit(.minutes(5)))
struct HookVariablesTests {
    private static func names(_ text: String) -> Set<String> {
        Set(text.matches(of: /BGRUN_[A-Z_]+/).map { String($0.0) })
    }

    @Test("a hook receives the variables that its document lists")
    func listed() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                rest: "policy: {profile: server}\n"
                    + "hooks: [{on: failed, run: 'env | cut -d= -f1 > variables'}]",
                tasks: "org.test.a: {kind: processing, handler: exec.run, "
                    + "parameters: {command: exit 3}, retry: never}")
            #expect(try await box.run("run", "--once").code == 1)
            let received = try String(
                contentsOfFile: box.directory + "/variables", encoding: .utf8)
            let document = try String(
                contentsOfFile: Built.package + "/Docs/hooks.md", encoding: .utf8)
            // Those of the sandbox come from the environment of the host.
            let others: Set<String> = ["BGRUN_TEST_MARK", "BGRUN_DEVICE_ROOT"]
            #expect(Self.names(received).subtracting(others) == Self.names(document))
        }
    }
}
