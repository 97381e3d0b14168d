// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
import BGRunPushes
import BGRunSystem
import Foundation
import Glibc
import Testing

@Suite("The inbox", .timeLimit(.minutes(4)))
struct InboxTests {
    /// A directory of its own, and a host that is played: it takes what it is given in the next round.
    private final class Desk {
        let path = NSTemporaryDirectory() + "bgrun-inbox-" + UUID().uuidString
        let loop: EventLoop
        var taken: [PushOffer] = []
        var refused: [PushRefusal] = []
        var states: [PushSourceState] = []
        /// Refuses offers.
        var refusal: (PushOffer) -> PushRefusal? = { _ in nil }
        /// Called after each message.
        var heard: () -> Void = {}

        init() throws {
            loop = try EventLoop()
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        func inbox(task: String? = nil, memory: String? = nil) throws -> Inbox {
            try Inbox(door, path: path, task: task, memory: memory)
        }

        private var door: PushDoor {
            PushDoor(
                loop: loop, app: "org.app", now: { WallTime(milliseconds: 1) },
                deliver: { [unowned self] offer, _, answer in deliver(offer, answer) },
                say: { [unowned self] in states.append($0) })
        }

        private func deliver(
            _ offer: Result<PushOffer, PushRefusal>, _ answer: @escaping PushDoor.Answer
        ) {
            loop.afterThisRound { [self] in
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

        /// Runs the loop until `count` messages were heard of, and what follows them is done.
        func run(until count: Int) {
            heard = { [unowned self] in
                if taken.count + refused.count >= count {
                    loop.afterThisRound { [unowned self] in loop.stop() }
                }
            }
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

        /// Under another name, then renamed.
        func drop(_ name: String, _ text: String) throws {
            try write(".\(name)", text)
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

    private static func envelope(_ identifier: String = "org.a", extra: String = "") -> String {
        #"{"identifier": "\#(identifier)", "payload": {"aps": {"content-available": 1}\#(extra)}}"#
    }

    @Test(
        "a file that cannot be removed is taken once, also by the next host",
        .enabled(if: geteuid() == 0))
    func cannotBeRemoved() throws {
        let desk = try Desk()
        mkdir(desk.path, 0o700)
        try desk.write("a.json", Self.envelope("org.a"))
        // What something is mounted on has to stay.
        let file = desk.path + "/a.json"
        guard mount(file, file, nil, UInt(MS_BIND), nil) == 0 else { return }
        defer { umount2(file, Int32(MNT_DETACH)) }
        let memory = desk.path + "/memory"
        for _ in 0..<2 {
            let inbox = try desk.inbox(memory: memory)
            try desk.drop("b.json", Self.envelope("org.b"))
            desk.taken = desk.taken.filter { $0.identifier == "org.a" }
            desk.run(until: 2)
            withExtendedLifetime(inbox) {}
        }
        #expect(desk.taken.map(\.identifier).filter { $0 == "org.a" }.count == 1)
        #expect(desk.states.contains { $0.problem?.contains("cannot be removed") == true })
    }

    @Test("a file that is renamed or written into it is taken, and removed")
    func taken() throws {
        let desk = try Desk()
        let inbox = try desk.inbox()
        try desk.drop("a.json", Self.envelope("org.a"))
        desk.run(until: 1)
        try desk.write("b.json", Self.envelope("org.b"))
        desk.run(until: 2)
        #expect(desk.taken.map(\.identifier) == ["org.a", "org.b"])
        #expect(desk.names() == [])
        #expect(inbox.problem == nil)
    }

    @Test(
        "what was dropped while nobody looked is taken, what was written first first",
        arguments: [false, true])
    func before(_ isReadAtOnce: Bool) throws {
        let desk = try Desk()
        try FileManager.default.createDirectory(
            atPath: desk.path, withIntermediateDirectories: true)
        for (index, name) in ["c", "a", "b"].enumerated() {
            let file = "\(desk.path)/\(name).json"
            try desk.write("\(name).json", Self.envelope("org.\(name)"))
            let date = Date(timeIntervalSince1970: 1_000_000 + Double(index))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        }
        let inbox = try desk.inbox()
        if isReadAtOnce { inbox.readAll() }
        desk.run(until: 3)
        #expect(desk.taken.map(\.identifier) == ["org.c", "org.a", "org.b"])
        #expect(desk.names() == [])
        withExtendedLifetime(inbox) {}
    }

    @Test("a file is taken when it is whole, however slowly it is written")
    func halfWritten() throws {
        let desk = try Desk()
        let inbox = try desk.inbox()
        let text = Self.envelope()
        let file = open("\(desk.path)/slow.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let half = String(text.prefix(20))
        #expect(write(file, half, half.utf8.count) == half.utf8.count)
        // Another one has it looked at meanwhile.
        try desk.drop("other.json", Self.envelope("org.other"))
        desk.run(until: 1)
        #expect(desk.names() == ["slow.json"])
        let rest = String(text.dropFirst(20))
        #expect(write(file, rest, rest.utf8.count) == rest.utf8.count)
        close(file)
        desk.run(until: 2)
        #expect(desk.taken.map(\.identifier) == ["org.other", "org.a"])
        #expect(desk.refused == [])
        withExtendedLifetime(inbox) {}
    }

    @Test("hidden names, and those that end otherwise, are left alone")
    func leftAlone() throws {
        let desk = try Desk()
        let inbox = try desk.inbox()
        for name in [".a.json", "b.txt", "c.json.tmp", "json"] {
            try desk.write(name, Self.envelope())
        }
        try desk.drop("d.json", Self.envelope("org.d"))
        desk.run(until: 1)
        #expect(desk.taken.map(\.identifier) == ["org.d"])
        #expect(desk.names() == [".a.json", "b.txt", "c.json.tmp", "json"])
        withExtendedLifetime(inbox) {}
    }

    @Test("what is refused is put aside, with the reason beside it")
    func rejected() throws {
        let desk = try Desk()
        desk.refusal = { $0.identifier == "org.bad" ? .badPriority(10) : nil }
        let inbox = try desk.inbox()
        try desk.drop("bad.json", Self.envelope("org.bad"))
        try desk.drop("wrong.json", #"{"payload": 7}"#)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: desk.path + "/wrong.json")
        desk.run(until: 2)
        #expect(desk.names() == ["rejected"])
        #expect(
            desk.names("/rejected")
                == ["bad.json", "bad.json.reason", "wrong.json", "wrong.json.reason"])
        #expect(try desk.reason("bad.json").hasPrefix("BadPriority: "))
        #expect(try desk.reason("wrong.json").hasPrefix("BadMessage: "))
        withExtendedLifetime(inbox) {}
    }

    @Test("links, pipes, directories and long files are not read, and put aside")
    func hostile() throws {
        let desk = try Desk()
        try FileManager.default.createDirectory(
            atPath: desk.path + "/directory.json", withIntermediateDirectories: true)
        let secret = desk.path + "-secret"
        try Self.envelope().write(toFile: secret, atomically: false, encoding: .utf8)
        defer { unlink(secret) }
        #expect(symlink(secret, desk.path + "/link.json") == 0)
        #expect(link(secret, desk.path + "/hard.json") == 0)
        #expect(mkfifo(desk.path + "/pipe.json", 0o600) == 0)
        try desk.write("long.json", Self.envelope() + String(repeating: " ", count: 20_000))
        let inbox = try desk.inbox()
        try desk.drop("good.json", Self.envelope("org.good"))
        desk.run(until: 1)
        #expect(desk.taken.map(\.identifier) == ["org.good"])
        #expect(desk.names() == ["rejected"])
        for (name, word) in [
            ("directory.json", "not a regular file"), ("link.json", "symbolic link"),
            ("hard.json", "hard link"), ("pipe.json", "not a regular file"),
            ("long.json", "at most 16384"),
        ] {
            #expect(try desk.reason(name).contains(word), "\(name)")
        }
        #expect(FileManager.default.fileExists(atPath: secret))
        withExtendedLifetime(inbox) {}
    }

    @Test("ten thousand files at once are all taken, a part at a time")
    func many() throws {
        let desk = try Desk()
        let inbox = try desk.inbox()
        for number in 0..<10_000 {
            try desk.drop("\(number).json", Self.envelope("org.n\(number)"))
        }
        desk.run(until: 10_000)
        #expect(Set(desk.taken.map(\.identifier)).count == 10_000)
        #expect(desk.names() == [])
        withExtendedLifetime(inbox) {}
    }

    @Test("an inbox that is removed is made again, and what comes then is taken")
    func removed() throws {
        let desk = try Desk()
        let inbox = try desk.inbox()
        try FileManager.default.removeItem(atPath: desk.path)
        let timer = try LoopTimer(desk.loop) {
            guard FileManager.default.fileExists(atPath: desk.path) else { return }
            try? desk.drop("a.json", Self.envelope())
        }
        let watch = try PathWatch(desk.loop, path: desk.path) { timer.set(elapsed: 1) }
        desk.run(until: 1)
        #expect(desk.taken.count == 1)
        withExtendedLifetime((inbox, watch)) {}
    }

    @Test("another user's file is put aside", .enabled(if: geteuid() == 0))
    func foreign() throws {
        let desk = try Desk()
        let inbox = try desk.inbox()
        try desk.write(".foreign", Self.envelope())
        #expect(chown(desk.path + "/.foreign", 65_534, 65_534) == 0)
        #expect(rename(desk.path + "/.foreign", desk.path + "/foreign.json") == 0)
        try desk.drop("good.json", Self.envelope("org.good"))
        desk.run(until: 1)
        #expect(desk.taken.map(\.identifier) == ["org.good"])
        #expect(try desk.reason("foreign.json").contains("belongs to user 65534"))
        withExtendedLifetime(inbox) {}
    }

    @Test("one that could not be taken is offered again after a while")
    func offeredAgain() throws {
        let desk = try Desk()
        desk.refusal = { [unowned desk] _ in desk.refused.isEmpty ? .unavailable : nil }
        let inbox = try desk.inbox()
        try desk.drop("a.json", Self.envelope())
        let limit = try LoopTimer(desk.loop) { desk.loop.stop() }
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        limit.set(elapsed: (Int64(now.tv_sec) + 25) * 1_000_000_000)
        desk.run(until: 2)
        #expect(desk.refused == [.unavailable])
        #expect(desk.taken.map(\.identifier) == ["org.a"])
        #expect(desk.names() == [])
        withExtendedLifetime((inbox, limit)) {}
    }

    @Test("whatever date a file has, its message was sent between 1970 and now")
    func dates() throws {
        let desk = try Desk()
        try FileManager.default.createDirectory(
            atPath: desk.path, withIntermediateDirectories: true)
        let text = Self.envelope().replacing(#""payload""#, with: #""expires": "1h", "payload""#)
        let day: TimeInterval = 86_400
        for (name, date) in [
            ("old.json", Date(timeIntervalSince1970: -day)), ("new.json", Date() + day),
        ] {
            try desk.write(name, text)
            try FileManager.default.setAttributes(
                [.modificationDate: date], ofItemAtPath: "\(desk.path)/\(name)")
        }
        let inbox = try desk.inbox()
        desk.run(until: 2)
        let dates = desk.taken.compactMap { $0.expires?.milliseconds }.map { Double($0) / 1_000 }
        try #require(dates.count == 2)
        #expect(dates[0] >= 3_600 && dates[0] < 3_601)
        #expect(dates[1] < Date().timeIntervalSince1970 + 3_601)
        withExtendedLifetime(inbox) {}
    }

    @Test("one that could not be taken stays where it is")
    func passing() throws {
        let desk = try Desk()
        desk.refusal = { _ in .unavailable }
        let inbox = try desk.inbox()
        try desk.drop("a.json", Self.envelope())
        desk.run(until: 1)
        #expect(desk.names() == ["a.json"])
        withExtendedLifetime(inbox) {}
    }
}
