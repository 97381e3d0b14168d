// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHTTP
import Foundation
import Glibc
import Testing

@Suite("The UNIX socket of a server", .timeLimit(.minutes(5)))
struct UnixSocketTests {
    private let loop: EventLoop
    private let path = "/tmp/bgrun-http-\(UUID().uuidString.prefix(8)).sock"

    init() throws {
        loop = try EventLoop()
    }

    private func serve() throws -> HTTPGateway {
        let address = try #require(ListenAddress("unix:\(path)"))
        return try HTTPGateway(
            loop, address, TestServer.settings, executable: TestServer.executable, note: { _ in },
            handler: { _, _ in })
    }

    private var inode: ino_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_ino : nil
    }

    @Test("is removed with its server")
    func removed() throws {
        var server: HTTPGateway? = try serve()
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

    @Test("is accessible to its user only, replaces a dead socket, and keeps a regular file")
    func owner() async throws {
        defer { unlink(path) }
        // A dead server has left its socket.
        let dead = SocketName.stream(AF_UNIX)
        _ = SocketName.with(path: path) { bind(dead, $0, $1) }
        close(dead)
        try await TestServer.with(path: path) { [path] _ in
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            let caller = try Caller(path: path)
            caller.send("GET /u HTTP/1.1\r\nHost: any\r\n\r\n")
            #expect(caller.rest().hasSuffix("GET [\"u\"] "))
        }
        #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
        #expect(throws: SystemFailure.self) { try serve() }
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }
}
