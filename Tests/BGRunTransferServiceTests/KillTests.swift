// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Foundation
import Testing

@Suite("Crashes of the transfer service", .timeLimit(.minutes(5)))
struct KillTests {
    @Test("a service that is killed repeatedly completes every file once")
    func killed() throws {
        let box = try Box()
        let server = try WebServer(box.directory)
        let files = (0..<12).map { Data.noise(30_000 + $0 * 40_000, seed: UInt64($0 + 1)) }
        for (number, data) in files.enumerated() { try server.put("\(number)", data) }
        let target = box.directory + "/target"
        var ids = try files.indices.map {
            try box.add(.download(server.url("/slow/\($0)"), to: "\(target)/\($0)"))
        }
        for number in 0..<3 {
            var request = TransferRequest.upload(
                "\(server.directory)/files/\(number)", to: server.url("/put/\(number)"))
            request.rate = 100_000
            ids.append(try box.add(request))
        }
        var kills = 0
        var finished: [Int64: TransferProgress] = [:]
        while finished.count < ids.count {
            try box.start()
            // The service is killed after some more notices, in any state.
            var news = Int.random(in: 0...12)
            try box.run("news") {
                news -= 1
                let isDone = try box.store.transfers(.unfinished).isEmpty
                return news < 0 || isDone
            }
            box.killService()
            kills += 1
            for transfer in try box.store.transfers(.all) {
                if let before = finished[transfer.id] {
                    #expect(transfer.progress == before, "finished twice")
                } else if transfer.isFinished {
                    finished[transfer.id] = transfer.progress
                }
            }
            // A file with its final name is complete, whatever the row contains.
            for name in box.files(in: target) where !name.hasPrefix(".") {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(target)/\(name)"))
                #expect(data == files[Int(name) ?? 0], "\(name) after \(kills) kills")
            }
        }
        #expect(finished.values.allSatisfy { $0.result == .completed })
        #expect(box.files(in: target) == files.indices.map(String.init).sorted())
        for number in 0..<3 {
            let path = "\(server.directory)/put/\(number)"
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == files[number])
        }
    }

    @Test("a service that died between a rename and its report reports it later, once")
    func named() throws {
        let box = try Box()
        let target = box.directory + "/a"
        let id = try box.add(.download("http://127.0.0.1:1/a", to: target))
        var progress = TransferProgress()
        progress.began = Box.now
        progress.bytes = 3
        progress.total = 3
        progress.file = target
        try box.store.save([(id: id, progress)], .normal)
        try Data("abc".utf8).write(to: URL(fileURLWithPath: target))
        try box.start()
        let end = try box.finish(id)
        #expect(end.progress.result == .completed && end.progress.file == target)
    }

    @Test("after another boot only synced bytes are used")
    func rebooted() throws {
        let box = try Box()
        let server = try WebServer(box.directory)
        let data = Data.noise(400_000)
        try server.put("a", data)
        try box.start()
        let id = try box.add(.download(server.url("/slow/a"), to: box.directory + "/a"))
        try box.wait(id, bytes: 50_000)
        box.killService()
        // As if the file system had kept the length of the file and lost its end.
        var progress = try box.transfer(id).progress
        progress.boot = "before"
        progress.syncedBytes = 10_000
        try box.store.save([(id: id, progress)], .normal)
        let part = try #require(box.files(in: box.directory).first { $0.hasSuffix(".part") })
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: "\(box.directory)/\(part)"))
        try handle.seek(toOffset: 10_000)
        handle.write(Data(count: 40_000))
        try handle.close()
        try box.start()
        let end = try box.finish(id)
        #expect(end.progress.result == .completed && end.progress.status == 206)
        #expect(try Data(contentsOf: URL(fileURLWithPath: box.directory + "/a")) == data)
    }

    @Test("a thousand transfers at once use little memory")
    func thousand() throws {
        let box = try Box()
        let server = try WebServer(box.directory)
        try server.put("a", .noise(200_000))
        let ids = try (0..<1_000).map { _ in
            try box.store.add(.download(server.url("/slow/a")), at: Box.now)
        }
        try box.start(policy: TransferPolicy(parallel: 1_000, connections: 1_000))
        try box.run("all to run") {
            try box.store.transfers(.all).allSatisfy { $0.progress.bytes > 0 }
        }
        let text = try String(contentsOfFile: "/proc/\(box.process)/status", encoding: .utf8)
        let peak = try #require(text.firstMatch(of: /VmHWM:\s+(\d+) kB/)).output.1
        #expect(try #require(Int(peak)) < 150_000, "kB resident")
        for id in ids { #expect(try box.finish(id).progress.result == .completed) }
    }
}
