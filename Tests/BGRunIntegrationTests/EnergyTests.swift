// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("What attempts cost", .timeLimit(.minutes(2)))
struct EnergyTests {
    private struct Row: Decodable {
        var identifier: String
        var processorMilliseconds: Double?
    }

    @Test("processor time is measured of workers that live on and that are killed, and reported")
    func measured() async throws {
        _ = try Built.plugin("exec")
        let crash = try Built.misbehaving("segfault")
        try await Sandbox.with { box in
            let loop = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
            try box.write(
                plugins: ["exec": "exec", "crash": crash], rest: "policy: {profile: server}",
                tasks: """
                    org.test.computes:
                      {kind: processing, handler: exec.run, parameters: {command: "\(loop)"}}
                    org.test.crashes: {kind: processing, handler: crash.run}
                    """)
            #expect(try await box.run("run").code == 1)
            let history = try await box.run("history", "--json")
            let rows = try JSONDecoder().decode([Row].self, from: Data(history.output.utf8))
            let computes = rows.first { $0.identifier == "org.test.computes" }
            #expect((computes?.processorMilliseconds ?? 0) > 0, "\(history.output)")
            let crashes = rows.first { $0.identifier == "org.test.crashes" }
            #expect(crashes?.processorMilliseconds != nil)
            let report = try await box.run("report")
            let energy = try #require(report.output.range(of: "ENERGY OF TASK"))
            #expect(report.output[energy.upperBound...].contains("org.test.computes"))
        }
    }
}
