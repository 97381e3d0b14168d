// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BGRunPushes

@Suite("The memory of push sources", .timeLimit(.minutes(5)))
struct TakenFilesTests {
    private final class Scratch {
        let path = NSTemporaryDirectory() + "/bgrun-taken-" + UUID().uuidString

        init() { mkdir(path, 0o700) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let scratch = Scratch()
    private var memory: String { scratch.path + "/taken" }

    @Test("a file that could not be removed is known to the next host until it is removed")
    func taken() {
        var files = TakenFiles(memory)
        files.add("7 1.2 30 a b.json")
        files.add("8 1.2 30 c.json")
        #expect(files.holds("7 1.2 30 a b.json") && !files.holds("7 1.3 30 a b.json"))
        var next = TakenFiles(memory)
        #expect(next.holds("7 1.2 30 a b.json") && next.holds("8 1.2 30 c.json"))
        next.keep(only: ["a b.json"])
        #expect(next.holds("7 1.2 30 a b.json") && !next.holds("8 1.2 30 c.json"))
        #expect(!TakenFiles(memory).holds("8 1.2 30 c.json"))
        var status = stat()
        #expect(stat(memory, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a name with line feeds is one name, and nothing is remembered without a directory")
    func names() {
        var files = TakenFiles(memory)
        files.add("7 1.2 30 a\nb.json")
        #expect(TakenFiles(memory).holds("7 1.2 30 a\nb.json"))
        #expect(!TakenFiles(memory).holds("b.json"))
        var nowhere = TakenFiles(nil)
        nowhere.add("7 1.2 30 a")
        #expect(nowhere.holds("7 1.2 30 a") && !TakenFiles(nil).holds("7 1.2 30 a"))
    }

    @Test("a record that cannot be read is not overwritten")
    func unreadable() {
        #expect(symlink("record", memory) == 0)
        var files = TakenFiles(memory)
        files.add("7 1.2 30 a")
        #expect(files.holds("7 1.2 30 a"))
        var status = stat()
        #expect(lstat(memory, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test("messages of a broker wait in order, also for the next host")
    func spool() throws {
        let path = scratch.path + "/mqtt"
        let spool = try #require(MQTTSpool(path))
        #expect(spool.isEmpty && spool.first() == .gone)
        for number in 1...12 { #expect(spool.add(Data("\(number)".utf8))) }
        try Data("half".utf8).write(to: URL(fileURLWithPath: path + "/.13"))
        let next = try #require(MQTTSpool(path))
        for number in 1...12 {
            #expect(next.first() == .message(Data("\(number)".utf8)))
            next.removeFirst()
            if number == 3 { #expect(next.add(Data("13".utf8))) }
        }
        #expect(next.first() == .message(Data("13".utf8)))
        next.removeFirst()
        next.removeFirst()
        #expect(next.isEmpty && MQTTSpool(path)?.isEmpty == true)
    }

    @Test("a spool that is full or cannot be written accepts nothing")
    func full() throws {
        let spool = try #require(MQTTSpool(scratch.path + "/mqtt"))
        for _ in 0..<1_000 { #expect(spool.add(Data())) }
        #expect(!spool.add(Data()))
        spool.removeFirst()
        #expect(spool.add(Data()))
        #expect(MQTTSpool(scratch.path + "/none/there") == nil)
    }
}
