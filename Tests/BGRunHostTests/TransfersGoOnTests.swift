// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunWire
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunStore

@Suite("Transfers of a host that was about to end", .timeLimit(.minutes(1)))
struct TransfersGoOnTests {
    @Test("continue when the host continues")
    func goOn() throws {
        let base = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-host-\(UUID().uuidString)").path
        let state = try StateDirectory(
            app: "org.test.app", override: base, environment: [:], userID: 0)
        try FileManager.default.createDirectory(
            atPath: state.path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: base) }
        _ = try TransferStore.open(state.transfers)
        let bench = try HostBench(
            HostBench.task("org.test.a"),
            rest: "policy: {profile: server}\ndevice: {network: none}", ending: .whenIdle,
            state: state)
        bench.supervisor.hasWarmWorkers = true
        try bench.host.start()
        bench.settle()
        // Everything has stopped, and the warm workers are waited for.
        #expect(bench.supervisor.calls.contains(.retire))

        bench.submit("org.test.a")
        bench.settle()
        bench.supervisor.finishRetiring()
        let answer = bench.call(
            .transfer(
                .create(
                    WorkerMessage.TransferRequest(session: "s", url: "https://example.org/f"))),
            from: 1)
        #expect(answer?.status == 0)
        bench.settle()
        #expect(bench.log.has("waits: "))
    }
}
