// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunStore
import BGRunWire
import Testing

@testable import BGRunHost

@Suite("A request from an app or a message", .timeLimit(.minutes(1)))
struct PushHostTests {
    @Test(
        "goes with the last message it stands for, unless somebody has submitted it since",
        arguments: [false, true])
    func expiry(isSubmitted: Bool) throws {
        let bench = try HostBench(
            HostBench.pushTask("org.test.p"), rest: "policy: {profile: apple}")
        try bench.host.start()
        bench.push("org.test.p")
        bench.supervisor.end(1)
        // It waits: pushes are launched some time apart.
        bench.push("org.test.p", expires: bench.host.now.advanced(by: .seconds(10)))
        if isSubmitted { bench.submit("org.test.p") }
        bench.settle()
        #expect(bench.host.heldPushes(of: "org.test.p").count == 1)
        bench.clock.advance(by: .seconds(11))
        bench.settle()
        #expect(bench.host.heldPushes(of: "org.test.p").isEmpty)
        #expect((bench.host.engine.pendingRequest("org.test.p") != nil) == isSubmitted)
        #expect((try bench.stored().request("org.test.p") != nil) == isSubmitted)
    }

    @Test("begins at the date the app asks for, and no earlier")
    func delay() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.submit("org.test.a")
        let delay = Interval.minutes(10)
        let request = WorkerMessage.Request(
            identifier: "org.test.b", delayNanoseconds: delay.nanoseconds)
        #expect(bench.call(.submit(request), from: 1)?.status == 0)
        let earliest = bench.host.engine.pendingRequest("org.test.b")?.earliest
        #expect(earliest == bench.host.now.advanced(by: delay))
        // Cancelled by the app as well; -5 is BGRUN_E_NOT_FOUND.
        #expect(bench.call(.cancel(identifier: "org.test.b"), from: 1)?.status == 0)
        #expect(bench.call(.cancel(identifier: "org.test.b"), from: 1)?.status == -5)
    }
}
