// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunStorage

@Suite("The file of a store", .timeLimit(.minutes(10)))
struct StoreFileTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func expectRefusal(
        _ expected: StoreError, readOnly: Bool, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try scratch.contents()
        #expect(throws: expected, sourceLocation: location) {
            try Store.open(scratch.database, readOnly: readOnly)
        }
        #expect(try scratch.contents() == before, sourceLocation: location)
    }

    @Test("a database of a newer bgrun is refused and not changed", arguments: [false, true])
    func newer(readOnly: Bool) throws {
        try scratch.open().apply(.putRequest(.sample(1)))
        try scratch.execute("PRAGMA user_version = 99; CREATE TABLE future (x)")
        try expectRefusal(
            .newer(path: scratch.database, found: 99, supported: Schema.version),
            readOnly: readOnly)
    }

    @Test("a newer version in the log only is refused, too", arguments: [false, true])
    func newerInLog(readOnly: Bool) throws {
        let other = try Scratch()
        let store = try other.open()
        try store.access { try $0.execute("PRAGMA user_version = 99") }
        for file in ["bgrun.sqlite", "bgrun.sqlite-wal"] {
            try FileManager.default.copyItem(
                atPath: other.path + "/" + file, toPath: scratch.path + "/" + file)
        }
        let before = try scratch.contents()
        #expect(
            throws: StoreError.newer(path: scratch.database, found: 99, supported: Schema.version)
        ) {
            try Store.open(scratch.database, readOnly: readOnly)
        }
        // Reading the log creates its index; the other files are unchanged.
        #expect(try scratch.contents().filter { before[$0.key] != nil } == before)
    }

    @Test(
        "a database of another application is refused and not changed",
        arguments: [
            ("CREATE TABLE theirs (x)", 0),
            ("PRAGMA application_id = 77; CREATE TABLE theirs (x)", 77),
            ("PRAGMA journal_mode = WAL; PRAGMA application_id = 77; CREATE TABLE theirs (x)", 77),
        ])
    func foreign(sql: String, applicationID: UInt32) throws {
        try scratch.execute(sql)
        for readOnly in [false, true] {
            try expectRefusal(
                .foreign(path: scratch.database, applicationID: applicationID), readOnly: readOnly)
        }
    }

    @Test(
        "a file that is not a database is refused and not changed",
        arguments: [
            Data("hello, this is not a database file at all, by no means whatever".utf8),
            Data(repeating: 0, count: 10_000), Data([1]),
        ])
    func noDatabase(bytes: Data) throws {
        try bytes.write(to: URL(fileURLWithPath: scratch.database))
        for readOnly in [false, true] {
            let error = #expect(throws: StoreError.self) {
                try Store.open(scratch.database, readOnly: readOnly)
            }
            #expect(error?.isCorruption == true, "\(String(describing: error))")
            #expect(error?.message.contains(".recover") == true)
        }
        #expect(try scratch.contents() == ["bgrun.sqlite": bytes])
    }

    @Test("damage inside the file is reported when it is read")
    func damage() throws {
        do {
            let store = try scratch.open()
            try store.apply(
                (1...500).map { .putRequest(.sample($0, "com.example.\($0)")) }, durability: .full)
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.database))
        bytes.replaceSubrange(4_096..., with: Data(repeating: 0x5A, count: bytes.count - 4_096))
        try bytes.write(to: URL(fileURLWithPath: scratch.database))
        let error = #expect(throws: StoreError.self) {
            _ = try scratch.open().restoration()
        }
        #expect(error?.isCorruption == true, "\(String(describing: error))")
    }

    @Test("a reader does not create a database")
    func missing() throws {
        try expectRefusal(.missing(path: scratch.database), readOnly: true)
        try Data().write(to: URL(fileURLWithPath: scratch.database))
        try expectRefusal(.missing(path: scratch.database), readOnly: true)
    }

    @Test("an empty file becomes a database for its owner only")
    func empty() throws {
        try scratch.open().apply(.putRequest(.sample(1)))
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.database)[
            .posixPermissions]
        #expect(mode as? Int == 0o600)
        try Data().write(to: URL(fileURLWithPath: scratch.path + "/other.sqlite"))
        #expect(try Store.open(scratch.path + "/other.sqlite").pendingCount() == 0)
    }

    @Test(
        "a store that was truncated to zero bytes is damaged, and not changed",
        arguments: ["bgrun.sqlite-wal", "host.lock", "journal", "journal.1"], [false, true])
    func emptied(_ trace: String, readOnly: Bool) throws {
        try Data().write(to: URL(fileURLWithPath: scratch.database))
        try Data([1]).write(to: URL(fileURLWithPath: scratch.path + "/" + trace))
        let before = try scratch.contents()
        try expectRefusal(.emptied(path: scratch.database), readOnly: readOnly)
        #expect(try scratch.contents() == before)
        let message = StoreError.emptied(path: scratch.database).message
        #expect(message.contains(scratch.database + " is damaged") && message.contains("backup"))
        let logs = "\(scratch.database)-wal and \(scratch.database)-shm"
        #expect(message.contains(logs))
        try FileManager.default.removeItem(atPath: scratch.database)
        if trace.hasSuffix("-wal") {
            try expectRefusal(.orphaned(path: scratch.database), readOnly: false)
            #expect(try scratch.contents().keys.contains(trace))
            try FileManager.default.removeItem(atPath: scratch.path + "/" + trace)
        }
        #expect(try scratch.open().pendingCount() == 0)
    }

    @Test("a link to a missing file is not a store")
    func danglingLink() throws {
        try FileManager.default.createSymbolicLink(
            atPath: scratch.database, withDestinationPath: "elsewhere.sqlite")
        let refusal = StoreError.unavailable(
            path: scratch.database, detail: "a link to a missing file")
        #expect(throws: refusal) { try Store.open(scratch.database) }
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(names == ["bgrun.sqlite"])
    }

    @Test("an empty file next to an empty log or a rollback journal is new")
    func justMade() throws {
        for name in ["bgrun.sqlite", "host.lock", "bgrun.sqlite-wal"] {
            try Data().write(to: URL(fileURLWithPath: scratch.path + "/" + name))
        }
        try expectRefusal(.missing(path: scratch.database), readOnly: true)
        for name in ["host.lock", "bgrun.sqlite-journal"] {
            try Data([1]).write(to: URL(fileURLWithPath: scratch.path + "/" + name))
        }
        try expectRefusal(.missing(path: scratch.database), readOnly: true)
        #expect(try scratch.open().pendingCount() == 0)
    }

    @Test("a new store gets its name when it is complete, so that no process finds it empty")
    func comesWhole() throws {
        // The new store must not use the remaining files of a deleted one.
        for name in ["bgrun.sqlite.new", "bgrun.sqlite-shm", "bgrun.sqlite-journal"] {
            try Data(repeating: 7, count: 5_000)
                .write(to: URL(fileURLWithPath: scratch.path + "/" + name))
        }
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        let mask = UInt32(IN_CREATE | IN_MOVED_TO)
        let isWatched = inotify_add_watch(watch, scratch.path, mask) >= 0
        try #require(isWatched)
        let store = try scratch.open()
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(watch, &bytes, bytes.count)
        try #require(count > 0)
        var comings: [UInt32] = []
        bytes[..<count].withUnsafeBytes { buffer in
            var at = 0
            while at + 16 <= buffer.count {
                let mask = buffer.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                let length = Int(buffer.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                let name = buffer[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }
                if String(decoding: name, as: UTF8.self) == "bgrun.sqlite" { comings.append(mask) }
                at += 16 + length
            }
        }
        #expect(comings == [UInt32(IN_MOVED_TO)])
        #expect(try store.pendingCount() == 0 && scratch.integrity() == "ok")
        #expect(try scratch.contents()["bgrun.sqlite.new"] == nil)
    }

    @Test("an interrupted first start is repeated")
    func cutOff() throws {
        // A transaction that outgrows its cache writes to the file before it commits.
        let other = try Scratch()
        let database = try other.connect()
        try database.execute(
            """
            PRAGMA cache_size = 1; BEGIN; PRAGMA user_version = 1;
            CREATE TABLE half (x);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                INSERT INTO half SELECT zeroblob(500) FROM n;
            """)
        for file in try other.contents().keys {
            try FileManager.default.copyItem(
                atPath: other.path + "/" + file, toPath: scratch.path + "/" + file)
        }
        try database.execute("ROLLBACK")
        #expect(try scratch.contents()["bgrun.sqlite-journal"]?.isEmpty == false)
        #expect(try scratch.open().pendingCount() == 0)
        #expect(try scratch.integrity() == "ok")
    }

    @Test("a missing directory, or a directory in place of the file, is reported")
    func inaccessible() throws {
        for path in [scratch.path + "/none/x.sqlite", scratch.path] {
            let error = #expect(throws: StoreError.self) { try Store.open(path) }
            guard case .unavailable = error else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
        }
    }

    @Test(
        "a path with special characters of a URI is used unchanged",
        arguments: [
            "a?b=c", "100%41", "x#y", "\u{FC}ber \u{1F4F7}",
        ])
    func awkwardPath(name: String) throws {
        let path = scratch.path + "/" + name
        try Store.open(path).apply(.putRequest(.sample(1)))
        #expect(try Store.open(path).pendingCount() == 1)
        #expect(try Store.open(path, readOnly: true).pendingCount() == 1)
        #expect(try scratch.contents().keys.contains(name))
    }
}

extension StoreError {
    fileprivate var isCorruption: Bool {
        if case .corrupt = self { true } else { false }
    }
}
