// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHTTP
import Foundation
import Glibc
import Testing

@Suite("The UNIX socket of a server", .timeLimit(.minutes(1)))
struct UnixSocketTests {
    private let loop: EventLoop
    private let path = "/tmp/bgrun-http-\(UUID().uuidString.prefix(8)).sock"

    init() throws {
        loop = try EventLoop()
    }

    private func serve() throws -> HTTPServer {
        let address = try #require(ListenAddress("unix:\(path)"))
        return try HTTPServer(loop, address) { _ in HTTPResponse(type: "text/plain", "") }
    }

    private var inode: ino_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_ino : nil
    }

    @Test("is removed with its server")
    func removed() throws {
        var server: HTTPServer? = try serve()
        withExtendedLifetime(server) {}
        #expect(inode != nil)
        server = nil
        #expect(inode == nil)
    }

    @Test("is not taken over while its server lives")
    func heard() throws {
        let server = try serve()
        let before = inode
        let failure = #expect(throws: SystemFailure.self) { try serve() }
        #expect(failure?.code == EADDRINUSE)
        #expect(before != nil && inode == before)
        withExtendedLifetime(server) {}
    }
}
