// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunPushes

@Suite("The inbox", .timeLimit(.minutes(5)))
struct InboxTests {
    /// A temporary directory and a simulated host, which takes each message in the next round.
    final class SimulatedHost {
        let path = NSTemporaryDirectory() + "bgrun-inbox-" + UUID().uuidString
        let loop: EventLoop
        var taken: [PushOffer] = []
        var refused: [PushRefusal] = []
        var states: [PushSourceState] = []
        private var unanswered = 0
        private(set) var mostUnanswered = 0
        /// Whether the host refuses offers.
        var refusal: (PushOffer) -> PushRefusal? = { _ in nil }
        /// Called after each message.
        var heard: () -> Void = {}
        private var opened: Inbox?
        /// Stops the loop if the awaited event does not come.
        private var limit: LoopTimer?

        init() throws {
            loop = try EventLoop()
            limit = try LoopTimer(loop) { [unowned self] in loop.stop() }
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        /// Opens an inbox, which this object keeps until the next one.
        @discardableResult
        func inbox(
            task: String? = nil, memory: String? = nil,
            opener: @escaping RegularFile.Opener = RegularFile.opener,
            watcher: @escaping Inbox.Watcher = { DirectoryWatch($0, $1, heard: $2) }
        ) throws -> Inbox {
            opened = nil
            let inbox = try Inbox(
                sink, path: path, task: task, memory: memory, opener: opener, watcher: watcher)
            opened = inbox
            return inbox
        }

        private var sink: PushSink {
            PushSink(
                loop: loop, app: "org.app", now: { WallTime(milliseconds: 1) },
                deliver: { [unowned self] offer, _, answer in deliver(offer, answer) },
                say: { [unowned self] in states.append($0) })
        }

        private func deliver(
            _ offer: Result<PushOffer, PushRefusal>, _ answer: @escaping PushAnswerer
        ) {
            unanswered += 1
            mostUnanswered = max(mostUnanswered, unanswered)
            loop.afterThisRound { [self] in
                unanswered -= 1
                do {
                    let offer = try offer.get()
                    if let refusal = refusal(offer) { throw refusal }
                    taken.append(offer)
                    answer(.success(PushReceipt(of: offer)))
                } catch let refusal as PushRefusal {
                    refused.append(refusal)
                    answer(.failure(refusal))
                } catch {
                    Issue.record(error)
                }
                heard()
            }
        }

        /// Runs the loop until `count` messages are taken or refused, and their round is complete.
        func run(until count: Int) {
            heard = { [unowned self] in
                if taken.count + refused.count >= count {
                    loop.afterThisRound { [unowned self] in loop.stop() }
                }
            }
            var now = timespec()
            clock_gettime(CLOCK_BOOTTIME, &now)
            limit?.set(elapsed: (Int64(now.tv_sec) + 120) * 1_000_000_000)
            if taken.count + refused.count < count { loop.run() }
        }

        func write(_ name: String, _ text: String) throws {
            let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw SystemFailure("open", code: errno) }
            defer { close(file) }
            guard Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
                throw SystemFailure("write", code: errno)
            }
        }

        /// Writes the file with another name, then renames it.
        func drop(_ name: String, _ text: String, date: Date? = nil) throws {
            try write(".\(name)", text)
            if let date {
                try FileManager.default.setAttributes(
                    [.modificationDate: date], ofItemAtPath: "\(path)/.\(name)")
            }
            guard rename("\(path)/.\(name)", "\(path)/\(name)") == 0 else {
                throw SystemFailure("rename", code: errno)
            }
        }

        func names(_ directory: String = "") -> [String] {
            let all = try? FileManager.default.contentsOfDirectory(atPath: path + directory)
            return (all ?? []).sorted()
        }

