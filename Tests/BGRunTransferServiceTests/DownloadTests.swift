// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunTransferIPC
import Foundation
import Testing

@Suite("Downloads from nginx", .timeLimit(.minutes(5)))
struct DownloadTests {
    let box: Box
    let server: WebServer

    init() throws {
        box = try Box()
        server = try WebServer(box.directory)
    }

    @Test("a file arrives complete under its name, with its parent directories")
    func whole() throws {
        let data = Data.noise(300_000)
        try server.put("a", data)
        try box.start()
        let target = box.directory + "/new/deep/a"
        let id = try box.add(.download(server.url("/files/a"), to: target))
        let end = try box.finish(id)
        #expect(end.progress.result == .completed, "\(end)")
        #expect(end.progress.file == target)
        #expect(end.progress.bytes == 300_000 && end.progress.total == 300_000)
        #expect(end.progress.status == 200)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
        #expect(box.files(in: box.directory + "/new/deep") == ["a"])
        // The umask sets the permissions of new directories.
        mkdir(box.directory + "/other", 0o777)
        func mode(_ name: String) -> mode_t? {
            var status = stat()
            return stat(box.directory + "/" + name, &status) == 0 ? status.st_mode : nil
        }
        #expect(mode("new") == mode("other") && mode("new/deep") == mode("other"))
    }

    @Test("without a destination it is a private file of the state directory")
    func temporary() throws {
        try server.put("a", Data.noise(10))
        try box.start()
        let end = try box.finish(try box.add(.download(server.url("/files/a"))))
        let file = try #require(end.progress.file)
        #expect(file == box.state.downloads + "/\(end.id)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data.noise(10))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test(
        "a download resumes after its service was killed, if the server can resume",
        arguments: [
            ("/slow/a", "plain", 206), ("/moved/a", "plain", 206), ("/slow/a", "secure", 206),
            ("/noranges/a", "plain", 200),
        ])
    func resumed(_ path: String, _ name: String, _ status: Int) throws {
        let data = Data.noise(400_000)
        try server.put("a", data)
        try box.start()
        let target = box.directory + "/a"
        var request = TransferRequest.download(
            server.url(path, of: name, host: "localhost"), to: target)
        request.authorities = server.authorities
        let id = try box.add(request)
        try box.wait(id, bytes: 50_000)
        box.killService()
        #expect(box.files(in: box.directory).contains { $0.hasSuffix(".part") })
        #expect(!box.files(in: box.directory).contains("a"))
        try box.start()
        let end = try box.finish(id)
        #expect(end.progress.result == .completed, "\(end)")
        #expect(end.progress.status == status)
        #expect((end.progress.resumedAt != nil) == (status == 206))
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
        #expect(!box.files(in: box.directory).contains { $0.hasSuffix(".part") })
    }

