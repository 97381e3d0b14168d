// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import Foundation
import Testing

@testable import BGRunHost

@Suite("Queries", .timeLimit(.minutes(5)))
struct QueryTests {
    private func serve(_ bench: HostBench, _ request: ControlRequest) throws -> ControlResponse {
        var response: ControlResponse?
        bench.host.serve(request) { response = $0 }
        return try #require(response)
    }

    @Test("for pending requests are answered with at most 500 rows, and the number of all")
    func manyRows() throws {
        let bench = try HostBench(HostBench.task("org.test.*")).started()
        for number in 0...ControlRequest.mostRows {
            bench.submit("org.test.\(number)", after: .minutes(10))
        }
        bench.settle()
        for start in [nil, 0] {
            let response = try serve(bench, ControlRequest(.pending, limit: .max, from: start))
            #expect(response.pending?.count == 500)
            #expect(response.count == 501)
        }
    }

    @Test("for the manifest are answered with its absolute path, its directory and its text")
    func manifest() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        let manifest = try #require(try serve(bench, ControlRequest(.manifest)).manifest)
        #expect(manifest.path == "/tmp/app.yaml" && manifest.directory == "/tmp")
        #expect(manifest.text.contains("org.test.a:"))
    }

    @Test("for the requests with an annotation are answered with those only")
    func annotated() throws {
        let bench = try HostBench(HostBench.task("org.test.*")).started()
        for (name, tag) in [("a", "red"), ("b", "blue")] {
            let submission = ControlRequest(
                .submit, identifier: "org.test.\(name)", delay: .hours(1),
                annotations: Annotations(tags: Tags([tag])))
            #expect(try serve(bench, submission).problem == nil)
        }
        let page = try serve(
            bench, ControlRequest(.pending, from: 0, annotation: Annotations.word(forTag: "blue")))
        #expect(page.pending?.map(\.identifier) == ["org.test.b"])
    }

    @Test("that replace a request are answered with the id of the replaced one")
    func replacing() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        let submission = ControlRequest(.submit, identifier: "org.test.a", delay: .hours(1))
        let first = try serve(bench, submission)
        #expect(first.replaced == nil && first.request?.id == 1)
        #expect(try serve(bench, submission).replaced == 1)
    }

    @Test("of a handler for pending requests are answered with the kind of each")
    func kinds() throws {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.pushTask("org.test.p"))
        try bench.host.start()
        for name in ["org.test.a", "org.test.p"] { bench.submit(name, after: .minutes(10)) }
        let pending = try #require(bench.call(.pending, from: 0)).pending
        let kinds = Dictionary(uniqueKeysWithValues: pending.map { ($0.identifier, $0.kind) })
        #expect(
            kinds == [
                "org.test.a": TaskKind.processing.rawValue, "org.test.p": TaskKind.push.rawValue,
            ])
    }

    @Test("that only inform the host are answered without a problem")
    func informed() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        #expect(try serve(bench, ControlRequest(.open)).problem == nil)
        #expect(try serve(bench, ControlRequest(.quit)).problem == nil)
    }

    @Test("for transfers include rows that another process has just added to the database")
    func addedTransfer() throws {
        let base =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-host-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: base) }
        let state = try StateDirectory(
            app: "org.test.app", override: base, environment: [:], userID: 0)
        try FileManager.default.createDirectory(
            atPath: state.path, withIntermediateDirectories: true)
        let store = try TransferStore.open(state.transfers)
        let bench = try HostBench(
            HostBench.task("org.test.a"),
            rest: "policy: {profile: server}\ndevice: {network: none}", state: state
        ).started()
        bench.settle()
        let request = TransferRequest(
            session: "s", direction: .download, url: "https://example.org/f")
        let id = try store.add(request, name: nil, at: WallTime(milliseconds: 1))
        let transfers = try serve(bench, ControlRequest(.transfers)).transfers
        #expect(transfers?.map(\.id) == [id])
        #expect(transfers?.first?.reason == "the network is missing")
    }
}
