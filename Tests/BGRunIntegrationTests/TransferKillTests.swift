// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Transfers whose processes are killed", .timeLimit(.minutes(5)))
struct TransferKillTests {
    private static let count = 12

    /// The processes that are killed at the end of a round.
    private enum Victim: CaseIterable {
        case host, service, worker, hostAndService, everything
    }

    @Test("each file arrives complete and once, and its task is launched, whatever is killed")
    func killed() async throws {
        let exec = try Built.plugin("exec")
        try await Sandbox.with { box in
            let server = try await FileServer(box)
            var transfers = ""
            for number in 0..<Self.count {
                try server.put("\(number)", size: 100_000 + 20_000 * number)
                transfers += """
                      org.test.file.\(number):
                        download: \(server.address)/\(number)
                        to: data/\(number)
                        rate: 300kB
                        retry: {from: 1s}
                        then: org.test.import.\(number)

                    """
            }
            try box.write(
                plugins: ["exec": exec], device: "{power: battery, network: unmetered}",
                rest: "policy: {profile: server, interruption_limit: 1000}\ntransfers:\n"
                    + transfers,
                tasks: """
                    org.test.import.*:
                      kind: processing
                      handler: exec.run
                      parameters: {command: 'cat "$BGRUN_TRANSFER_FILE" | wc -c'}
                      # One whose worker is killed has failed.
                      retry: {backoff: linear, from: 1s, to: 1s}
                    """)
            var victims: [Victim] = []
            for _ in 0..<10 {
                let victim = try #require(Victim.allCases.randomElement())
                victims.append(victim)
                try await Self.killOne(victim, box)
            }
            let run = try await box.run("run")
            #expect(run.code == 0, "\(victims): \(run.error)")

            let rows = try await box.transfers()
            #expect(rows.map(\.state) == Array(repeating: "completed", count: Self.count))
            #expect(rows.count(where: \.delivered) == Self.count, "\(victims)")
            for number in 0..<Self.count {
                #expect(server.holds("\(number)", sameAs: box.directory + "/data/\(number)"))
                let attempts = try await box.history("org.test.import.\(number)")
                #expect(attempts.contains { $0.outcome == "completed" }, "\(victims): \(attempts)")
            }
            let parts = try FileManager.default.contentsOfDirectory(
                atPath: box.state + "/org.test.app/transfers")
            #expect(parts.isEmpty, "\(parts)")
            let files = try FileManager.default.contentsOfDirectory(atPath: box.directory + "/data")
            #expect(files.count == Self.count, "\(files)")
        }
    }

    /// Runs a host for a while, then kills. A host without work has already ended by then.
    private static func killOne(_ victim: Victim, _ box: Sandbox) async throws {
        let host = try box.start("run")
        await host.lines(Int.random(in: 1...8))
        let service = box.transferService?.pid
        if victim == .worker || victim == .everything {
            for worker in box.workers { kill(worker.pid, SIGKILL) }
        }
        if let service, victim != .host, victim != .worker { kill(service, SIGKILL) }
        if victim == .service || victim == .worker { await host.lines(12) }
        await host.stop(SIGKILL)
    }
}
