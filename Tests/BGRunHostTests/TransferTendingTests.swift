// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSystem
import Foundation
import Glibc
import Testing

@testable import BGRunHost
@testable import BGRunTransfers

@Suite("Automatic actions of a host for transfers", .timeLimit(.minutes(5)))
final class TransferTendingTests: TransferDatabase {
    private func bench(_ tasks: String, rest: String = "policy: {profile: server}") throws
        -> HostBench
    {
        try HostBench(tasks, rest: rest + "\ndevice: {network: none}", state: state)
    }

    @Test("a force quit keeps the partial files of declared downloads only")
    func forceQuit() throws {
        let other = try add(Self.download(in: "org.test.own"))
        let bench = try bench(
            HostBench.task("org.test.a"),
            rest: """
                policy: {profile: server}
                transfers:
                  org.test.file: {download: "https://example.org/file", to: \(base)/file}
                """
        ).started()
        let declared = try #require(try store.transfers(.last(declared: "org.test.file")).last).id
        bench.host.ask({ .appForceQuit(ticket: $0) }, { _ in })
        let areCancelled = try bench.turn {
            try [declared, other].allSatisfy { try store.transfer($0)?.wanted.isCancelled == true }
        }
        #expect(areCancelled)
        #expect(try store.transfer(declared)?.wanted == .cancelledResumable)
        #expect(try store.transfer(other)?.wanted == .cancelled)
    }

    @Test("only the newest of the downloads that no app has moved remain when a host starts")
    func keptDownloads() throws {
        mkdir(state.keptDownloads, 0o700)
        for name in ["1-a", "2-a"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: state.keptDownloads + "/" + name))
        }
        let bench = try bench(
            HostBench.task("org.test.a"), rest: "policy: {profile: server, kept_downloads: 1}")
        try bench.host.start()
        #expect(try FileManager.default.contentsOfDirectory(atPath: state.keptDownloads) == ["2-a"])
    }

    @Test("the answer to an upload is removed, and a download that was not moved is kept")
    func acknowledged() throws {
        for direction in [TransferRequest.Direction.download, .upload] {
            var request = TransferRequest(
                session: "org.test.s", direction: direction, url: "https://example.org/f",
                file: direction == .upload ? "/etc/passwd" : nil)
            request.keepsFile = true
            let id = try add(request)
            let file = "\(state.downloads)/\(id)"
            try Data("x".utf8).write(to: URL(fileURLWithPath: file))
            try complete(id, file: file)
        }
        let bench = try bench(Self.sessionTask).started()
        #expect(bench.turn { bench.supervisor.launched == [1] })
        for id: Int64 in [1, 2] { bench.call(.transfer(.acknowledge(id: id)), from: 1) }
        let areDelivered = try bench.turn {
            try [1, 2].allSatisfy { try store.transfer($0)?.isDelivered == true }
        }
        #expect(areDelivered)
        #expect(try FileManager.default.contentsOfDirectory(atPath: state.keptDownloads) == ["1-f"])
        #expect(!FileManager.default.fileExists(atPath: state.downloads + "/2"))
        #expect(bench.log.lines.count { $0.text.contains("was not moved") } == 1)
    }

    @Test("a session's task is launched after the attempt that creates transfers in it has ended")
    func creatingAttempt() throws {
        let bench = try bench(HostBench.task("org.test.a") + Self.sessionTask).started()
        bench.launch("org.test.a")
        #expect(bench.supervisor.launched == [1])
        let wish = WorkerMessage.TransferRequest(
            session: "org.test.s", url: "https://example.org/f")
        #expect(bench.call(.transfer(.create(wish)), from: 1)?.status == 0)
        let id = try #require(try store.transfers(.unfinished).first).id
        try complete(id)
        bench.host.lookAtTransfers()
        bench.settle()
        #expect(bench.host.engine.pendingRequest("org.test.s") == nil)
        #expect(bench.supervisor.launched == [1])
        bench.supervisor.end(1)
        #expect(bench.turn { bench.supervisor.launched == [1, 2] })
    }

    @Test("a session's task is submitted once while the store is busy")
    func submittedOnce() throws {
        let id = try add(Self.download(in: "org.test.s"))
        let bench = try bench(HostBench.task("org.test.a") + Self.sessionTask).started()
        bench.settle()
        let writer = try StoreWriter(bench)
        // Further events wait for this round, which waits for the store.
        bench.submit("org.test.a")
        try complete(id)
        for _ in 0..<3 {
            bench.host.lookAtTransfers()
            bench.settle()
        }
        #expect(bench.supervisor.launched == [])
        try writer.release()
        #expect(bench.turn { bench.supervisor.launched == [1, 2] })
        #expect(bench.host.engine.runningAttempt("org.test.s") != nil)
        #expect(bench.host.engine.pendingRequest("org.test.s") == nil)
    }

    @Test("the log names up to ten transfers that wait, and counts more", arguments: [10, 11])
    func namedOrCounted(_ count: Int) throws {
        for number in 1...count {
            var request = Self.download(in: "org.test.own")
            request.url = "https://example.org/\(number)"
            try add(request)
        }
        let bench = try bench(HostBench.task("org.test.a")).started()
        #expect(bench.turn { bench.log.has(" wait") })
        let named = bench.log.lines.count { $0.text.hasPrefix("The transfer of ") }
        #expect(named == (count == 10 ? 10 : 0))
        #expect(bench.log.has("11 transfers wait: ") == (count == 11))
    }

    /// A bench whose only task is launched for a completed download to `file`, and acknowledges it.
    private func acknowledged(
        _ file: String, isKept: Bool, rest: String = "policy: {profile: server}"
    ) throws -> HostBench {
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        var request = Self.download(in: "org.test.s")
        request.keepsFile = isKept
        let id = try add(request)
        try complete(id, file: file)
        let bench = try bench(Self.sessionTask, rest: rest).started()
        #expect(bench.turn { bench.supervisor.launched == [1] })
        bench.call(.transfer(.acknowledge(id: id)), from: 1)
        return bench
    }

    @Test("a download that its app has not moved is kept, and a warning names the place")
    func keptByHost() throws {
        let bench = try acknowledged(state.downloads + "/1", isKept: true)
        let line = bench.log.lines.first { $0.text.hasSuffix("\(state.keptDownloads)/1-f") }
        #expect(line?.level == .warning)
    }

    @Test("a download that cannot be kept is an error that names the reason")
    func keptNowhere() throws {
        try Data().write(to: URL(fileURLWithPath: state.keptDownloads))
        let bench = try acknowledged(state.downloads + "/1", isKept: true)
        let line = bench.log.lines.first { $0.text.contains("it cannot be kept: ") }
        #expect(line?.level == .error)
        #expect(line?.text.contains("\(state.keptDownloads)/1-f: Not a directory") == true)
        #expect(access(state.downloads + "/1", F_OK) == 0)
    }

    @Test("a download that the policy does not keep is removed, and a warning names the key")
    func keepsNone() throws {
        let bench = try acknowledged(
            state.downloads + "/1", isKept: true,
            rest: "policy: {profile: server, kept_downloads: 0}")
        let lines = bench.log.lines.filter { $0.text.contains("kept_downloads") }
        #expect(lines.map(\.level) == [.warning])
        #expect(access(state.downloads + "/1", F_OK) != 0)
    }

    @Test("a download stays in its place when its app acknowledges it")
    func stays() throws {
        _ = try acknowledged(base + "/f", isKept: false)
        #expect(access(base + "/f", F_OK) == 0)
    }
}
