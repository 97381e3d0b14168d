// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@Suite("A hostile web server", .timeLimit(.minutes(5)))
struct HostileServerTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        var name: String
        /// The required result of the download; nil: any result.
        var result: TransferResult?
        var attempts = 1
        var script: @Sendable (ScriptedServer.Caller) -> Void
        var testDescription: String { name }
    }

    private static let body = Data.noise(3_000)

    private static func head(_ fields: String...) -> String {
        (["HTTP/1.1 200 OK"] + fields + ["", ""]).joined(separator: "\r\n")
    }

    private static let answers: [Answer] = [
        Answer(name: "a length over 2^64", result: .failed) {
            $0.send(head("Content-Length: 99999999999999999999999") + "short")
        },
        Answer(name: "a negative length", result: nil) {
            $0.answer("200 OK", ["Content-Length: -5"], body)
        },
        Answer(name: "two lengths", result: nil) {
            $0.answer("200 OK", ["Content-Length: 5", "Content-Length: 3000"], body)
        },
        Answer(name: "a length with chunks", result: nil) {
            $0.send(
                head("Content-Length: 2", "Transfer-Encoding: chunked") + "5\r\nabcde\r\n0\r\n\r\n")
        },
        Answer(name: "a chunk over 2^64", result: .failed) {
            $0.send(head("Transfer-Encoding: chunked") + "fffffffffffffffff\r\nabc")
        },
        Answer(name: "a head without end", result: .failed) { caller in
            caller.send("HTTP/1.1 200 OK\r\n")
            for number in 0..<40_000 { caller.send("X-\(number): \(number)\r\n") }
        },
        Answer(name: "one field of 2 MB", result: .failed) {
            $0.send("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 2 << 20) + "\r\n\r\n")
        },
        Answer(name: "a hundred informational answers", result: nil) { caller in
            for _ in 0..<100 { caller.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") }
            caller.answer("200 OK", [], body)
        },
        Answer(name: "a redirect to a file", result: .failed) {
            $0.answer("302 Found", ["Location: file:///etc/passwd"])
        },
        Answer(name: "a redirect to gopher", result: .failed) {
            $0.answer("302 Found", ["Location: gopher://127.0.0.1:70/1"])
        },
        Answer(name: "a redirect to itself", result: .failed) {
            $0.answer("302 Found", ["Location: /a"])
        },
        Answer(name: "redirects without end", result: .failed) {
            $0.answer("302 Found", ["Location: /\($0.number)"])
        },
        Answer(name: "a redirect to nowhere", result: .failed) {
            $0.answer("302 Found", ["Location: http://[::"])
        },
        Answer(name: "a body that says it is packed", result: .completed) {
            $0.answer("200 OK", ["Content-Encoding: gzip"], body)
        },
        Answer(name: "part of a file that was requested whole", result: .failed) {
            $0.answer("206 Partial Content", ["Content-Range: bytes 5-9/2"], body)
        },
        Answer(name: "a range of extremes", result: .failed) {
            $0.answer(
                "206 Partial Content",
                ["Content-Range: bytes 0-9223372036854775807/9223372036854775807"], body)
        },
        Answer(name: "not modified, without a condition in the request", result: .failed) {
            $0.answer("304 Not Modified")
        },
        Answer(name: "to be asked again in 10^30 seconds", result: .completed, attempts: 2) {
            $0.number == 0
                ? $0.answer(
                    "503 Service Unavailable", ["Retry-After: 1000000000000000000000000000000"])
                : $0.answer("200 OK", [], body)
        },
        Answer(name: "a status of no class", result: nil) { $0.send("HTTP/1.1 999\r\n\r\n") },
        Answer(name: "a status that is not a number", result: .failed) {
            $0.send("HTTP/1.1 abc OK\r\n\r\n")
        },
        Answer(name: "a date of the year 10^12", result: .completed) {
            $0.answer(
                "200 OK",
                [
                    "Last-Modified: Sun, 06 Nov 999999999999 08:49:37 GMT",
                    "Date: Sun, 06 Nov 1994 99:99:99 GMT",
                ], body)
        },
        Answer(name: "nothing", result: .failed) { _ in },
        Answer(name: "zeros", result: .failed) { $0.send(Data(count: 100_000)) },
    ]

    @Test(
        "ends only its own transfer, and the next one of the service completes", arguments: answers)
    func answer(_ answer: Answer) throws {
        let box = try Box()
        let hostile = try ScriptedServer(answer.script)
        let honest = try ScriptedServer { $0.answer("200 OK", [], Self.body) }
        try box.start()
        let target = box.directory + "/file"
        var request = TransferRequest.download(hostile.url("/a"), to: target)
        request.retry.attempts = answer.attempts
        let end = try box.finish(try box.add(request))
        #expect(end.progress.result != nil)
        if let expected = answer.result { #expect(end.progress.result == expected, "\(end)") }
        let content = try? Data(contentsOf: URL(fileURLWithPath: target))
        #expect(end.progress.result == .completed || content == nil, "\(end)")
        #expect(content.map { $0.starts(with: Data("root:".utf8)) } != true)
        let other = box.directory + "/other"
        let next = try box.finish(
            try box.add(TransferRequest.download(honest.url("/b"), to: other)))
        #expect(next.progress.result == .completed, "\(next)")
    }
}
