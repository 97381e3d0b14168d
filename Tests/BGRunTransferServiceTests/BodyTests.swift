// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTransferIPC
import Foundation
import Glibc
import Testing

@Suite("Bodies from a server", .timeLimit(.minutes(5)))
struct BodyTests {
    @Test("the long body of a failure is not awaited")
    func unwanted() throws {
        let box = try Box()
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 404 No\r\nContent-Length: 10000000\r\nConnection: close\r\n\r\n")
            caller.send(.noise(200_000))
            caller.drain()
        }
        try box.start()
        var request = TransferRequest.download(server.url("/"))
        request.requestTimeout = .seconds(20)
        request.retry.attempts = 1
        let end = try box.finish(try box.add(request))
        #expect(end.progress.failure == .status && end.progress.status == 404, "\(end)")
    }

    @Test("the size of a body of unknown length is known when all of it has come")
    func finalSize() throws {
        let box = try Box()
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            caller.send("a\r\n0123456789\r\n0\r\n\r\n")
        }
        try box.start()
        let end = try box.finish(try box.add(.download(server.url("/"))))
        #expect(end.progress.result == .completed, "\(end)")
        #expect(end.progress.bytes == 10 && end.progress.total == 10)
    }

    @Test(
        "a body of unknown length leaves room on the disk for others",
        .enabled(if: SmallDisk.isPossible))
    func unknownLength() throws {
        let box = try Box()
        let disk = try SmallDisk(in: box.directory, megabytes: 40)
        // After 16 MiB, at the check, 350 kB are free: less than a hundredth of the disk.
        let others = (40 << 20) - Int(SizeRule.lookEvery) - 350_000
        try Data(count: others).write(to: URL(fileURLWithPath: disk.path + "/others"))
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nConnection: close\r\n\r\n")
            caller.send(Data(count: 20 << 20))
        }
        try box.start()
        let id = try box.add(.download(server.url("/a"), to: disk.path + "/a"))
        let waiting = try box.wait(id) { $0.progress.failure != nil || $0.isFinished }
        #expect(waiting.progress.failure == .noSpace, "\(waiting)")
        var status = statvfs()
        #expect(statvfs(disk.path, &status) == 0 && status.f_bavail > 0)
    }

    @Test("the part agrees with its row until the row restarts it")
    func rowBeforePart() throws {
        let box = try Box()
        let (old, new) = (Data.noise(200_000), Data.noise(150_000, seed: 2))
        let (gate, cut) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try ScriptedServer { caller in
            if caller.number == 0 {
                return caller.answer(
                    "200 OK", ["ETag: \"one\"", "Content-Length: 200000"], old.prefix(90_000))
            }
            if caller.number == 1 { gate.wait() }
            caller.answer("200 OK", ["ETag: \"two\""], new)
            caller.drain()
            if caller.number == 1 { cut.signal() }
        }
        try box.start()
        let target = box.directory + "/target"
        let id = try box.add(.download(server.url("/"), to: target))
        try box.wait(id) { $0.progress.isRunning && $0.progress.failures == 1 }
        // The row cannot be stored: the next service would use the old row.
        try box.setLimit(100)
        gate.signal()
        cut.wait()
        #expect(try box.transfer(id).progress.validator == "\"one\"")
        let part = URL(fileURLWithPath: try box.partial(of: id))
        #expect(try Data(contentsOf: part) == old.prefix(90_000))
        try box.setLimit(nil)
        box.say(.look)
        #expect(try box.finish(id).progress.result == .completed)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == new)
    }

    @Test("a file that replaces another has the permissions of that one")
    func permissions() throws {
        let box = try Box()
        let gate = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { $0.answerInHalves(at: gate) }
        let target = box.directory + "/target"
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        chmod(target, 0o600)
        try box.start()
        let id = try box.add(.download(server.url("/"), to: target))
        try box.wait(id, bytes: 1)
        chmod(target, 0o644)
        gate.signal()
        #expect(try box.finish(id).progress.result == .completed)
        var status = stat()
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o644)
    }
}
