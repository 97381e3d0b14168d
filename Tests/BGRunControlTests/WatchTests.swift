// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import CBGRunShims
import Foundation
import Glibc
import Testing

@testable import BGRunHost

@Suite("Watching a host", .timeLimit(.minutes(5)))
struct WatchTests {
    /// A host with a control socket, whose overview contains only a number.
    private final class Host {
        let loop: EventLoop
        let path = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString.prefix(8)).sock"
        private(set) var server: ControlServer?
        /// Shown as the number of pending requests.
        var number = 0
        /// Bytes of a notice, so that a line is long.
        var ballast = 0
        private(set) var asked = 0

        init() throws {
            loop = try EventLoop()
            server = try ControlServer(loop, path: path) { [unowned self] request, _, answer in
                asked += 1
                var response = ControlResponse()
                var overview = AppOverview(app: "app", at: .epoch)
                overview.pendingCount = number
                overview.notices = [String(repeating: "x", count: ballast)]
                response.overview = overview
                answer(response)
            }
        }

        func change() {
            number += 1
            server?.noteChange()
        }

        func end() {
            server = nil
        }
    }

    @Test("a watcher receives the state at once, then the last of many changes")
    func newest() throws {
        let host = try Host()
        var told: [Int] = []
        let client = try WatchClient(
            host.loop, path: host.path,
            received: { overview in
                told.append(overview.pendingCount)
                if told.count == 1 { for _ in 1...50 { host.change() } }
                if overview.pendingCount == 50 { host.loop.stop() }
            }, ended: { _ in Issue.record("it ended") })
        host.loop.run()
        #expect(told == [0, 50])
        withExtendedLifetime(client) {}
    }

    @Test("the overview is not computed while there is no watcher")
    func nobody() throws {
        let host = try Host()
        host.change()
        #expect(host.asked == 0)
        var client: WatchClient? = try WatchClient(
            host.loop, path: host.path, received: { _ in host.loop.stop() }, ended: { _ in })
        host.loop.run()
        let asked = host.asked
        withExtendedLifetime(client) {}
        client = nil
        // The host sees the end of the first client before it accepts this one.
        let next = try WatchClient(
            host.loop, path: host.path,
            received: { _ in
                host.loop.stop()
            }, ended: { _ in })
        host.loop.run()
        #expect(host.asked == asked + 1)
        withExtendedLifetime(next) {}
    }

    @Test("a watcher that has missed a state is sent the newest one once it has caught up")
    func caughtUp() throws {
        let loop = try EventLoop()
        let watchers = try Watchers(loop) { $0(ControlResponse()) }
        var sent = 0
        let caller = watchers.add { _ in
            sent += 1
            loop.stop()
            return sent > 1
        }
        watchers.noteChange()
        loop.run()
        #expect(sent == 1)
        watchers.caughtUp(caller)
        let limit = try LoopTimer(loop) { loop.stop() }
        limit.set(elapsed: bgrun_boottime_ns() + 30_000_000_000)
        loop.run()
        #expect(sent == 2)
        withExtendedLifetime((watchers, limit)) {}
    }

    @Test("a watcher that does not read is sent nothing more until it reads, then the newest state")
    func slow() throws {
        let host = try Host()
        host.ballast = 512 << 10
        let slow = try Self.connect(host.path)
        defer { close(slow) }
        let line = Array(#"{"command":"watch"}"#.utf8) + [10]
        #expect(send(slow, line, line.count, 0) == line.count)
        // A second client, which reads, shows that the host continues.
        var told = 0
        let client = try WatchClient(
            host.loop, path: host.path,
            received: { _ in
                told += 1
                if told < 4 { host.change() } else if told == 4 { host.loop.stop() }
            }, ended: { _ in Issue.record("it ended") })
        host.loop.run()
        let asked = host.asked
        // From here on the slow client reads, and nothing changes.
        var bytes: [UInt8] = []
        try host.loop.watch(slow) { _ in
            var chunk = [UInt8](repeating: 0, count: 1 << 20)
            let count = read(slow, &chunk, chunk.count)
            if count > 0 { bytes += chunk[..<count] }
            if bytes.count(where: { $0 == 10 }) == 2 { host.loop.stop() }
        }
        host.loop.run()
        host.loop.forget(slow)
        let lines = bytes.split(separator: 10)
        let last = try JSONDecoder().decode(ControlResponse.self, from: Data(lines[1]))
        #expect(last.overview?.pendingCount == host.number)
        #expect(host.asked == asked + 1)
        withExtendedLifetime(client) {}
    }

    @Test("a client that hangs up before its answer does not watch, nor does the next client")
    func gone() throws {
        let host = try Host()
        let caller = try Self.connect(host.path)
        let line = Array(#"{"command":"watch"}"#.utf8) + [10]
        #expect(send(caller, line, line.count, 0) == line.count)
        close(caller)
        let timer = try LoopTimer(host.loop) { host.loop.stop() }
        timer.set(elapsed: bgrun_boottime_ns())
        while host.asked == 0 {
            host.loop.run()
            timer.set(elapsed: bgrun_boottime_ns())
        }
        let next = try Self.connect(host.path)
        defer { close(next) }
        host.change()
        // An overview would be sent at once, or after the pause between two overviews.
        timer.set(elapsed: bgrun_boottime_ns() + 500_000_000)
        host.loop.run()
        #expect(host.asked == 1)
        withExtendedLifetime(timer) {}
    }

    @Test("a watcher receives the end of the host once")
    func end() throws {
        let host = try Host()
        var ends = 0
        let client = try WatchClient(
            host.loop, path: host.path,
            received: { _ in host.loop.afterThisRound { host.end() } },
            ended: { message in
                #expect(message == nil)
                ends += 1
                host.loop.stop()
            })
        host.loop.run()
        #expect(ends == 1)
        withExtendedLifetime(client) {}
    }

    @Test("a watcher above the limit of connections receives the reason")
    func full() throws {
        let loop = try EventLoop()
        let path = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString.prefix(8)).sock"
        var limits = LineLimits()
        limits.connections = 0
        let server = try ControlServer(loop, path: path, limits: limits) { _, _, _ in }
        var ends: [String?] = []
        let client = try WatchClient(
            loop, path: path, received: { _ in Issue.record("it was accepted") },
            ended: {
                ends.append($0)
                loop.stop()
            })
        loop.run()
        #expect(ends == [ControlResponse.Problem.tooManyConnections.message])
        withExtendedLifetime((client, server)) {}
    }

    @Test("a new host replaces the socket that a dead host has left, and leaves no other file")
    func replaced() throws {
        var host: Host? = try Host()
        let path = try #require(host?.path)
        host?.end()
        #expect(access(path, F_OK) != 0)
        try Data().write(to: URL(fileURLWithPath: path))
        let loop = try EventLoop()
        let server = try ControlServer(loop, path: path) { _, _, answer in answer(ControlResponse())
        }
        let descriptor = try Self.connect(path)
        close(descriptor)
        #expect(access(String(path.dropLast()) + "~", F_OK) != 0)
        host = nil
        withExtendedLifetime(server) {}
    }

    private static func connect(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try SystemFailure.check("connect", code)
        return descriptor
    }
}
