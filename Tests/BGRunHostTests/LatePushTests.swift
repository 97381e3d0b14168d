// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost
@testable import BGRunStorage

@Suite("Pushes while another program writes to the store", .timeLimit(.minutes(5)))
struct LatePushTests {
    private static let policy = "policy: {profile: server, store_wait: 2m}"
    private let bench: HostBench
    private let writer: Database

    /// Creates a host that waits for its store.
    init() throws {
        bench = try HostBench(
            HostBench.pushTask("org.test.a") + HostBench.task("org.test.other"), rest: Self.policy)
        try bench.host.start()
        writer = try Database(bench.path, .write, timeout: 0)
        try writer.execute("BEGIN IMMEDIATE")
        bench.submit("org.test.other")
    }

    private func free() throws {
        bench.clock.advance(by: .seconds(40))
        try writer.execute("COMMIT")
        bench.clock.advance(by: .seconds(1))
        bench.settle()
    }

    @Test("a push that expires meanwhile is refused and launches nothing")
    func expired() throws {
        var result: Result<PushReceipt, PushRefusal>?
        bench.push("org.test.a", expires: bench.host.now.advanced(by: .seconds(10))) { result = $0 }
        #expect(result == nil)
        try free()
        #expect(result == .failure(.badExpiration))
        #expect(bench.supervisor.launched.count == 1)
    }

    @Test("a push that does not expire is accepted and delivered")
    func valid() throws {
        var result: Result<PushReceipt, PushRefusal>?
        bench.push("org.test.a") { result = $0 }
        try free()
        guard case .success? = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(bench.supervisor.launched.count == 2)
    }

    @Test("pushes above a thousand are refused at once")
    func many() throws {
        var refused = 0
        for _ in 0..<1_002 {
            bench.push("org.test.a") { if case .failure(.unavailable) = $0 { refused += 1 } }
        }
        #expect(refused == 2)
        try free()
        #expect(refused == 2)
    }
}
