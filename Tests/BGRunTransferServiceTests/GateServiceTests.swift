// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import Foundation
import Synchronization
import Testing

@Suite("The gate of the transfer service", .timeLimit(.minutes(5)))
struct GateServiceTests {
    let box: Box
    let server: WebServer
    let target: String
    let data = Data.noise(300_000)

    init() throws {
        box = try Box()
        server = try WebServer(box.directory)
        target = box.directory + "/target"
        try server.put("a", data)
    }

    /// A download that takes long enough to be interrupted.
    private func slow(_ change: (inout TransferRequest) -> Void = { _ in }) throws -> Int64 {
        var request = TransferRequest.download(server.url("/slow/a"), to: target)
        change(&request)
        return try box.add(request)
    }

    private func expectWhole(_ end: Transfer) throws {
        #expect(end.progress.result == .completed, "\(end)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
    }

    @Test(
        "a discretionary download pauses when a condition is lost, and resumes from there",
        arguments: [TransferConditions.metered, .battery, .offline])
    func discretionary(_ lost: TransferConditions) throws {
        try box.start()
        let id = try slow { $0.isDiscretionary = true }
        try box.wait(id, bytes: 20_000)
        box.say(.conditions(lost, TransferPolicy()))
        let paused = try box.wait(id) { !$0.progress.isRunning }
        #expect(paused.progress.bytes >= 20_000 && paused.progress.failures == 0)
        box.say(.conditions(.good, TransferPolicy()))
        let end = try box.finish(id)
        #expect(end.progress.status == 206)
        try expectWhole(end)
    }

    @Test("a download on any network continues")
    func undemanding() throws {
        try box.start(.metered)
        try expectWhole(try box.finish(try slow()))
    }

    @Test(
        "without a host a discretionary download stops until the next service resumes it")
    func hostGone() throws {
        try box.start()
        let id = try slow { $0.isDiscretionary = true }
        try box.wait(id, bytes: 20_000)
        box.hangUp()
        #expect(box.reap() == 0)
        let paused = try box.transfer(id)
        #expect(!paused.progress.isRunning && paused.progress.bytes >= 20_000)
        try box.start()
        try expectWhole(try box.finish(id))
    }

    @Test("without a host other downloads continue to their end, then the service ends")
    func outlivesHost() throws {
        try box.start()
        let id = try slow()
        try box.wait(id, bytes: 20_000)
        box.hangUp()
        #expect(box.reap() == 0)
        try expectWhole(try box.transfer(id))
        #expect(!box.files(in: box.state.path).contains("service.sock"))
    }

    @Test(
        "a suspended download stops until it is resumed",
        arguments: [Transfer.Wanted.suspended, .paused])
    func suspended(_ wanted: Transfer.Wanted) throws {
        try box.start()
        let id = try slow()
        try box.wait(id, bytes: 20_000)
        try box.want(wanted, id)
        try box.wait(id) { !$0.progress.isRunning }
        try box.want(.run, id)
        try expectWhole(try box.finish(id))
    }

    @Test("a cancelled download leaves nothing")
    func cancelled() throws {
        try box.start()
        let id = try slow()
        try box.wait(id, bytes: 20_000)
        try box.want(.cancelled, id)
        let end = try box.finish(id)
        #expect(end.progress.result == .cancelled && end.progress.file == nil)
        #expect(!box.files(in: box.directory).contains { $0.contains("target") })
    }

    @Test("a download cancelled with resume data leaves its part, from which another resumes")
    func resumable() throws {
        try box.start()
        let first = try slow()
        try box.wait(first, bytes: 20_000)
        try box.want(.cancelledResumable, first)
        let left = try box.finish(first).progress
        let part = try #require(left.file)
        #expect(left.result == .cancelled && left.syncedBytes == left.bytes)
        let second = try slow {
            $0.resume = .init(file: part, validator: left.validator ?? "")
        }
        let end = try box.finish(second)
        #expect(end.progress.status == 206)
        try expectWhole(end)
        #expect(!box.files(in: box.directory).contains { $0.hasSuffix(".part") })
    }

    @Test("a download does not begin before its earliest date")
    func earliest() throws {
        try box.start()
        let date = Box.now.advanced(by: .milliseconds(500))
        let id = try slow { $0.earliest = date }
        let end = try box.finish(id)
        #expect(try #require(end.progress.began) >= date)
        try expectWhole(end)
    }

    @Test("the budget limits metered networks only")
    func budget() throws {
        let policy = TransferPolicy(meteredBudget: 50_000)
        try box.start(.metered, policy: policy)
        let id = try slow()
        let paused = try box.wait(id) { $0.progress.bytes >= 50_000 && !$0.progress.isRunning }
        #expect(paused.progress.bytes < 300_000)
        box.say(.conditions(.good, policy))
        try expectWhole(try box.finish(id))
    }

    @Test("the number of connections to a server is limited", arguments: [1, 3])
    func connections(_ limit: Int) throws {
        let open = Counter()
        let server = try ScriptedServer { caller in
            open.enter()
            // A client that has the last byte may connect again before the next line here runs.
            caller.answer("200 OK", ["Content-Length: 1000"], Data.noise(999))
            open.leave()
            caller.send("x")
        }
        try box.start(policy: TransferPolicy(connections: limit))
        let ids = try (0..<20).map { _ in try box.add(.download(server.url("/"))) }
        for id in ids { #expect(try box.finish(id).progress.result == .completed) }
        #expect((1...limit).contains(open.most))
    }

    @Test("the rate is limited")
    func rate() throws {
        try box.start()
        var request = TransferRequest.download(server.url("/files/a"), to: target)
        request.rate = 200_000
        let end = try box.finish(try box.add(request))
        try expectWhole(end)
        let (began, finished) = (end.progress.began, end.progress.finished)
        let took = try #require(finished).milliseconds - #require(began).milliseconds
        #expect(took > 500, "300 kB at 200 kB/s in \(took) ms")
    }

    @Test(
        "a service that ends by order or SIGTERM syncs its files",
        arguments: [true, false])
    func stopped(_ byOrder: Bool) throws {
        try box.start()
        let id = try slow()
        try box.wait(id, bytes: 20_000)
        if byOrder { box.say(.stop) } else { kill(box.process, SIGTERM) }
        #expect(box.reap() == 0)
        let progress = try box.transfer(id).progress
        #expect(!progress.isRunning && progress.bytes >= 20_000)
        #expect(progress.syncedBytes == progress.bytes)
        try box.start()
        try expectWhole(try box.finish(id))
    }

    @Test("a second service for an app ends at once")
    func single() throws {
        let server = try ScriptedServer { $0.drain() }
        try box.start()
        try box.add(.download(server.url("/")))
        let second = try ServiceProcess.start(executable: Built.service, state: box.state.path)
        var status: Int32 = -1
        waitpid(second, &status, 0)
        #expect(status == 0)
    }
}

/// Counts the open connections, and their maximum.
private final class Counter: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() {
        counts.withLock { $0.now -= 1 }
    }
}
