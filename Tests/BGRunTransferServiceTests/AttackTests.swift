// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTransferIPC
import Foundation
import Glibc
import Testing

@Suite("Attacks by servers and other programs", .timeLimit(.minutes(5)))
struct AttackTests {
    @Test("a body that is announced to be too long is not downloaded")
    func announced() throws {
        let box = try Box()
        let server = try ScriptedServer { $0.answer("200 OK", [], .noise(5_000)) }
        try box.start()
        var request = TransferRequest.download(server.url("/"), to: box.directory + "/a")
        request.maxSize = 4_999
        let end = try box.finish(try box.add(request))
        #expect(end.progress.failure == .tooLarge && end.progress.result == .failed, "\(end)")
        #expect(end.progress.problem?.contains("over 4999 bytes") == true)
        #expect(box.files(in: box.directory).allSatisfy { !$0.contains("part") && $0 != "a" })
        request.maxSize = 5_000
        #expect(try box.finish(try box.add(request)).progress.result == .completed)
    }

    @Test("a body without an end is cut at the limit")
    func endless() throws {
        let box = try Box()
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 200 OK\r\n\r\n")
            for _ in 0..<200 { caller.send(.noise(100_000)) }
        }
        // The limit of the policy applies, because the transfer has none.
        try box.start(policy: TransferPolicy(maxSize: 300_000))
        let end = try box.finish(
            try box.add(.download(server.url("/"), to: box.directory + "/a")))
        #expect(end.progress.failure == .tooLarge, "\(end)")
        #expect(end.progress.bytes < 2_000_000)
        #expect(!box.files(in: box.directory).contains("a"))
    }

    @Test("a length out of range is invalid", arguments: ["18446744073709551620", "-5"])
    func length(_ length: String) throws {
        let box = try Box()
        let server = try ScriptedServer { caller in
            caller.answer("200 OK", ["Content-Length: \(length)"], .noise(10))
        }
        try box.start()
        var request = TransferRequest.download(server.url("/"), to: box.directory + "/a")
        request.retry.attempts = 1
        let end = try box.finish(try box.add(request))
        #expect(end.progress.result == .failed, "\(end)")
        #expect(!box.files(in: box.directory).contains("a"))
    }

    @Test("neither a password in a redirection nor the transfer's own is sent")
    func redirected() throws {
        let box = try Box()
        let other = try ScriptedServer { $0.answer("200 OK", [], Data("there".utf8)) }
        let place = other.url("/x").replacingOccurrences(of: "http://", with: "http://u:secret@")
        let server = try ScriptedServer { $0.answer("302 Found", ["Location: \(place)"]) }
        try box.start()
        let end = try box.finish(try box.add(.download(server.url("/"))))
        #expect(end.progress.result == .completed, "\(end)")
        #expect(other.requests.count == 1)
        #expect(other.requests.allSatisfy { !$0.lowercased().contains("authorization") })
    }

    @Test("a partial file that has a second name, or is a link, is not written")
    func links() throws {
        let box = try Box()
        let server = try ScriptedServer { $0.answer("200 OK", [], .noise(10)) }
        let victim = box.directory + "/victim"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
        for (number, name) in ["a", "b"].enumerated() {
            let id = try box.add(
                .download(server.url("/"), to: box.directory + "/" + name), wanted: .suspended)
            let part = try box.partial(of: id)
            let made = number == 0 ? link(victim, part) : symlink(victim, part)
            #expect(made == 0)
        }
        try box.start()
        for id in [Int64(1), 2] {
            try box.want(.run, id)
            let end = try box.finish(id)
            #expect(end.progress.result == .failed && end.progress.failure == .file, "\(end)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data("mine".utf8))
        #expect(server.requests.isEmpty)
    }
}
