// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Glibc
import Testing

@Suite("A transfer that may not leave a directory", .timeLimit(.minutes(5)))
struct ConfinedPlaceTests {
    /// A box with the directories `home` and `other`, and a file `other/victim`.
    private static func box() throws -> Box {
        let box = try Box()
        for name in ["home", "other"] { mkdir("\(box.directory)/\(name)", 0o700) }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: box.directory + "/other/victim"))
        return box
    }

    private static func download(_ url: String, to file: String, in box: Box) -> TransferRequest {
        var request = TransferRequest.download(url, to: "\(box.directory)/home/\(file)")
        request.within = box.directory + "/home"
        return request
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("creates its directories and replaces its file there")
    func plain() throws {
        let box = try Self.box()
        let server = try ScriptedServer { $0.answer("200 OK", [], Data("new".utf8)) }
        try box.start()
        for _ in 0..<2 {
            let end = try box.finish(
                try box.add(Self.download(server.url("/"), to: "a/b/c", in: box)))
            #expect(end.progress.result == .completed, "\(end)")
            #expect(end.progress.file == box.directory + "/home/a/b/c")
        }
        #expect(try Self.text(box.directory + "/home/a/b/c") == "new")
        #expect(box.files(in: box.directory + "/home/a/b") == ["c"])
    }

    @Test("fails if a directory on the way is a link", arguments: ["a/victim", "a/b/victim"])
    func links(_ file: String) throws {
        let box = try Self.box()
        let server = try ScriptedServer { $0.answer("200 OK", [], Data("new".utf8)) }
        #expect(symlink("../other", box.directory + "/home/a") == 0)
        try box.start()
        let end = try box.finish(try box.add(Self.download(server.url("/"), to: file, in: box)))
        #expect(end.progress.failure == .file, "\(end)")
        #expect(try Self.text(box.directory + "/other/victim") == "mine")
        #expect(box.files(in: box.directory + "/other") == ["victim"])
        #expect(server.requests.isEmpty)
    }

    @Test("replaces a link at its destination, and not the file to which that leads")
    func destination() throws {
        let box = try Self.box()
        let server = try ScriptedServer { $0.answer("200 OK", [], Data("new".utf8)) }
        #expect(symlink("../other/victim", box.directory + "/home/a") == 0)
        try box.start()
        let end = try box.finish(try box.add(Self.download(server.url("/"), to: "a", in: box)))
        #expect(end.progress.result == .completed, "\(end)")
        #expect(try Self.text(box.directory + "/other/victim") == "mine")
        #expect(try Self.text(box.directory + "/home/a") == "new")
    }

    @Test("sends no file to which a link leads", arguments: ["link", "directory/victim"])
    func upload(_ file: String) throws {
        let box = try Self.box()
        let server = try ScriptedServer { $0.answer("200 OK", [], Data()) }
        #expect(symlink("../other/victim", box.directory + "/home/link") == 0)
        #expect(symlink("../other", box.directory + "/home/directory") == 0)
        try Data("own".utf8).write(to: URL(fileURLWithPath: box.directory + "/home/own"))
        try box.start()
        func send(_ file: String) throws -> Transfer {
            var request = TransferRequest.upload(
                "\(box.directory)/home/\(file)", to: server.url("/"))
            request.within = box.directory + "/home"
            return try box.finish(try box.add(request))
        }
        #expect(try send(file).progress.failure == .file)
        #expect(server.requests.isEmpty)
        #expect(try send("own").progress.result == .completed)
    }

    @Test("does not resume from a part elsewhere", arguments: ["other/victim", "home/a/victim"])
    func part(_ part: String) throws {
        let box = try Self.box()
        let server = try ScriptedServer { $0.answer("200 OK", [], Data("new".utf8)) }
        #expect(symlink("../other", box.directory + "/home/a") == 0)
        try box.start()
        var request = Self.download(server.url("/"), to: "b", in: box)
        request.resume = .init(file: "\(box.directory)/\(part)", validator: "\"v\"")
        let end = try box.finish(try box.add(request))
        #expect(end.progress.result == .completed, "\(end)")
        #expect(try Self.text(box.directory + "/home/b") == "new")
        #expect(try Self.text(box.directory + "/other/victim") == "mine")
    }
}
