// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@Suite("Interrupted downloads", .timeLimit(.minutes(5)))
struct ResumeTests {
    private static let data = Data.noise(200_000)
    private static let other = Data.noise(150_000, seed: 2)
    private static let tag = "ETag: \"one\""

    /// Runs a download from `script` to its end, and returns it with the content of the file.
    private static func run(
        _ change: (inout TransferRequest) -> Void = { _ in },
        _ script: @escaping @Sendable (ScriptedServer.Caller) -> Void
    ) throws -> (end: Transfer, content: Data?, requests: [String]) {
        let box = try Box()
        let server = try ScriptedServer(script)
        try box.start()
        let target = box.directory + "/file"
        var request = TransferRequest.download(server.url("/a"), to: target)
        change(&request)
        let end = try box.finish(try box.add(request))
        #expect(!box.files(in: box.directory).contains { $0.hasSuffix(".part") })
        let content = try? Data(contentsOf: URL(fileURLWithPath: target))
        return (end, content, server.requests)
    }

    private static func rest(_ offset: Int, of data: Data = data) -> [String] {
        ["Content-Range: bytes \(offset)-\(data.count - 1)/\(data.count)"]
    }

    @Test("a truncated body is resumed where it ended, with its tag")
    func cut() throws {
        let (end, content, requests) = try Self.run { caller in
            let offset = caller.offset ?? 0
            let body = Self.data[offset...]
            let length = "Content-Length: \(body.count)"
            // Sends a quarter of the missing bytes, three times.
            caller.answer(
                offset == 0 ? "200 OK" : "206 Partial Content",
                [Self.tag, length] + (offset == 0 ? [] : Self.rest(offset)),
                caller.number < 3 ? body.prefix(body.count / 4) : body)
        }
        #expect(end.progress.result == .completed, "\(end)")
        #expect(content == Self.data)
        #expect(requests.count == 4)
        #expect(requests.dropFirst().allSatisfy { $0.contains("If-Range: \"one\"\r\n") })
    }

    @Test("received bytes reset the number of failures, so that many interruptions are survived")
    func manyCuts() throws {
        let (end, content, requests) = try Self.run {
            $0.retry.attempts = 2
        } _: { caller in
            let offset = caller.offset ?? 0
            let body = Self.data[offset...]
            caller.answer(
                offset == 0 ? "200 OK" : "206 Partial Content",
                [Self.tag, "Content-Length: \(body.count)"]
                    + (offset == 0 ? [] : Self.rest(offset)), body.prefix(20_000))
        }
        #expect(end.progress.result == .completed, "\(end)")
        #expect(content == Self.data && requests.count == 10)
    }

    @Test("a file that has changed meanwhile is downloaded again, never mixed")
    func changed() throws {
        let (end, content, _) = try Self.run { caller in
            if caller.number == 0 {
                caller.answer(
                    "200 OK", [Self.tag, "Content-Length: 200000"], Self.data.prefix(90_000))
            } else {
                caller.answer("200 OK", ["ETag: \"two\""], Self.other)
            }
        }
        #expect(end.progress.result == .completed && end.progress.total == 150_000)
        #expect(content == Self.other)
    }

    @Test(
        "an answer that does not fit the part is requested again",
        arguments: [
            ["Content-Range: bytes 0-199999/200000"], ["Content-Range: bytes 90000-149999/150000"],
            ["Content-Range: bytes 90000-199999/200000", "ETag: \"two\""], [],
        ])
    func misfit(_ fields: [String]) throws {
        let (end, content, requests) = try Self.run { caller in
            switch caller.number {
            case 0:
                caller.answer(
                    "200 OK", [Self.tag, "Content-Length: 200000"], Self.data.prefix(90_000))
            case 1:
                caller.answer("206 Partial Content", fields, Self.data.suffix(110_000))
            default:
                caller.answer("200 OK", [Self.tag], Self.other)
            }
        }
        #expect(end.progress.result == .completed, "\(end)")
        #expect(content == Self.other)
        #expect(requests.count == 3 && !requests[2].contains("Range:"))
    }

