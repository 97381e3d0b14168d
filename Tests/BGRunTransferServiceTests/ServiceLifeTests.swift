// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import Foundation
import Testing

@Suite("The life of the transfer service", .timeLimit(.minutes(5)))
struct ServiceLifeTests {
    @Test("the waiting time of a transfer counts when the service is stopped")
    func activeTime() throws {
        let box = try Box()
        let server = try ScriptedServer { caller in
            if caller.number == 0 { return caller.answer("503 No", ["Retry-After: 3600"]) }
            caller.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na")
            caller.drain()
        }
        try box.start()
        let id = try box.add(.download(server.url("/")))
        let waiting = try box.wait(id) { $0.progress.retryAt != nil }
        // The progress of a second transfer arrives after some time.
        try box.wait(try box.add(.download(server.url("/"))), bytes: 1)
        box.say(.stop)
        #expect(box.reap() == 0)
        #expect(try box.transfer(id).progress.activeTime.spent > waiting.progress.activeTime.spent)
    }

    @Test("a waiting service whose database is removed ends", arguments: ["", "-wal", "-shm"])
    func removedDatabase(_ end: String) throws {
        let box = try Box()
        let server = try ScriptedServer { $0.answer("503 No", ["Retry-After: 3600"]) }
        try box.start()
        // A file that is not the database may disappear.
        let other = box.state.path + "/other"
        for _ in 0..<2 {
            try Data().write(to: URL(filePath: other))
            try FileManager.default.removeItem(atPath: other)
            let id = try box.add(.download(server.url("/")))
            try box.wait(id) { $0.progress.retryAt != nil }
        }
        try FileManager.default.removeItem(atPath: box.state.transfers + end)
        // It would also notice the end of the connection.
        try box.run("the end of the service") { box.isLost }
        #expect(box.reap() == 69)
    }

    @Test("a transfer without an order is done before the service ends")
    func addedBeforeEnd() throws {
        let box = try Box()
        let gate = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { caller in
            caller.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\na")
            if caller.number == 0 { gate.wait() }
            caller.send("b")
        }
        let first = try box.store.add(.download(server.url("/")), at: Box.now)
        try box.start()
        try box.wait(first, bytes: 1)
        // The service has already read its transfers, and is not notified of this one.
        let second = try box.store.add(.download(server.url("/")), at: Box.now)
        gate.signal()
        box.hangUp()
        #expect(box.reap() == 0)
        #expect(try box.transfer(first).progress.result == .completed)
        #expect(try box.transfer(second).progress.result == .completed)
    }

    @Test("the host's conditions remain when another caller hangs up")
    func caller() throws {
        let box = try Box()
        let server = try ScriptedServer { $0.answer("200 OK", [], .noise(10)) }
        try box.start()
        do {
            var isHeard = false
            let caller = try ServiceConnection(
                box.loop, path: box.state.transferSocket,
                onNotice: { _ in
                    isHeard = true
                    box.loop.stop()
                }, onClose: {})
            try box.run("the other caller") { isHeard }
            withExtendedLifetime(caller) {}
        }
        var request = TransferRequest.download(server.url("/"))
        request.isDiscretionary = true
        #expect(try box.finish(try box.add(request)).progress.result == .completed)
    }
}
