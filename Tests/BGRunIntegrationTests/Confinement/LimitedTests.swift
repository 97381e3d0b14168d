// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("A handler that reaches a limit of its confinement", .timeLimit(.minutes(10)))
struct LimitedTests {
    @Test("ends with what it started, and the outcome names the limit and its key")
    func limits() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: [
                    "exec": try Built.plugin("exec"), "loop": try Built.misbehaving("endless-loop"),
                ], rest: "policy: {profile: server}",
                tasks: """
                    org.test.memory:
                      kind: processing
                      handler: exec.run
                      parameters:
                        command: |
                          text=$(head -c 200000000 /dev/zero | tr '\\0' x)
                          sleep 600
                      confine: {profile: default, memory: 64MiB}
                    org.test.time:
                      kind: processing
                      handler: loop.run
                      expiration: {after: 300s}
                      confine: {profile: default, cpu: {time: 1s}}
                    """)
            let run = try await box.start("run").end()
            await box.expectNothingLeft()
            #expect(run.code == 1)
            let memory = try await box.attempt("org.test.memory")
            #expect(memory.outcome == "limited" && memory.detail == "limited: memory")
            #expect(memory.message?.hasSuffix(" MiB used of 64 MiB (confine.memory)") == true)
            let time = try await box.attempt("org.test.time")
            #expect(time.outcome == "limited" && time.detail == "limited: cpu-time")
            #expect(time.message == "1s used (confine.cpu.time)")
            #expect(try await box.pending().count == 0)
        }
    }
}
