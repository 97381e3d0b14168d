// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Foundation
import Glibc
import Testing

@testable import BGRunHost
@testable import BGRunTransfers

@Suite("The files and the database of transfers", .timeLimit(.minutes(5)))
final class TransferFilesTests: TransferDatabase {
    private func transfer(
        _ id: Int64, url: String = "https://example.com/a/Song%201.mp3?x", file: String? = nil,
        change: (inout Transfer) -> Void = { _ in }
    ) throws -> Transfer {
        var transfer = Transfer(
            id: id, request: TransferRequest(session: "s", direction: .download, url: url),
            submitted: WallTime(milliseconds: 1), isDelivered: true)
        transfer.progress.result = .completed
        transfer.progress.file = file
        change(&transfer)
        return transfer
    }

    private func write(_ path: String, _ text: String = "x") throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test("files without a transfer are removed, all others stay")
    func leftovers() throws {
        for name in ["1", "2", "3.part", "4.part", "5", "6.part", "07", "x", "8.part"] {
            _ = try write(state.downloads + "/" + name)
        }
        let known = [
            try transfer(1), try transfer(2) { $0.isDelivered = false },
            try transfer(3) { $0.progress.result = nil },
            try transfer(4, file: state.downloads + "/4.part") { $0.progress.result = .failed },
            Transfer(
                id: 6, request: try transfer(6).request, submitted: WallTime(milliseconds: 1),
                wanted: .cancelledResumable, isDelivered: true,
                progress: try transfer(6, file: state.downloads + "/6.part").progress),
        ]
        TransferFiles.removeLeftovers(in: state, known: known)
        #expect(names(state.downloads) == ["07", "2", "3.part", "6.part", "x"])
    }

    @Test("a download that no app has moved is kept under a descriptive name")
    func kept() throws {
        let file = try write(state.downloads + "/7", "song")
        let before = WallTime(milliseconds: 0)
        let song = TransferFiles.keep(
            try transfer(7, file: file), in: state, atMost: 2, since: before)
        let path = state.keptDownloads + "/7-Song1.mp3"
        #expect(song == .kept(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "song")
        #expect(names(state.downloads).isEmpty)
        let gone = TransferFiles.keep(
            try transfer(7, file: file), in: state, atMost: 2, since: before)
        #expect(gone == .moved)
        let other = try write(state.downloads + "/8")
        let plain = TransferFiles.keep(
            try transfer(8, url: "https://example.com/S%C3%B6ng.mp3", file: other), in: state,
            atMost: 2, since: before)
        #expect(plain == .kept(state.keptDownloads + "/8-Sng.mp3"))
    }

    @Test("a download that cannot be kept stays in its place, and the failure names both places")
    func notKept() throws {
        let file = try write(state.downloads + "/7")
        _ = try write(state.keptDownloads)
        let song = try transfer(7, file: file)
        let failure = TransferFiles.keep(
            song, in: state, atMost: 2, since: WallTime(milliseconds: 0))
        let move = "moving \(file) to \(state.keptDownloads)/7-Song1.mp3"
        #expect(failure == .failed(SystemFailure(move, code: ENOTDIR)))
        TransferFiles.removeLeftovers(in: state, known: [song], except: [7])
        #expect(names(state.downloads) == ["7"])
    }

    @Test("a download is not kept if the policy keeps none, except until its end is stored")
    func keepsNone() throws {
        let file = try write(state.downloads + "/7")
        let removed = TransferFiles.keep(
            try transfer(7, file: file), in: state, atMost: 0, since: WallTime(milliseconds: 0))
        #expect(removed == .unwanted(file))
        #expect(names(state.downloads) == ["7"] && names(state.keptDownloads).isEmpty)
    }

    @Test(
        "a name from a server does not lead to another directory",
        arguments: ["..", "%2e%2e%2fx", "", "\u{202E}"])
    func nameOfServer(_ last: String) throws {
        let file = try write(state.downloads + "/7")
        let keeping = TransferFiles.keep(
            try transfer(7, url: "http://h/" + last, file: file), in: state, atMost: 2,
            since: WallTime(milliseconds: 0))
        guard case .kept(let path) = keeping else {
            Issue.record("it is not kept: \(keeping)")
            return
        }
        #expect(path.hasPrefix(state.keptDownloads + "/7-"))
        #expect(names(state.keptDownloads).count == 1 && names(state.path).contains("downloads"))
    }

