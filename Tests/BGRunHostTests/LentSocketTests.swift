// SPDX-License-Identifier: Apache-2.0

import BGRunSupervisor
import Foundation
import Glibc
import Testing

@testable import BGRunHost

@Suite("The socket that an attempt is given", .timeLimit(.minutes(1)))
struct LentSocketTests {
    @Test("blocks, whatever an earlier attempt has set")
    func blocks() throws {
        let base = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-\(UUID().uuidString)").path
        let plugin = base + ".so"
        try #require(FileManager.default.createFile(atPath: plugin, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: plugin) }
        let bench = try HostBench(
            "org.test.a: {kind: processing, handler: app, submit: manual, "
                + "on: {socket: \(base).sock}}",
            rest: "policy: {profile: server}\nplugins: {app: \(plugin)}", watches: true)
        try bench.host.start()
        for visit in bench.supervisor.launched { bench.supervisor.end(visit) }
        bench.settle()
        bench.submit("org.test.a")
        bench.settle()
        let socket = try #require(bench.supervisor.works[1]?.socket)
        #expect(fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0)
        bench.supervisor.end(1)
        bench.settle()
        bench.submit("org.test.a")
        bench.settle()
        #expect(bench.supervisor.works[2]?.socket == socket)
        #expect(fcntl(socket, F_GETFL) & O_NONBLOCK == 0)
    }
}
