// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunTransferIPC
import Foundation
import Glibc
import Testing

@Suite("Outcomes of transfers", .timeLimit(.minutes(5)))
struct OutcomeTests {
    let box: Box

    init() throws { box = try Box() }

    @Test("the page of a 404 answer is the file if any status is accepted")
    func page() throws {
        let server = try ScriptedServer { caller in
            caller.answer("404 Not Found", ["X-Why: gone"], Data("no such episode".utf8))
        }
        try box.start()
        var request = TransferRequest.download(server.url("/"))
        request.acceptsAnyStatus = true
        request.sha256 = String(repeating: "a", count: 64)
        let end = try box.finish(try box.add(request))
        #expect(end.progress.result == .completed && end.progress.status == 404, "\(end)")
        #expect(end.progress.failure == nil)
        let file = try #require(end.progress.file)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "no such episode")
        #expect(end.progress.responseHeaders?.contains("\"x-why\":\"gone\"") == true)
        request.acceptsAnyStatus = nil
        let refused = try box.finish(try box.add(request))
        #expect(refused.progress.failure == .status && refused.progress.file == nil)
    }

    @Test("a refused upload fails with the server's message")
    func refusedUpload() throws {
        let server = try ScriptedServer { caller in
            caller.answer("503 Busy", [], Data("later".utf8))
            caller.drain()
        }
        let source = try box.source(Data("abc".utf8))
        try box.start()
        var request = TransferRequest.upload(source, to: server.url("/"))
        request.acceptsAnyStatus = true
        let end = try box.finish(try box.add(request))
        #expect(end.progress.result == .completed && end.progress.status == 503, "\(end)")
        let file = try #require(end.progress.file)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "later")
        #expect(server.requests.count == 1)
    }

    @Test("a replaced private file stays private, during the download and afterwards")
    func mode() throws {
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
            caller.send(.noise(10))
            if caller.number > 0 { caller.send(.noise(10)) } else { caller.drain() }
        }
        let target = box.directory + "/secret"
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        #expect(chmod(target, 0o640) == 0)
        try box.start()
        let id = try box.add(.download(server.url("/"), to: target))
        try box.wait(id, bytes: 10)
        var status = stat()
        #expect(stat(try box.partial(of: id), &status) == 0)
        #expect(status.st_mode & 0o777 & ~0o640 == 0, "\(String(status.st_mode, radix: 8))")
        try box.want(.paused, id)
        try box.wait(id) { !$0.progress.isRunning }
        try box.want(.run, id)
        #expect(try box.finish(id).progress.result == .completed)
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    @Test("an upload whose answer is truncated is not sent twice")
    func cutAnswer() throws {
        let server = try ScriptedServer { caller in
            _ = caller.readBody(1_000)
            caller.send("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf")
        }
        let source = try box.source(.noise(1_000))
        try box.start()
        let end = try box.finish(try box.add(.upload(source, to: server.url("/"))))
        #expect(end.progress.result == .completed && end.progress.status == 201, "\(end)")
        #expect(end.progress.file == nil, "half an answer is not kept")
        #expect(server.requests.count == 1)
    }

    @Test(
        "an upload is not sent again after the service was killed with the answer's head read")
    func killedAfterHead() throws {
        let server = try ScriptedServer { caller in
            _ = caller.readBody(1_000)
            caller.send("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf")
            caller.drain()
        }
        let source = try box.source(.noise(1_000))
        try box.start()
        let id = try box.add(.upload(source, to: server.url("/")))
        try box.wait(id) { $0.progress.status == 201 }
        box.killService()
        try box.start()
        let end = try box.finish(id)
        #expect(end.progress.result == .completed, "\(end)")
        #expect(server.requests.count == 1)
    }

    @Test("a set calendar clock ends no transfer, and spent time counts")
    func clock() throws {
        let server = try ScriptedServer { $0.answer("200 OK", [], .noise(10)) }
        let ids = try (0..<2).map { _ in
            try box.store.add(.download(server.url("/")), at: Box.now)
        }
        var progress = TransferProgress()
        // As if the clock had been set forward by 50 years: the transfer began long ago in calendar time.
        progress.began = WallTime(milliseconds: 0)
        progress.activeTime = ActiveTime(spent: .days(6), counted: 0, boot: "another boot")
        try box.store.save([(ids[0], progress)], .full)
        progress.activeTime = ActiveTime(spent: .days(7), counted: 0, boot: "another boot")
        try box.store.save([(ids[1], progress)], .full)
        try box.start()
        #expect(try box.finish(ids[0]).progress.result == .completed)
        let late = try box.finish(ids[1])
        #expect(late.progress.result == .failed && late.progress.failure == .timedOut)
    }

    @Test("without a host the service uses the conditions of the last one")
    func stated() throws {
        let server = try ScriptedServer { $0.answer("200 OK", [], .noise(10)) }
        try box.store.state(.good, TransferPolicy())
        var request = TransferRequest.download(server.url("/"))
        request.allowsMetered = false
        let id = try box.add(request)
        try box.start(nil)
        #expect(try box.finish(id).progress.result == .completed)
        var forbidden = TransferConditions.good
        forbidden.isForbidden = true
        _ = box.reap()
        try box.store.state(forbidden, TransferPolicy())
        let second = try box.add(request)
        try box.start(nil)
        #expect(box.reap() == 0, "there is nothing it may do")
        #expect(try !box.transfer(second).isFinished && server.requests.count == 1)
    }

    @Test("a file that arrives at once counts in the budget of metered networks")
    func budget() throws {
        let server = try ScriptedServer { $0.answer("200 OK", [], .noise(700)) }
        try box.start(.metered)
        _ = try box.finish(try box.add(.download(server.url("/"))))
        #expect(try box.store.meteredBudget().bytes == 700)
    }
}