    @Test("the newest of the kept downloads stay")
    func pruned() throws {
        let long = WallTime(milliseconds: 0)
        for id in Int64(1)...3 {
            let file = try write(state.downloads + "/\(id)")
            _ = TransferFiles.keep(
                try transfer(id, url: "http://h/a", file: file), in: state, atMost: 2, since: long)
        }
        #expect(names(state.keptDownloads) == ["2-a", "3-a"])
        TransferFiles.prune(state, atMost: 9, since: SystemClock().now.wall.advanced(by: .days(1)))
        #expect(names(state.keptDownloads).isEmpty, "they are old")
    }

    @Test("the age of a download is the time since it was kept, not the age of its content")
    func oldContent() throws {
        let file = try write(state.downloads + "/7")
        var old = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
        #expect(utimes(file, &old) == 0)
        let keeping = TransferFiles.keep(
            try transfer(7, file: file), in: state, atMost: 2,
            since: SystemClock().now.wall.advanced(by: Interval(nanoseconds: -3_600_000_000_000)))
        let paths = names(state.keptDownloads).map { state.keptDownloads + "/" + $0 }
        #expect(paths.map(TransferFiles.Keeping.kept) == [keeping])
    }

    @Test("writes of a host wait for another program in order, without blocking the loop")
    func busy() throws {
        let other = try TransferStore.open(state.transfers, timeout: 0)
        let loop = try EventLoop()
        let writer = try TransferWriter(loop, other) { _ in }
        let request = try transfer(1).request
        var ids: [Int64] = []
        var isIdle = false
        try store.whileWriting {
            for number in 1...3 {
                writer.perform { store throws(StoreError) in
                    try store.add(request, name: "\(number)", at: WallTime(milliseconds: 1))
                } done: { id in
                    ids += id.map { [$0] } ?? []
                    if ids.count == 3 { loop.stop() }
                }
            }
            writer.whenIdle(within: .minutes(1)) { isIdle = true }
            #expect(ids.isEmpty && !writer.isIdle && !isIdle, "no call has waited")
        }
        loop.run()
        #expect(ids == [1, 2, 3])
        #expect(try store.transfers(.all).map(\.name) == ["1", "2", "3"])
        #expect(writer.isIdle && isIdle)
    }

    @Test("a write that fails for another reason is reported, and does not delay the others")
    func broken() throws {
        let store = try TransferStore.open(state.transfers, timeout: 0)
        var said: [String] = []
        let writer = try TransferWriter(try EventLoop(), store) { said.append($0.message) }
        var results: [Bool] = []
        writer.perform { store throws(StoreError) -> Int64 in
            throw StoreError.full(path: store.path)
        } done: {
            results.append($0 != nil)
        }
        writer.perform { store throws(StoreError) in
            try store.transfers(.all)
        } done: {
            results.append($0 != nil)
        }
        #expect(results == [false, true] && said.count == 1 && writer.isIdle)
    }

    @Test("the number of waiting writes is limited, and a further one is refused")
    func full() throws {
        let other = try TransferStore.open(state.transfers, timeout: 0)
        let loop = try EventLoop()
        let writer = try TransferWriter(loop, other) { _ in }
        let request = try transfer(1).request
        var done = 0
        try store.whileWriting {
            writer.perform { store throws(StoreError) in
                try store.add(request, at: WallTime(milliseconds: 1))
            } done: { _ in
                done += 1
            }
            for _ in 1..<TransferWriter.mostWaiting {
                #expect(!writer.isFull)
                writer.perform { _ throws(StoreError) in
                    1
                } done: { _ in
                    done += 1
                    if done == TransferWriter.mostWaiting { loop.stop() }
                }
            }
            #expect(writer.isFull)
        }
        loop.run()
        #expect(done == TransferWriter.mostWaiting && !writer.isFull && writer.isIdle)
    }
}
