// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSupervisor
import Foundation
import Glibc
import Testing

@testable import BGRunHost
@testable import BGRunTriggers

@Suite("The socket that an attempt receives", .timeLimit(.minutes(5)))
final class LentSocketTests {
    private let base = FileManager.default.temporaryDirectory
        .appendingPathComponent("bgrun-\(UUID().uuidString)").path
    private var path: String { base + ".sock" }

    /// Creates a plugin file that is never loaded.
    init() throws {
        try #require(FileManager.default.createFile(atPath: base + ".so", contents: nil))
    }

    deinit {
        for end in [".so", ".sock"] { try? FileManager.default.removeItem(atPath: base + end) }
    }

    /// A host that listens at `path` for org.test.a, after the plugin's visit.
    private func bench(
        ending: BGRunHost.Host.Ending = .never, prepare: (Store) throws -> Void = { _ in }
    ) throws -> HostBench {
        let bench = try HostBench(
            "org.test.a: {kind: processing, handler: app, submit: manual, "
                + "on: {socket: \(path)}}",
            rest: "policy: {profile: server}\nplugins: {app: \(base).so}", ending: ending,
            watches: true, prepare: prepare
        ).started()
        for visit in bench.supervisor.launched where visit < 0 { bench.supervisor.end(visit) }
        bench.settle()
        return bench
    }

    @Test("blocks, whatever mode an earlier attempt has set")
    func blocks() throws {
        let bench = try bench()
        bench.launch("org.test.a")
        let socket = try #require(bench.supervisor.works[1]?.socket)
        #expect(fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0)
        bench.supervisor.end(1)
        bench.settle()
        bench.launch("org.test.a")
        #expect(bench.supervisor.works[2]?.socket == socket)
        #expect(fcntl(socket, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test(
        "is closed and its file is removed when the host ends or breaks down",
        arguments: [false, true])
    func closed(_ isBroken: Bool) throws {
        let bench = try bench()
        try #require(FileManager.default.fileExists(atPath: path))
        if isBroken {
            bench.host.breakDown(.busy(path: bench.path))
        } else {
            bench.host.shutDown()
        }
        bench.settle()
        #expect(!FileManager.default.fileExists(atPath: path))
        withExtendedLifetime(bench) {}
    }

    @Test("keeps the file of another program that has replaced it")
    func replaced() throws {
        var socket: TriggerSocket? = try TriggerSocket(.unix(path: path, mode: 0o600))
        try #require(socket != nil && rename(base + ".so", path) == 0)
        socket = nil
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("does not exist in a host that runs one round")
    func once() throws {
        let bench = try bench(ending: .afterOneRound) { store in
            let request = TaskRequest(
                id: 1, identifier: "org.test.a", kind: .processing,
                submitted: TestClock().now.wall)
            try store.apply([.putRequest(request)], durability: .normal)
        }
        let work = try #require(bench.supervisor.works[1])
        #expect(work.socket == nil && !bench.log.has("Listening at"))
    }
}
