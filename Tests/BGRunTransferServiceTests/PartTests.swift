// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTransferIPC
import Foundation
import Glibc
import Testing

@Suite("The row of a download and its part", .timeLimit(.minutes(5)))
struct PartTests {
    @Test("do not mix two versions if the row could not be stored in between")
    func mixed() throws {
        let box = try Box()
        let (old, new) = (Data.noise(200_000), Data.noise(150_000, seed: 2))
        let (gate, cut) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try ScriptedServer { caller in
            switch caller.number {
            case 0:
                caller.answer(
                    "200 OK", ["ETag: \"one\"", "Content-Length: 200000"], old.prefix(90_000))
            case 1, 2:
                if caller.number == 1 { gate.wait() }
                caller.answer("200 OK", ["ETag: \"two\""], new)
                caller.drain()
                cut.signal()
            default:
                guard let offset = caller.offset else {
                    return caller.answer("200 OK", ["ETag: \"one\""], old)
                }
                caller.answer(
                    "206 Partial Content",
                    ["ETag: \"one\"", "Content-Range: bytes \(offset)-199999/200000"],
                    old[offset...])
            }
        }
        try box.start()
        let target = box.directory + "/target"
        let id = try box.add(.download(server.url("/"), to: target))
        try box.wait(id) { $0.progress.isRunning && $0.progress.failures == 1 }
        try box.setLimit(100)
        gate.signal()
        cut.wait()
        box.say(.look)
        // The server receives another request only if the service changes the partial file first.
        _ = cut.wait(timeout: .now() + 1)
        box.killService()
        try box.start()
        #expect(try box.finish(id).progress.result == .completed)
        let content = try Data(contentsOf: URL(fileURLWithPath: target))
        #expect(content == old || content == new, "\(server.requests)")
    }

    @Test("give the owner the right to write the part of a read-only file")
    func readOnly() throws {
        let box = try Box()
        let gate = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { $0.answerInHalves(at: gate) }
        let target = box.directory + "/target"
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        chmod(target, 0o400)
        try box.start()
        let id = try box.add(.download(server.url("/"), to: target))
        try box.wait(id, bytes: 1)
        var status = stat()
        #expect(stat(try box.partial(of: id), &status) == 0 && status.st_mode & 0o777 == 0o600)
        gate.signal()
        #expect(try box.finish(id).progress.result == .completed)
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o400)
    }
}
