// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import Foundation
import Testing

@testable import BGRunCLI

@Suite("A command while no host runs", .timeLimit(.minutes(5)))
struct OfflineHostTests {
    private static let tasks = """
        org.test.*: {kind: processing, handler: exec.run, submit: manual}
        org.test.import: {kind: continued, handler: exec.run}
        org.test.start: {kind: processing, handler: exec.run}
        """

    private static func manifest(_ tasks: String = tasks) throws -> Manifest {
        let lines = tasks.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
        let text = """
            bgrun: 1
            app: org.test.app
            modes: [processing, remote-notification]
            permitted_identifiers: [org.test.*]
            plugins: {exec: exec.so}
            tasks:
            \(lines)
            """
        return try ManifestReader.read(
            bytes: Array(text.utf8), path: "app.yaml", directory: "/tmp",
            options: ManifestReader.Options(checksFiles: false)
        ).manifest
    }

    /// Calls `body` with a new store, and with a function that executes a command of a manifest on it.
    private static func withStore(
        _ body: (Store, (ControlRequest, Manifest) throws -> ControlResponse) throws -> Void
    ) throws {
        let path = NSTemporaryDirectory() + "bgrun-offline-\(UUID().uuidString).sqlite"
        defer {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let store = try Store.open(path)
        try body(store) { request, manifest in
            var host = try OfflineHost(request, manifest, store)
            return try host.serve()
        }
    }

    private static func submit(_ identifier: String) -> ControlRequest {
        ControlRequest(.submit, identifier: identifier)
    }

    @Test("a submission is refused at the limit of stored requests, and may replace one of them")
    func limit() throws {
        try Self.withStore { store, serve in
            let manifest = try Self.manifest()
            let limit = manifest.policy.pendingLimits.processing
            for number in 1...limit {
                let row = try serve(Self.submit("org.test.\(number)"), manifest).request
                #expect(row?.id == Int64(number) && row?.reason == "no host is running")
            }
            let refused = try serve(Self.submit("org.test.more"), manifest)
            #expect(refused.problem?.code == 2, "\(refused)")
            #expect(try serve(Self.submit("org.test.1"), manifest).replaced == 1)
            #expect(try store.pendingCount() == limit)
            #expect(try store.events(limit: .max).isEmpty)
        }
    }

    @Test("a request that no task handles any more can be cancelled")
    func undeclared() throws {
        try Self.withStore { store, serve in
            let manifest = try Self.manifest()
            for name in ["a", "b", "import"] {
                _ = try serve(Self.submit("org.test.\(name)"), manifest)
            }
            let other = try Self.manifest("org.test.b: {kind: processing, handler: exec.run}")
            let cancel = ControlRequest(.cancel, identifier: "org.test.a")
            #expect(try serve(cancel, other).count == 1)
            #expect(try serve(cancel, other).count == 0)
            #expect(try serve(ControlRequest(.cancelAnnotated, annotation: "x"), other).count == 0)
            #expect(try serve(ControlRequest(.cancelAll), other).count == 2)
            #expect(try store.pendingCount() == 0)
        }
    }

    @Test("a request whose host died while it ran can be cancelled")
    func interrupted() throws {
        try Self.withStore { store, serve in
            let manifest = try Self.manifest()
            for (id, name) in [(1, "a"), (2, "b"), (3, "import")] as [(Int64, String)] {
                _ = try serve(Self.submit("org.test.\(name)"), manifest)
                let request = try #require(try store.request("org.test.\(name)"))
                let attempt = Attempt(
                    id: id, request: request, declaration: "org.test.*", deadlineElapsed: 1,
                    launched: Instant(elapsed: 1, wall: WallTime(milliseconds: 1)))
                try store.apply([.beginAttempt(attempt, worker: nil)], durability: .full)
            }
            #expect(
                try serve(ControlRequest(.cancelAnnotated, annotation: "x"), manifest).count == 0)
            let cancel = ControlRequest(.cancel, identifier: "org.test.a")
            #expect(try serve(cancel, manifest).count == 1)
            #expect(try serve(cancel, manifest).count == 0)
            #expect(try store.interruptedAttempts().map(\.id) == [2, 3])
            _ = try serve(ControlRequest(.quit), manifest)
            #expect(try store.interruptedAttempts().map(\.id) == [2])
            // A newer request and the one that ran count as one.
            _ = try serve(Self.submit("org.test.b"), manifest)
            #expect(try serve(ControlRequest(.cancelAll), manifest).count == 1)
            #expect(try store.interruptedAttempts().isEmpty && store.pendingCount() == 0)
            #expect(try store.cancelledAttempts().map(\.id) == [1, 2, 3])
        }
    }

