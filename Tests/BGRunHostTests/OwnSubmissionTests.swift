// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import CBGRunPlugin
import Foundation
import Testing

@testable import BGRunHost

@Suite("A submission of a handler", .timeLimit(.minutes(5)))
struct OwnSubmissionTests {
    @Test("is for the handler's own task only if the attempt belongs to that task")
    func ownTask() throws {
        let bench = try HostBench(
            HostBench.task("org.test.part.*") + HostBench.task("org.test.other"),
            rest: "policy: {profile: server, processing_spacing: 15m}"
        ).started()
        func submit(_ identifier: String, from attempt: Int64) {
            let answer = bench.call(.submit(.init(identifier: identifier)), from: attempt)
            #expect(answer?.status == BGRUN_OK)
            bench.settle()
        }
        bench.launch("org.test.part.a", "org.test.other")
        #expect(bench.supervisor.launched == [1, 2])
        submit("org.test.part.b", from: 1)
        submit("org.test.part.c", from: 2)
        let engine = bench.host.engine
        #expect(engine.runningAttempt("org.test.part.b") == nil)
        #expect(engine.pendingRequest("org.test.part.b")?.isSpaced == true)
        #expect(engine.runningAttempt("org.test.part.c") != nil)
        #expect(try bench.stored().request("org.test.part.b")?.isSpaced == true)
    }

    @Test("of continued work is accepted if its handler is free after the submitting attempt")
    func handlerInItsWorker() throws {
        let plugin = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-own-\(UUID().uuidString).so").path
        try #require(FileManager.default.createFile(atPath: plugin, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: plugin) }
        let bench = try HostBench(
            HostBench.task("org.test.a") + HostBench.task("org.test.b")
                + "org.test.c: {kind: continued, handler: app, strategy: fail}",
            rest: "policy: {profile: server}\nplugins: {app: \(plugin)}"
        ).started()
        bench.launch("org.test.a", "org.test.b")
        // Attempt 1 runs in the worker that has registered the handler.
        bench.supervisor.place = .busy(attempt: 1)
        let submission = WorkerMessage.Call.submit(.init(identifier: "org.test.c"))
        #expect(bench.call(submission, from: 2)?.status == BGRUN_E_NOT_IMMEDIATELY)
        #expect(bench.call(submission, from: 1)?.status == BGRUN_OK)
    }

    @Test("for its own identifier waits until ten seconds after the launch; a user's does not")
    func resubmission() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.launch("org.test.a")
        func resubmit(from attempt: Int64) {
            let answer = bench.call(.submit(.init(identifier: "org.test.a")), from: attempt)
            #expect(answer?.status == BGRUN_OK)
            bench.settle()
        }
        func end(_ attempt: Int64) {
            bench.supervisor.end(attempt)
            bench.settle()
        }
        resubmit(from: 1)
        end(1)
        bench.clock.advance(by: .seconds(9))
        #expect(bench.supervisor.launched == [1])
        bench.clock.advance(by: .seconds(1))
        #expect(bench.supervisor.launched == [1, 2])
        end(2)
        // While no attempt runs.
        resubmit(from: 0)
        #expect(bench.supervisor.launched == [1, 2])
        bench.launch("org.test.a")
        #expect(bench.supervisor.launched == [1, 2, 3])
    }

    @Test("waits until background refresh is on, except for continued work")
    func refreshSwitch() throws {
        let continued =
            "org.test.c:\n  kind: continued\n"
            + "  call: {library: libc.so.6, function: sync}\n"
        let bench = try HostBench(
            HostBench.task("org.test.a") + HostBench.task("org.test.b") + continued
        ).started()
        bench.launch("org.test.a")
        bench.host.ask({ .refreshSwitch(.denied, ticket: $0) }, { _ in })
        func submit(_ identifier: String) -> Int32? {
            bench.call(.submit(.init(identifier: identifier)), from: 1)?.status
        }
        #expect(submit("org.test.b") == BGRUN_E_UNAVAILABLE)
        #expect(bench.log.has("request for org.test.b was refused: background refresh is"))
        #expect(submit("org.test.c") == BGRUN_OK)
        #expect(bench.supervisor.launched == [1, 2])
    }
}
