// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunStorage

@Suite("A damaged row of the store", .timeLimit(.minutes(5)))
struct DamagedRowTests {
    @Test("is named in the log when the host starts; the other requests run")
    func start() throws {
        let tasks = HostBench.task("org.test.a") + HostBench.task("org.test.b")
        let bench = try HostBench(tasks) { store in
            for (id, name): (Int64, String) in [(1, "org.test.a"), (2, "org.test.b")] {
                let request = TaskRequest(
                    id: id, identifier: name, kind: .processing, submitted: TestClock().now.wall)
                try store.apply([.putRequest(request)], durability: .normal)
            }
            try Database(store.path, .write, timeout: 0).execute(
                "PRAGMA ignore_check_constraints = ON; "
                    + "UPDATE request SET interruptions = -1 WHERE identifier = 'org.test.a'")
        }
        try bench.host.start()
        bench.settle()
        #expect(bench.log.has("is damaged ("), "\(bench.log.lines.map(\.text))")
        #expect(bench.supervisor.works.values.map(\.launch.identifier) == ["org.test.b"])
    }
}
