// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunStore
import BGRunTransfer
import Foundation
import Testing

@Suite("Downloads from nginx", .timeLimit(.minutes(3)))
struct DownloadTests {
    @Test("a file arrives whole under its name, with the directories above it")
    func whole() throws {
        let box = try Box()
        let server = try WebServer(box.directory)
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
    }

    @Test("without a destination it is a private file of the state directory")
    func temporary() throws {
        let box = try Box()
        let server = try WebServer(box.directory)
        try server.put("a", Data.noise(10))
        try box.start()
        let end = try box.finish(try box.add(.download(server.url("/files/a"))))
        let file = try #require(end.progress.file)
        #expect(file == box.state.downloads + "/\(end.id)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data.noise(10))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a service that is killed in the middle is gone on from where it was")
    func resumed() throws {
        let box = try Box()
        let server = try WebServer(box.directory)
        let data = Data.noise(400_000)
        try server.put("a", data)
        try box.start()
        let target = box.directory + "/a"
        let id = try box.add(.download(server.url("/slow/a"), to: target))
        try box.wait(id, bytes: 50_000)
        box.killService()
        #expect(box.files(in: box.directory).contains { $0.hasSuffix(".part") })
        #expect(!box.files(in: box.directory).contains("a"))
        try box.start()
        let end = try box.finish(id)
        #expect(end.progress.result == .completed, "\(end)")
        #expect(end.progress.status == 206)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
        #expect(!box.files(in: box.directory).contains { $0.hasSuffix(".part") })
    }
}
