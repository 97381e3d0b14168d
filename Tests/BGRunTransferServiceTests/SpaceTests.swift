// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTransferIPC
import Foundation
import Testing

/// A separate file system of a given size. Only root can create one.
final class SmallDisk {
    let path: String

    init(in directory: String, megabytes: Int) throws {
        path = directory + "/disk"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.mount("-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
    }

    func grow(to megabytes: Int) throws {
        try Self.mount("-o", "remount,size=\(megabytes)m", path)
    }

    private static func mount(_ arguments: String...) throws {
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/mount")
        tool.arguments = arguments
        try tool.run()
        tool.waitUntilExit()
        guard tool.terminationStatus == 0 else { throw Box.Trouble(description: "mount failed") }
    }

    /// Whether this process may create one.
    static let isPossible: Bool = {
        let directory = NSTemporaryDirectory() + "/bgt-mount-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        return (try? SmallDisk(in: directory, megabytes: 1)) != nil
    }()
}

@Suite("Insufficient disk space", .timeLimit(.minutes(5)), .enabled(if: SmallDisk.isPossible))
struct SpaceTests {
    @Test("a body that is announced to be too long for the disk waits until there is space")
    func announced() throws {
        let box = try Box()
        let disk = try SmallDisk(in: box.directory, megabytes: 2)
        let server = try WebServer(box.directory)
        let data = Data.noise(3_000_000)
        try server.put("a", data)
        try box.start()
        let target = disk.path + "/a"
        let id = try box.add(.download(server.url("/files/a"), to: target))
        let waiting = try box.wait(id) { $0.progress.failure != nil || $0.isFinished }
        #expect(waiting.progress.failure == .noSpace && waiting.progress.bytes == 0, "\(waiting)")
        #expect(waiting.progress.problem?.contains("3000000 bytes are still to come") == true)
        try disk.grow(to: 8)
        box.say(.look)
        #expect(try box.finish(id).progress.result == .completed)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
    }

    @Test("a download that fills the disk waits, and resumes when there is space")
    func filled() throws {
        let box = try Box()
        let disk = try SmallDisk(in: box.directory, megabytes: 2)
        let data = Data.noise(3_000_000)
        // The answer does not have a length.
        let server = try ScriptedServer { caller in
            let tag = "ETag: \"one\"\r\nConnection: close\r\n\r\n"
            if let offset = caller.offset {
                caller.send(
                    "HTTP/1.1 206 Partial Content\r\n"
                        + "Content-Range: bytes \(offset)-2999999/3000000\r\n" + tag)
                caller.send(data[offset...])
            } else {
                caller.send("HTTP/1.1 200 OK\r\n" + tag)
                caller.send(data)
            }
        }
        try box.start()
        let target = disk.path + "/a"
        let id = try box.add(.download(server.url("/a"), to: target))
        let waiting = try box.wait(id) { $0.progress.failure != nil || $0.isFinished }
        #expect(waiting.progress.failure == .noSpace, "\(waiting)")
        #expect(waiting.progress.bytes > 1_000_000 && waiting.progress.failures == 0)
        #expect(box.files(in: disk.path).allSatisfy { $0.hasSuffix(".part") })
        try disk.grow(to: 8)
        box.say(.look)
        let end = try box.finish(id)
        #expect(end.progress.result == .completed && end.progress.status == 206, "\(end)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
    }
}
