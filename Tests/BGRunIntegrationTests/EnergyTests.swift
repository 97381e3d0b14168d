// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The processor time of attempts", .timeLimit(.minutes(5)))
struct EnergyTests {
    private struct Row: Decodable {
        var identifier: String
        var processorMilliseconds: Double?
    }

    /// A command that computes for a while.
    private static let loop = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"

    private func history(of box: Sandbox) async throws -> [Row] {
        let history = try await box.run("history", "--json")
        return try JSONDecoder().decode([Row].self, from: Data(history.output.utf8))
    }

    @Test("processor time is measured of kept and killed workers, and reported")
    func measured() async throws {
        _ = try Built.plugin("exec")
        let crash = try Built.misbehaving("segfault")
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec", "crash": crash], rest: "policy: {profile: server}",
                tasks: """
                    org.test.computes:
                      {kind: processing, handler: exec.run, parameters: {command: "\(Self.loop)"}}
                    org.test.crashes: {kind: processing, handler: crash.run}
                    """)
            #expect(try await box.run("run").code == 1)
            let rows = try await history(of: box)
            let computes = rows.first { $0.identifier == "org.test.computes" }
            #expect((computes?.processorMilliseconds ?? 0) > 0, "\(rows)")
            let crashes = rows.first { $0.identifier == "org.test.crashes" }
            #expect(crashes?.processorMilliseconds != nil)
            let report = try await box.run("report")
            let energy = try #require(report.output.range(of: "ENERGY OF TASK"))
            #expect(report.output[energy.upperBound...].contains("org.test.computes"))
        }
    }

    @Test("the time of an attempt is not counted again for the worker's next attempt")
    func next() async throws {
        _ = try Built.plugin("exec")
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                rest: "policy: {profile: server, concurrent_attempts: 1}",
                tasks: """
                    org.test.a:
                      {kind: processing, handler: exec.run, parameters: {command: "\(Self.loop)"}}
                    org.test.b: {kind: processing, handler: exec.run, parameters: {command: "true"}}
                    """)
            #expect(try await box.run("run").code == 0)
            let rows = try await history(of: box)
            let costs = ["org.test.a", "org.test.b"].map { identifier in
                rows.first { $0.identifier == identifier }?.processorMilliseconds
            }
            #expect(try #require(costs[1]) < #require(costs[0]) / 2, "\(rows)")
        }
    }
}
