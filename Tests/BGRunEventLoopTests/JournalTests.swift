// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine
import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("Entries of the systemd journal", .timeLimit(.minutes(10)))
struct JournalTests {
    @Test("fields are lines; a value with line breaks is preceded by its length")
    func form() throws {
        let receiver = try DatagramReceiver(isAbstract: false)
        let journal = try #require(JournalSocket(path: receiver.name))
        var entry = JournalEntry(message: "one\ntwo", priority: 3, identifier: "bgrun")
        entry["BGRUN_APP"] = "com.example.a"
        entry["BGRUN_REASON"] = nil
        #expect(journal.send(entry))
        let expected =
            Array("MESSAGE\n".utf8) + [7, 0, 0, 0, 0, 0, 0, 0]
            + Array("one\ntwo\nPRIORITY=3\nSYSLOG_IDENTIFIER=bgrun\nBGRUN_APP=com.example.a\n".utf8)
        #expect(receiver.datagrams == [expected])
    }

    @Test("a message that exceeds a datagram is cut")
    func long() throws {
        let receiver = try DatagramReceiver(isAbstract: false)
        let journal = try #require(JournalSocket(path: receiver.name))
        let message = String(repeating: "x", count: 4_000_000)
        #expect(journal.send(JournalEntry(message: message, priority: 6, identifier: "bgrun")))
        let text = try #require(receiver.texts.first)
        #expect(text.hasPrefix("PRIORITY=6\nSYSLOG_IDENTIFIER=bgrun\nMESSAGE=xxx"))
        #expect(text.hasSuffix("xxx…\n"))
    }

    @Test("without a journal nothing is sent")
    func none() throws {
        let journal = try #require(JournalSocket(path: "/tmp/bgrun-no-such-journal"))
        #expect(!journal.send(JournalEntry(message: "x", priority: 6, identifier: "bgrun")))
        #expect(JournalSocket(path: "relative") == nil)
    }

    @Test("a descriptor is the journal's if its device and inode are those of JOURNAL_STREAM")
    func stream() throws {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        var status = stat()
        try #require(fstat(null, &status) == 0)
        #expect(JournalSocket.isJournal(null, "\(status.st_dev):\(status.st_ino)"))
        #expect(!JournalSocket.isJournal(null, "\(status.st_dev):\(status.st_ino + 1)"))
        for variable in [nil, "", ":", "x:y", "1", "\(status.st_dev):\(status.st_ino):1"] {
            #expect(!JournalSocket.isJournal(null, variable), "\(variable ?? "nil")")
        }
    }
}
