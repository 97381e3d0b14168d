// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunStorage

@Suite("The app that a store belongs to", .timeLimit(.minutes(10)))
struct StoreOwnerTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ app: String?, readOnly: Bool = false) throws -> Store {
        try Store.open(scratch.database, readOnly: readOnly, app: app)
    }

    private var bytes: Data {
        get throws { try Data(contentsOf: URL(fileURLWithPath: scratch.database)) }
    }

    @Test(
        "is the first one that opens it; another one is refused and changes nothing",
        arguments: [false, true])
    func refused(readOnly: Bool) throws {
        try open("org.first").apply([.putRequest(.sample(1, "a"))], durability: .full)
        let before = try scratch.contents()
        let error = StoreError.ofAnotherApp(
            path: scratch.database, owner: "org.first", app: "org.other")
        #expect(throws: error) { try open("org.other", readOnly: readOnly) }
        #expect(try scratch.contents()["bgrun.sqlite"] == before["bgrun.sqlite"])
        #expect(try open("org.first").request("a") != nil)
        // A reader that names no app can read any store.
        #expect(try open(nil, readOnly: true).request("a") != nil)
    }

    @Test("is checked before a store of an older version is migrated")
    func older() throws {
        try scratch.execute(Fixture(version: 8).sql)
        try scratch.execute("INSERT INTO fact VALUES ('owner:org.first', 1)")
        let before = try scratch.contents()
        #expect(throws: StoreError.self) { try open("org.other") }
        #expect(try scratch.contents()["bgrun.sqlite"] == before["bgrun.sqlite"])
        _ = try open("org.first")
    }

    @Test("is in the file at once, so that a copy without the log has it")
    func inFile() throws {
        // The creation of the store would copy the log as well, so it comes first.
        _ = try scratch.open()
        let store = try open("org.first")
        let other = try Scratch()
        try bytes.write(to: URL(fileURLWithPath: other.database))
        #expect(throws: StoreError.self) { try Store.open(other.database, app: "org.other") }
        withExtendedLifetime(store) {}
    }

    @Test("is missing in a store of an older version, and becomes the first app that writes")
    func adopted() throws {
        try scratch.open().apply([.putRequest(.sample(1, "a"))], durability: .full)
        _ = try open("org.reader", readOnly: true)
        #expect(try open("org.first").request("a") != nil)
        #expect(throws: StoreError.self) { try open("org.reader") }
    }

    @Test("leaves the log of a refused store in place")
    func log() throws {
        let source = try Scratch()
        let store = try Store.open(source.database, app: "org.first")
        try store.apply([.putRequest(.sample(1, "a"))], durability: .full)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: source.database + suffix, toPath: scratch.database + suffix)
        }
        let before = try scratch.contents()
        #expect(throws: StoreError.self) { try open("org.other") }
        #expect(try scratch.contents().filter { before[$0.key] != nil } == before)
        #expect(try open("org.first").request("a") != nil)
        withExtendedLifetime(store) {}
    }

    @Test("is changed to a renamed app by the statement in the message")
    func renamed() throws {
        _ = try open("org.first")
        do throws(StoreError) {
            _ = try Store.open(scratch.database, app: "org.renamed")
            Issue.record("it was not refused")
        } catch {
            let parts = error.message.split(separator: "\"")
            try scratch.execute(String(try #require(parts.dropFirst().first)))
        }
        _ = try open("org.renamed")
        #expect(throws: StoreError.self) { try open("org.first") }
    }

    @Test("is printed without control characters")
    func control() throws {
        _ = try scratch.open()
        try scratch.execute("INSERT INTO fact VALUES ('owner:' || char(27) || '[2Jx', 1)")
        let error = StoreError.ofAnotherApp(path: scratch.database, owner: "?[2Jx", app: "org.a")
        #expect(throws: error) { try open("org.a") }
    }
}
