// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A task that does not complete", .timeLimit(.minutes(5)))
struct PenaltyTests {
    /// The penalty of a task after its attempts.
    private struct Penalty: Equatable, Decodable {
        /// A condition of the next launch.
        struct Line: Equatable, Decodable {
            var name: String
            var needed: String
            var satisfied: Bool
            var until: Int64?
        }
        var state: String
        var lines: [Line]
    }

    private struct Attempt: Decodable {
        var launched: String
        var detail: String
        var failuresBefore: Int
    }

    @Test("has the same penalty without an expiration handler as if it never completes")
    func samePenalty() async throws {
        let app = try await Built.app.value
        let tasks = ["org.test.deaf", "org.test.mute"]
        try await Sandbox.with { box in
            let settings =
                "{kind: processing, handler: app, submit: manual, "
                + "expiration: {after: 1s, grace: 100ms}}"
            try box.write(
                plugins: ["app": app],
                rest: "policy: {profile: server, missed_completion_penalty: 1h}",
                tasks: tasks.map { "\($0): \(settings)" }.joined(separator: "\n"))
            let host = try await box.host("--stay", until: "Background refresh is ")
            for hours: Int64 in [1, 2, 4] {
                let seen = host.errorLines.count
                for task in tasks { #expect(try await box.run("trigger", task).code == 0) }
                for task in tasks {
                    try await host.line("Task ended with identifier \(task)", after: seen)
                }
                var penalties: [Penalty] = []
                for task in tasks {
                    let explained = try await box.run("explain", task, "--json").output
                    var penalty = try JSONDecoder().decode(
                        Penalty.self, from: Data(explained.utf8))
                    let index = try #require(
                        penalty.lines.firstIndex { $0.name == "rate-limit" })
                    // The date is relative to the launch.
                    let launched = try await launch(of: task, in: box)
                    penalty.lines[index].until = penalty.lines[index].until.map { $0 - launched }
                    #expect(penalty.lines[index].until == hours * 3_600_000)
                    penalties.append(penalty)
                }
                #expect(penalties[0] == penalties[1])
            }
            // 1: attempts have expired.
            #expect(await host.stop().code == 1)
            var histories: [[String]] = []
            for task in tasks {
                histories.append(
                    try await attempts(task, in: box).map { "\($0.detail) \($0.failuresBefore)" })
            }
            #expect(histories[0] == histories[1])
            #expect(histories[0].count == 3)
        }
    }

    private func attempts(_ task: String, in box: Sandbox) async throws -> [Attempt] {
        let output = try await box.run("history", task, "--json").output
        return try JSONDecoder().decode([Attempt].self, from: Data(output.utf8))
    }

    /// The date of the newest launch, in milliseconds since 1970.
    private func launch(of task: String, in box: Sandbox) async throws -> Int64 {
        let newest = try #require(try await attempts(task, in: box).first)
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date = try format.parse(newest.launched)
        return Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }
}