    @Test("a file with a wrong digest is not put into its place")
    func digest() throws {
        try server.put("a", Data("abc".utf8))
        try box.start()
        let target = box.directory + "/target/a"
        var request = TransferRequest.download(server.url("/files/a"), to: target)
        request.sha256 = String(repeating: "0", count: 64)
        let wrong = try box.finish(try box.add(request))
        #expect(wrong.progress.result == .failed && wrong.progress.failure == .wrongDigest)
        #expect(wrong.progress.problem?.contains("ba7816bf8f01cfea414140de5dae2223") == true)
        #expect(box.files(in: box.directory + "/target").isEmpty)
        request.sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try box.finish(try box.add(request)).progress.result == .completed)
    }

    @Test("an existing file is replaced atomically, and stays when its transfer fails")
    func replaced() throws {
        let target = box.directory + "/a"
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        try server.put("a", Data("new".utf8))
        try box.start()
        let failed = try box.finish(try box.add(.download(server.url("/missing"), to: target)))
        #expect(failed.progress.failure == .status && failed.progress.status == 404)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "old")
        _ = try box.finish(try box.add(.download(server.url("/files/a"), to: target)))
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "new")
    }

    @Test("an unchanged file is not downloaded again")
    func unchanged() throws {
        try server.put("a", Data.noise(100))
        try box.start()
        let target = box.directory + "/a"
        var request = TransferRequest.download(server.url("/files/a"), to: target)
        let first = try box.finish(try box.add(request))
        request.unlessTag = first.progress.tag
        let second = try box.finish(try box.add(request))
        #expect(second.progress.result == .unchanged && second.progress.status == 304)
        #expect(second.progress.file == target && second.progress.tag == first.progress.tag)
        try server.put("a", Data.noise(50))
        let third = try box.finish(try box.add(request))
        #expect(third.progress.result == .completed && third.progress.bytes == 50)
    }

    @Test("a name may be as long as the file system permits")
    func longName() throws {
        try server.put("a", Data.noise(10))
        try box.start()
        let target = box.directory + "/" + String(repeating: "ä", count: 127) + "x"
        let end = try box.finish(try box.add(.download(server.url("/files/a"), to: target)))
        #expect(end.progress.result == .completed, "\(end)")
        #expect(access(target, F_OK) == 0)
    }

    @Test("a file of others in the place of the part is not written")
    func planted() throws {
        try server.put("a", Data.noise(10))
        let target = box.directory + "/target/a"
        // Finds the name of the partial file, which another user can guess.
        try box.start()
        let first = try box.add(.download(server.url("/busy"), to: target))
        try box.wait(first) { $0.progress.failure != nil }
        let part = try #require(box.files(in: box.directory + "/target").first)
        let next = part.replacingOccurrences(of: ".bgrun-1-", with: ".bgrun-2-")
        try box.want(.cancelled, first)
        _ = try box.finish(first)
        try FileManager.default.createSymbolicLink(
            atPath: "\(box.directory)/target/\(next)", withDestinationPath: box.directory + "/users"
        )
        let end = try box.finish(try box.add(.download(server.url("/files/a"), to: target)))
        #expect(end.progress.failure == .file, "\(end)")
        let users = try String(contentsOfFile: box.directory + "/users", encoding: .utf8)
        #expect(users == "user:{PLAIN}password\n")
    }

    @Test("an empty file arrives, too")
    func empty() throws {
        try server.put("a", Data())
        try box.start()
        let end = try box.finish(
            try box.add(.download(server.url("/files/a"), to: box.directory + "/a")))
        #expect(end.progress.result == .completed && end.progress.bytes == 0)
        #expect(box.files(in: box.directory).contains("a"))
    }

    @Test("a destination that cannot be written ends the download with advice")
    func unwritable() throws {
        try server.put("a", Data.noise(10))
        try box.start()
        for target in ["/proc/nowhere/a", box.directory + "/users/a", box.directory + "/files"] {
            let end = try box.finish(try box.add(.download(server.url("/files/a"), to: target)))
            #expect(end.progress.failure == .file && end.progress.file == nil, "\(end)")
            #expect(end.progress.problem?.contains("cannot be") == true, "\(end)")
        }
    }

    @Test("a file size limit makes a download wait without loss, and it resumes afterwards")
    func full() throws {
        let data = Data.noise(3_000_000)
        try server.put("a", data)
        try box.start(limit: 1_000_000)
        let target = box.directory + "/a"
        let id = try box.add(.download(server.url("/files/a"), to: target))
        let waiting = try box.wait(id) { $0.progress.failure == .noSpace }
        #expect(waiting.progress.failures == 0, "\(waiting)")
        #expect((900_000...1_000_000).contains(waiting.progress.bytes))
        #expect(waiting.progress.retryAt != nil && !waiting.isFinished)
        try box.setLimit(nil)
        box.say(.look)
        let end = try box.finish(id)
        #expect(end.progress.result == .completed && end.progress.status == 206, "\(end)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
    }
}
