// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunTransferIPC
import Foundation
import Glibc
import Testing

@Suite("Late requests for a transfer", .timeLimit(.minutes(5)))
struct LateWishTests {
    @Test("an upload the server has confirmed is complete when it is suspended, not sent again")
    func servedUpload() throws {
        let box = try Box()
        let server = try ScriptedServer { caller in
            _ = caller.readBody(1_000)
            caller.send("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf")
            caller.drain()
        }
        let source = try box.source(.noise(1_000))
        try box.start()
        let id = try box.add(.upload(source, to: server.url("/")))
        try box.wait(id) { $0.progress.status == 201 }
        try box.want(.suspended, id)
        let end = try box.wait(id) { !$0.progress.isRunning }
        #expect(end.progress.result == .completed, "\(end)")
        #expect(server.requests.count == 1)
    }

    @Test("a download that is cancelled while its file is checked is cancelled, and leaves nothing")
    func cancelledDuringCheck() throws {
        let box = try Box()
        let (gate, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\na")
            gate.wait()
            caller.send("b")
            sent.signal()
        }
        try box.start()
        let id = try box.add(.download(server.url("/"), to: box.directory + "/target"))
        try box.wait(id, bytes: 1)
        try box.store.want(.cancelled, of: id)
        // The service receives the last byte and the request in the same round, so the check has begun.
        kill(box.process, SIGSTOP)
        waitpid(box.process, nil, WUNTRACED)
        gate.signal()
        sent.wait()
        box.say(.look)
        kill(box.process, SIGCONT)
        let end = try box.finish(id)
        #expect(end.progress.result == .cancelled && end.progress.file == nil, "\(end)")
        #expect(!box.files(in: box.directory).contains { $0.contains("target") })
    }
}
