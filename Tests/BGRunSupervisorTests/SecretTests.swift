// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Testing

@testable import BGRunSupervisor

@Suite("Launches and their secrets", .timeLimit(.minutes(5)))
final class SecretTests: SupervisorBench {
    @Test("an attempt whose secret cannot be read is refused, without a worker")
    func unreadableSecret() throws {
        var work = Self.work(1)
        work.secrets = [Secret(name: "token", source: .file("/no/such/file"))]
        #expect(supervisor.prepare(work) == .refused)
        #expect(supervisor.workers.isEmpty)
        launch(1)
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.refused])
        #expect(
            end[0].message
                == "secrets.token: /no/such/file: No such file or directory; write the file with "
                + "mode 600, or correct its path")
    }
}