    @Test("a force quit cancels continued requests that no task handles any more")
    func undeclaredForceQuit() throws {
        try Self.withStore { store, serve in
            let manifest = try Self.manifest()
            for name in ["a", "import"] { _ = try serve(Self.submit("org.test.\(name)"), manifest) }
            let other = try Self.manifest("org.test.b: {kind: processing, handler: exec.run}")
            _ = try serve(ControlRequest(.quit), other)
            #expect(try store.pending(limit: .max).map(\.identifier) == ["org.test.a"])
        }
    }

    @Test(
        "a clock that is behind changes nothing that the app has learned, unless the app is opened")
    func behind() throws {
        try Self.withStore { store, serve in
            let manifest = try Self.manifest()
            var facts = try store.appFacts()
            let old = facts
            facts.lastForeground = WallTime(milliseconds: 100_000_000_000_000)
            try store.apply([.remember(facts.changes(since: old))], durability: .full)
            _ = try serve(Self.submit("org.test.a"), manifest)
            _ = try serve(Self.submit("org.other"), manifest)
            _ = try serve(ControlRequest(.cancelAll), manifest)
            #expect(try store.appFacts() == facts)
            _ = try serve(ControlRequest(.open), manifest)
            #expect(try store.appFacts() != facts)
        }
    }

    @Test("a push drops those that have expired, and the request that was made for them")
    func expiredPushes() throws {
        try Self.withStore { store, serve in
            let manifest = try Self.manifest("org.test.push: {kind: push, handler: exec.run}")
            _ = try serve(Self.push(expires: .hours(1)), manifest)
            for var message in try store.heldPushes(of: nil) {
                message.expires = WallTime(milliseconds: 1)
                try store.apply(
                    [.dropPush(id: message.id), .holdPush(message)], durability: .full)
            }
            let answer = try serve(Self.push(expires: nil), manifest)
            #expect(answer.push?.held == 1, "\(answer)")
            let held = try store.heldPushes(of: nil)
            #expect(held.map(\.id) == [2] && held.map(\.request) == [2])
            let pending = try store.pending(limit: .max)
            // A request that replaces a pending one keeps its waiting time.
            #expect(pending.map(\.id) == [2] && pending.map(\.waitingSince) == [nil])
        }
    }

    private static func push(expires: Interval?) -> ControlRequest {
        let push = ControlRequest.Push(
            payload: "{}", collapseID: nil, priority: 5, expires: expires)
        return ControlRequest(.push, identifier: "org.test.push", push: push)
    }

    @Test(
        "a force quit cancels continued requests, and nothing is submitted when the app is opened")
    func forceQuit() throws {
        try Self.withStore { store, serve in
            let manifest = try Self.manifest()
            for name in ["a", "import"] { _ = try serve(Self.submit("org.test.\(name)"), manifest) }
            _ = try serve(ControlRequest(.quit), manifest)
            #expect(try store.appFacts().isForceQuit)
            #expect(try store.pending(limit: .max).map(\.identifier) == ["org.test.a"])
            _ = try serve(ControlRequest(.open), manifest)
            #expect(try !store.appFacts().isForceQuit)
            #expect(try store.pendingCount() == 1)
            #expect(
                try store.events(limit: .max).map(\.line.kind) == ["app-force-quit", "app-opened"])
        }
    }
}
