// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunTransferIPC
import CBGRunShims
import Foundation
import Testing

@Suite("Retries of transfers", .timeLimit(.minutes(5)))
struct RetryTests {
    let box: Box

    init() throws { box = try Box() }

    @Test(
        "a temporary failure is retried after the time that the server requests",
        arguments: ["429 Too Many Requests", "503 Service Unavailable", "500 Oops", "408 Timeout"])
    func passing(_ status: String) throws {
        let server = try ScriptedServer { caller in
            caller.number == 0
                ? caller.answer(status, ["Retry-After: 1"])
                : caller.answer("200 OK", [], Data("x".utf8))
        }
        try box.start()
        let id = try box.add(.download(server.url("/")))
        let waiting = try box.wait(id) { $0.progress.failure == .status }
        #expect(waiting.progress.problem == "the server answers \(status.prefix(3))")
        let began = try #require(waiting.progress.began)
        let retryAt = try #require(waiting.progress.retryAt)
        #expect(retryAt.milliseconds - began.milliseconds >= 1_000)
        let end = try box.finish(id)
        #expect(end.progress.result == .completed && end.progress.failure == nil, "\(end)")
        #expect(server.requests.count == 2)
    }

    @Test("nginx's 503 is retried as it requests, until the tries are used up")
    func nginx() throws {
        let server = try WebServer(box.directory)
        try box.start()
        var request = TransferRequest.download(server.url("/busy"))
        request.retry.attempts = 2
        let end = try box.finish(try box.add(request))
        #expect(end.progress.failure == .status && end.progress.status == 503)
        #expect(end.progress.failures == 1, "\(end)")
    }

    @Test(
        "a permanent failure ends the transfer at once with advice",
        arguments: [("401 No", "credentials"), ("404 No", "address"), ("410 No", "address")])
    func final(_ status: String, _ advice: String) throws {
        let server = try ScriptedServer { $0.answer(status) }
        try box.start()
        let end = try box.finish(try box.add(.download(server.url("/"))))
        #expect(end.progress.result == .failed && end.progress.failure == .status)
        #expect(end.progress.problem?.contains(advice) == true)
        #expect(server.requests.count == 1)
    }

    @Test("a server that is not available yet is found later")
    func refused() throws {
        let place = try WebServer.Socket()
        close(place.descriptor)
        try box.start()
        var request = TransferRequest.download("http://127.0.0.1:\(place.port)/")
        request.retry.attempts = 3
        let end = try box.finish(try box.add(request))
        #expect(end.progress.failure == .cannotConnect && end.progress.failures == 2, "\(end)")
    }

    @Test("a server that is silent for the request's timeout is disconnected")
    func silent() throws {
        let server = try ScriptedServer { caller in
            caller.number == 0 ? caller.drain() : caller.answer("200 OK", [], Data("x".utf8))
        }
        try box.start()
        var request = TransferRequest.download(server.url("/"))
        request.requestTimeout = .milliseconds(150)
        let id = try box.add(request)
        let waiting = try box.wait(id) { $0.progress.failure != nil || $0.isFinished }
        #expect(waiting.progress.failure == .timedOut, "\(waiting)")
        #expect(try box.finish(id).progress.result == .completed)
    }

    @Test("a transfer fails at the resource's timeout, whatever it waits for")
    func tooLate() throws {
        let server = try ScriptedServer { $0.answer("503 No", ["Retry-After: 3600"]) }
        try box.start()
        var request = TransferRequest.download(server.url("/"))
        request.resourceTimeout = .milliseconds(300)
        let end = try box.finish(try box.add(request))
        #expect(end.progress.failure == .timedOut && end.progress.result == .failed)
        #expect(end.progress.problem?.contains("503") == true, "\(end)")
    }

    @Test("a first try that runs at its timeout fails")
    func tooSlow() throws {
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\na")
            caller.drain()
        }
        try box.start()
        var request = TransferRequest.download(server.url("/"), to: box.directory + "/target")
        request.resourceTimeout = .milliseconds(300)
        request.requestTimeout = .seconds(5)
        let end = try box.finish(try box.add(request))
        #expect(end.progress.failure == .timedOut && end.progress.result == .failed)
        #expect(end.progress.problem?.contains("last:") == false, "\(end)")
    }

    @Test("a file that arrives in time does not time out while its row cannot be stored")
    func inTime() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { $0.answerInHalves(at: gate) }
        try box.start()
        var request = TransferRequest.download(server.url("/"), to: box.directory + "/target")
        request.resourceTimeout = .seconds(6)
        let id = try box.add(request)
        try box.wait(id, bytes: 1)
        var isOver = false
        let timer = try LoopTimer(box.loop) {
            isOver = true
            box.loop.stop()
        }
        // The service cannot store that the file is complete before its time ends.
        try box.setLimit(100)
        gate.signal()
        timer.set(elapsed: bgrun_boottime_ns() + request.resourceTimeout.nanoseconds)
        try box.run("the end of its time") { isOver }
        // The service checks the remaining time of all transfers.
        box.say(.look)
        try box.setLimit(nil)
        let end = try box.finish(id)
        #expect(end.progress.result == .completed, "\(end)")
    }

    @Test("without a network nothing counts as a failure, and its return causes a try at once")
    func offline() throws {
        let server = try ScriptedServer { caller in
            if caller.number > 0 { caller.answer("200 OK", [], Data("x".utf8)) }
        }
        try box.start(.offline)
        var request = TransferRequest.download(server.url("/"))
        request.retry = TransferRequest.Retry(from: .hours(1), to: .hours(5), attempts: 2)
        let id = try box.add(request)
        box.say(.conditions(.good, TransferPolicy()))
        let failed = try box.wait(id) { $0.progress.failure != nil }
        #expect(failed.progress.failures == 1)
        // A pause of an hour ends when the network is lost and returns.
        box.say(.conditions(.offline, TransferPolicy()))
        box.say(.conditions(.good, TransferPolicy()))
        #expect(try box.finish(id).progress.result == .completed)
    }

    @Test("an invalid address fails")
    func badURL() throws {
        try box.start()
        for url in ["nonsense", "ftp://127.0.0.1/a", "http://"] {
            let end = try box.finish(try box.add(.download(url)))
            #expect(end.progress.failure == .badURL, "\(url): \(end)")
        }
    }
}
