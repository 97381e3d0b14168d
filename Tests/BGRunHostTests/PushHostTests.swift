// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import Foundation
import Testing

@testable import BGRunHost
@testable import BGRunPushes

@Suite("A request from an app or a message", .timeLimit(.minutes(5)))
struct PushHostTests {
    @Test(
        "is dropped with its last message, unless it was submitted meanwhile",
        arguments: [false, true])
    func expiry(isSubmitted: Bool) throws {
        let bench = try HostBench(
            HostBench.pushTask("org.test.p"), rest: "policy: {profile: apple}"
        ).started()
        bench.push("org.test.p")
        bench.supervisor.end(1)
        // This push waits for the spacing of pushes.
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

    @Test("begins no earlier than at the date that the app requests")
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
        // The app can cancel it; -5 is BGRUN_E_NOT_FOUND.
        #expect(bench.call(.cancel(identifier: "org.test.b"), from: 1)?.status == 0)
        #expect(bench.call(.cancel(identifier: "org.test.b"), from: 1)?.status == -5)
    }

    @Test("is dropped at its expiration by the next host, which sets a timer for it")
    func expiryInTheNextHost() throws {
        let tasks = HostBench.pushTask("org.test.p")
        let first = try HostBench(tasks, rest: "policy: {profile: apple}").started()
        first.push("org.test.p")
        first.supervisor.end(1)
        first.push("org.test.p", expires: first.host.now.advanced(by: .seconds(10)))
        first.settle()
        let next = try HostBench(tasks, rest: "policy: {profile: apple}", at: first.directory)
        try next.host.start()
        next.settle()
        #expect(next.host.heldPushes(of: "org.test.p").count == 1)
        #expect(next.host.engine.pendingRequest("org.test.p") != nil)
        next.clock.advance(by: .seconds(11))
        next.settle()
        #expect(next.host.heldPushes(of: "org.test.p").isEmpty)
        #expect(next.host.engine.pendingRequest("org.test.p") == nil)
    }

    @Test("has a new number in the next host, although no message is held any more")
    func numbers() throws {
        let tasks = HostBench.pushTask("org.test.p")
        let first = try HostBench(tasks)
        var ids: [Int64] = []
        func push(_ bench: HostBench) {
            bench.push("org.test.p") { ids += (try? $0.get().id).map { [$0] } ?? [] }
            bench.settle()
        }
        try first.host.start()
        push(first)
        first.supervisor.end(1)
        first.settle()
        #expect(try first.stored().heldPushes(of: nil).isEmpty)
        let next = try HostBench(tasks, at: first.directory).started()
        push(next)
        #expect(ids == [1, 2])
    }

    @Test(
        "is not received by webhook in a host that runs one round",
        arguments: [(false, true), (true, false)])
    func once(isOnce: Bool, listens: Bool) throws {
        let token = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-token-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: token) }
        // Other users can read the token: the webhook reports this and does not start.
        try #require(
            FileManager.default.createFile(
                atPath: token, contents: Data("0123456789abcdef0123456789abcdef".utf8),
                attributes: [.posixPermissions: 0o644]))
        let bench = try HostBench(
            HostBench.pushTask("org.test.p"),
            rest: """
                policy: {profile: server}
                push: {webhook: {listen: "127.0.0.1:1", token: \(token)}}
                """, ending: isOnce ? .afterOneRound : .never, watches: true
        ).started()
        bench.settle()
        #expect(bench.log.has("No push comes from the webhook") == listens)
    }
}
