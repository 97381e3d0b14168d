// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@Suite("Uploads", .timeLimit(.minutes(5)))
struct UploadTests {
    let box: Box

    init() throws { box = try Box() }

    @Test("nginx receives the complete file", arguments: [0, 10, 3_000_000])
    func put(_ size: Int) throws {
        let server = try WebServer(box.directory)
        let source = try box.source(.noise(size))
        try box.start()
        let end = try box.finish(try box.add(.upload(source, to: server.url("/put/a"))))
        #expect(end.progress.result == .completed && end.progress.status == 201, "\(end)")
        #expect(end.progress.bytes == Int64(size) && end.progress.total == Int64(size))
        let there = try Data(contentsOf: URL(fileURLWithPath: server.directory + "/put/a"))
        #expect(there == Data.noise(size))
    }

    @Test("the answer of the server is kept for any method")
    func answer() throws {
        let server = try ScriptedServer { caller in
            caller.answer("200 OK", ["X-Id: 7"], Data("taken".utf8))
            caller.drain()
        }
        let source = try box.source(Data("abc".utf8))
        try box.start()
        var request = TransferRequest.upload(source, to: server.url("/"))
        request.method = "POST"
        request.headers = [.init("Content-Type", "text/plain")]
        let end = try box.finish(try box.add(request))
        #expect(end.progress.result == .completed, "\(end)")
        let file = try #require(end.progress.file)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "taken")
        #expect(end.progress.responseHeaders?.contains("\"x-id\":\"7\"") == true)
        let head = try #require(server.requests.first)
        #expect(head.hasPrefix("POST / HTTP/1.1") && head.contains("Content-Length: 3"))
        #expect(head.contains("Content-Type: text/plain"))
    }

    @Test("an interrupted upload is sent again from its beginning")
    func again() throws {
        let server = try ScriptedServer { caller in
            guard caller.number > 0 else { return }
            caller.answer(caller.readBody(500_000) == 0 ? "204 No Content" : "400 Bad", [])
        }
        let source = try box.source(.noise(500_000))
        try box.start()
        let end = try box.finish(try box.add(.upload(source, to: server.url("/"))))
        #expect(end.progress.result == .completed && end.progress.file == nil, "\(end)")
        #expect(server.requests.count == 2)
    }

    @Test(
        "a redirected upload is sent again completely",
        arguments: ["307 Temporary Redirect", "308 P"])
    func ledOn(_ status: String) throws {
        let server = try ScriptedServer { caller in
            let left = caller.readBody(1_000)
            if caller.number == 0 {
                caller.answer(status, ["Location: /there", "Connection: close"])
            } else {
                caller.answer(left == 0 ? "204 No Content" : "400 Bad", [])
            }
        }
        let source = try box.source(.noise(1_000))
        try box.start()
        let end = try box.finish(try box.add(.upload(source, to: server.url("/"))))
        #expect(end.progress.result == .completed, "\(end)")
        #expect(server.requests.last?.hasPrefix("PUT /there") == true, "\(server.requests)")
        #expect(server.requests.count == 2)
    }

    @Test("a file that changes while it is sent ends the upload")
    func changes() throws {
        let source = try box.source(.noise(100_000))
        let server = try ScriptedServer { caller in
            // The file changes while the service reads the body.
            try? Data.noise(100_000, seed: 3).write(to: URL(fileURLWithPath: source))
            caller.answer("200 OK")
            caller.drain()
        }
        try box.start()
        let end = try box.finish(try box.add(.upload(source, to: server.url("/"))))
        #expect(end.progress.failure == .file, "\(end)")
        #expect(end.progress.problem?.contains("has changed") == true)
    }

    @Test("a missing file ends the upload")
    func missing() throws {
        try box.start()
        let end = try box.finish(try box.add(.upload("/nowhere", to: "http://127.0.0.1:1/")))
        #expect(end.progress.failure == .file)
        #expect(end.progress.problem?.contains("/nowhere cannot be read") == true)
    }
}