    @Test(
        "a file without a validator is requested completely",
        arguments: [[], ["ETag: W/\"one\""], [tag, "Accept-Ranges: none"]])
    func notResumable(_ fields: [String]) throws {
        let (end, content, requests) = try Self.run { caller in
            let isCut = caller.number == 0
            caller.answer(
                "200 OK", fields + ["Content-Length: 200000"],
                isCut ? Self.data.prefix(90_000) : Self.data)
        }
        #expect(end.progress.result == .completed)
        #expect(content == Self.data)
        #expect(!requests[1].contains("Range:"))
    }

    @Test("a file with a digest is resumed, and downloaded again if the digest is wrong")
    func mixed() throws {
        let sum = "sha256sum".run(on: Self.data)
        let (end, content, requests) = try Self.run {
            $0.sha256 = sum
        } _: { caller in
            switch caller.number {
            case 0:
                caller.answer("200 OK", ["Content-Length: 200000"], Self.other.prefix(90_000))
            case 1:
                caller.answer(
                    "206 Partial Content", Self.rest(90_000), Self.data.suffix(110_000))
            default: caller.answer("200 OK", [], Self.data)
            }
        }
        #expect(end.progress.result == .completed, "\(end)")
        #expect(content == Self.data && requests.count == 3)
    }

    @Test("a file of unknown length is requested from its end, and 416 means that it is complete")
    func nothingMissing() throws {
        let (end, content, _) = try Self.run { caller in
            guard let offset = caller.offset else {
                let head = "HTTP/1.1 200 OK\r\n\(Self.tag)\r\nTransfer-Encoding: chunked\r\n\r\n"
                caller.send(head + String(Self.data.count, radix: 16) + "\r\n")
                // Sends all bytes, but not the last chunk.
                return caller.send(Self.data + Data("\r\n".utf8))
            }
            caller.answer("416 Range Not Satisfiable", ["Content-Range: bytes */\(offset)"])
        }
        #expect(end.progress.result == .completed, "\(end)")
        #expect(content == Self.data && end.progress.total == 200_000)
    }

    @Test("an answer longer than announced is cut to its announced length")
    func tooLong() throws {
        let (end, content, _) = try Self.run { caller in
            caller.answer("200 OK", [Self.tag, "Content-Length: 1000"], Self.data)
        }
        #expect(end.progress.result == .completed && end.progress.bytes == 1_000)
        #expect(content == Self.data.prefix(1_000))
    }

    @Test("an answer that is always shorter than announced fails in the end")
    func tooShort() throws {
        let (end, content, _) = try Self.run {
            $0.retry.attempts = 3
        } _: { caller in
            let offset = caller.offset ?? 0
            let body = Self.data.prefix(1_000)
            if offset < 1_000 {
                caller.answer("200 OK", [Self.tag, "Content-Length: 2000"], body)
            } else {
                caller.answer("416 Range Not Satisfiable", ["Content-Range: bytes */1000"])
            }
        }
        #expect(end.progress.result == .failed, "\(end)")
        #expect(end.progress.failure == .connectionLost && content == nil)
    }

    @Test("an answer that is not HTTP leaves no file")
    func noHTTP() throws {
        let (end, content, _) = try Self.run { $0.send(Self.data) }
        #expect(end.progress.result == .failed && content == nil, "\(end)")
    }
}

extension String {
    /// The output of the program with this name for `data`, up to the first space.
    fileprivate func run(on data: Data) -> String {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(self)")
        process.standardInput = input
        process.standardOutput = output
        guard (try? process.run()) != nil else { return "" }
        input.fileHandleForWriting.write(data)
        input.fileHandleForWriting.closeFile()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return String(text.prefix { $0 != " " })
    }
}