        func reason(_ name: String) throws -> String {
            try String(contentsOfFile: "\(path)/rejected/\(name).reason", encoding: .utf8)
        }
    }

    static func envelope(_ identifier: String = "org.a", extra: String = "") -> String {
        #"{"identifier": "\#(identifier)", "payload": {"aps": {"content-available": 1}\#(extra)}}"#
    }

    @Test(
        "a file that cannot be removed is taken once, also by the next host",
        .enabled(if: geteuid() == 0))
    func cannotBeRemoved() throws {
        let host = try SimulatedHost()
        mkdir(host.path, 0o700)
        try host.write("a.json", Self.envelope("org.a"))
        // A mount point cannot be removed.
        let file = host.path + "/a.json"
        guard mount(file, file, nil, UInt(MS_BIND), nil) == 0 else { return }
        defer { umount2(file, Int32(MNT_DETACH)) }
        let memory = host.path + "/memory"
        for _ in 0..<2 {
            try host.inbox(memory: memory)
            try host.drop("b.json", Self.envelope("org.b"))
            host.taken = host.taken.filter { $0.identifier == "org.a" }
            host.run(until: 2)
        }
        #expect(host.taken.count { $0.identifier == "org.a" } == 1)
        #expect(host.states.contains { $0.problem?.contains("cannot be removed") == true })
    }

    @Test("a file that is moved or written into it is taken and removed")
    func taken() throws {
        let host = try SimulatedHost()
        try host.inbox()
        try host.drop("a.json", Self.envelope("org.a"))
        host.run(until: 1)
        try host.write("b.json", Self.envelope("org.b"))
        host.run(until: 2)
        #expect(host.taken.map(\.identifier) == ["org.a", "org.b"])
        #expect(host.names() == [])
        #expect(host.states.last?.problem == nil)
    }

    @Test(
        "files from before the start are taken, the oldest first",
        arguments: [false, true])
    func before(_ isReadAtOnce: Bool) throws {
        let host = try SimulatedHost()
        try FileManager.default.createDirectory(
            atPath: host.path, withIntermediateDirectories: true)
        for (index, name) in ["c", "a", "b"].enumerated() {
            let file = "\(host.path)/\(name).json"
            try host.write("\(name).json", Self.envelope("org.\(name)"))
            let date = Date(timeIntervalSince1970: 1_000_000 + Double(index))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        }
        let inbox = try host.inbox()
        if isReadAtOnce { inbox.readAll() }
        host.run(until: 3)
        #expect(host.taken.map(\.identifier) == ["org.c", "org.a", "org.b"])
        #expect(host.names() == [])
    }

    @Test("a limited number of files is read before their messages are stored")
    func batch() throws {
        let host = try SimulatedHost()
        mkdir(host.path, 0o700)
        let count = 2 * Inbox.batch + 1
        for index in 0..<count { try host.drop("\(index).json", Self.envelope()) }
        try host.inbox()
        host.run(until: count)
        #expect(host.taken.count == count && host.mostUnanswered == Inbox.batch)
    }

    @Test("a file is taken when it is complete, however slowly it is written")
    func halfWritten() throws {
        let host = try SimulatedHost()
        try host.inbox()
        let text = Self.envelope()
        let file = open("\(host.path)/slow.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let half = String(text.prefix(20))
        #expect(write(file, half, half.utf8.count) == half.utf8.count)
        // Another file makes the inbox read the directory meanwhile.
        try host.drop("other.json", Self.envelope("org.other"))
        host.run(until: 1)
        #expect(host.names() == ["slow.json"])
        let rest = String(text.dropFirst(20))
        #expect(write(file, rest, rest.utf8.count) == rest.utf8.count)
        close(file)
        host.run(until: 2)
        #expect(host.taken.map(\.identifier) == ["org.other", "org.a"])
        #expect(host.refused == [])
    }

    @Test("hidden names and other suffixes are ignored")
    func leftAlone() throws {
        let host = try SimulatedHost()
        try host.inbox()
        for name in [".a.json", "b.txt", "c.json.tmp", "json"] {
            try host.write(name, Self.envelope())
        }
        try host.drop("d.json", Self.envelope("org.d"))
        host.run(until: 1)
        #expect(host.taken.map(\.identifier) == ["org.d"])
        #expect(host.names() == [".a.json", "b.txt", "c.json.tmp", "json"])
    }

    @Test("a refused file is put aside with a file of the reason")
    func rejected() throws {
        let host = try SimulatedHost()
        host.refusal = { $0.identifier == "org.bad" ? .badPriority(10) : nil }
        try host.inbox()
        try host.drop("bad.json", Self.envelope("org.bad"))
        try host.drop("wrong.json", #"{"payload": 7}"#)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: host.path + "/wrong.json")
        host.run(until: 2)
        #expect(host.names() == ["rejected"])
        #expect(
            host.names("/rejected")
                == ["bad.json", "bad.json.reason", "wrong.json", "wrong.json.reason"])
        #expect(try host.reason("bad.json").hasPrefix("BadPriority: "))
        #expect(try host.reason("wrong.json").hasPrefix("BadMessage: "))
    }

    @Test("links, pipes, directories and long files are put aside without being read")
    func hostile() throws {
        let host = try SimulatedHost()
        try FileManager.default.createDirectory(
            atPath: host.path + "/directory.json", withIntermediateDirectories: true)
        let secret = host.path + "-secret"
        try Self.envelope().write(toFile: secret, atomically: false, encoding: .utf8)
        defer { unlink(secret) }
        #expect(symlink(secret, host.path + "/link.json") == 0)
        #expect(link(secret, host.path + "/hard.json") == 0)
        #expect(mkfifo(host.path + "/pipe.json", 0o600) == 0)
        try host.write("long.json", Self.envelope() + String(repeating: " ", count: 20_000))
        try host.inbox()
        try host.drop("good.json", Self.envelope("org.good"))
        host.run(until: 1)
        #expect(host.taken.map(\.identifier) == ["org.good"])
        #expect(host.names() == ["rejected"])
        for (name, word) in [
            ("directory.json", "not a regular file"), ("link.json", "symbolic link"),
            ("hard.json", "hard link"), ("pipe.json", "not a regular file"),
            ("long.json", "at most 16384"),
        ] {
            #expect(try host.reason(name).contains(word), "\(name)")
        }
        #expect(FileManager.default.fileExists(atPath: secret))
    }

    @Test("ten thousand files at once are all taken in parts")
    func many() throws {
        let host = try SimulatedHost()
        try host.inbox()
        for number in 0..<10_000 {
            try host.drop("\(number).json", Self.envelope("org.n\(number)"))
        }
        host.run(until: 10_000)
        #expect(Set(host.taken.map(\.identifier)).count == 10_000)
        #expect(host.names() == [])
    }

    @Test(
        "a file that replaces another while that is taken is taken as well, also with the same date"
    )
    func replaced() throws {
        let host = try SimulatedHost()
        try host.inbox()
        let date = Date(timeIntervalSince1970: 1_000_000)
        host.refusal = { [unowned host] offer in
            guard offer.identifier == "org.first" else { return nil }
            do {
                try host.drop("a.json", Self.envelope("org.second"), date: date)
            } catch {
                Issue.record(error)
            }
            return nil
        }
        try host.drop("a.json", Self.envelope("org.first"), date: date)
        host.run(until: 2)
        #expect(host.taken.map(\.identifier) == ["org.first", "org.second"])
        #expect(host.names() == [])
    }

    @Test("a removed inbox is created again, and later files are taken")
    func removed() throws {
        let host = try SimulatedHost()
        try host.inbox()
        try FileManager.default.removeItem(atPath: host.path)
        let timer = try LoopTimer(host.loop) {
            guard FileManager.default.fileExists(atPath: host.path) else { return }
            try? host.drop("a.json", Self.envelope())
        }
        let watch = try PathWatch(host.loop, path: host.path) { timer.set(elapsed: 1) }
        host.run(until: 1)
        #expect(host.taken.count == 1)
        withExtendedLifetime(watch) {}
    }

    @Test("another user's file is put aside", .enabled(if: geteuid() == 0))
    func foreign() throws {
        let host = try SimulatedHost()
        try host.inbox()
        try host.write(".foreign", Self.envelope())
        #expect(chown(host.path + "/.foreign", 65_534, 65_534) == 0)
        #expect(rename(host.path + "/.foreign", host.path + "/foreign.json") == 0)
        try host.drop("good.json", Self.envelope("org.good"))
        host.run(until: 1)
        #expect(host.taken.map(\.identifier) == ["org.good"])
        #expect(try host.reason("foreign.json").contains("belongs to user 65534"))
    }

    @Test("a file that could not be taken is offered again later")
    func offeredAgain() throws {
        let host = try SimulatedHost()
        host.refusal = { [unowned host] _ in host.refused.isEmpty ? .unavailable : nil }
        try host.inbox()
        try host.drop("a.json", Self.envelope())
        host.run(until: 2)
        #expect(host.refused == [.unavailable])
        #expect(host.taken.map(\.identifier) == ["org.a"])
        #expect(host.names() == [])
    }

    @Test("the date of a message is between 1970 and now, whatever the date of its file")
    func dates() throws {
        let host = try SimulatedHost()
        try FileManager.default.createDirectory(
            atPath: host.path, withIntermediateDirectories: true)
        let text = Self.envelope().replacing(#""payload""#, with: #""expires": "1h", "payload""#)
        let day: TimeInterval = 86_400
        for (name, date) in [
            ("old.json", Date(timeIntervalSince1970: -day)), ("new.json", Date() + day),
        ] {
            try host.write(name, text)
            try FileManager.default.setAttributes(
                [.modificationDate: date], ofItemAtPath: "\(host.path)/\(name)")
        }
        try host.inbox()
        host.run(until: 2)
        let dates = host.taken.compactMap { $0.expires?.milliseconds }.map { Double($0) / 1_000 }
        try #require(dates.count == 2)
        #expect(dates[0] >= 3_600 && dates[0] < 3_601)
        #expect(dates[1] < Date().timeIntervalSince1970 + 3_601)
    }

    @Test("a file that could not be taken stays")
    func passing() throws {
        let host = try SimulatedHost()
        host.refusal = { _ in .unavailable }
        try host.inbox()
        try host.drop("a.json", Self.envelope())
        host.run(until: 1)
        #expect(host.names() == ["a.json"])
    }
}
