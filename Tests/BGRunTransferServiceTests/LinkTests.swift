// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunTransferIPC
import Glibc
import Testing

@testable import BGRunTransferService

@Suite("Messages between hosts and the service", .timeLimit(.minutes(5)))
struct LinkTests {
    @Test(
        "an order is one line that is read unchanged",
        arguments: [
            .look, .stop, .conditions(.good, TransferPolicy()),
            .conditions(
                TransferConditions(
                    network: .no, metered: .unknown, externalPower: .no, isForbidden: true),
                TransferPolicy(
                    parallel: 1, connections: 2, meteredBudget: 3, meteredPeriod: .seconds(4))),
        ] as [ServiceOrder])
    func orders(_ order: ServiceOrder) {
        let line = order.line
        #expect(line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(ServiceOrder(line: line.dropLast()) == order)
    }

    @Test(
        "a notice is one line that is read unchanged",
        arguments: [
            .changed([1, 2, .max]), .changed([]),
            .progress([.init(id: 1, bytes: 2, total: nil), .init(id: 3, bytes: 4, total: 5)]),
        ] as [ServiceNotice])
    func notices(_ notice: ServiceNotice) {
        let line = notice.line
        #expect(line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(ServiceNotice(line: line.dropLast()) == notice)
    }

    @Test(
        "an unknown message is ignored, and a missing value is unknown",
        arguments: ["", "{}", "look", "{\"order\":\"dance\"}", "[1]", "\u{0}"])
    func nonsense(_ text: String) {
        #expect(ServiceOrder(line: Array(text.utf8)[...]) == nil)
        #expect(ServiceNotice(line: Array(text.utf8)[...]) == nil)
        let bare = Array("{\"order\":\"conditions\"}".utf8)
        #expect(ServiceOrder(line: bare[...]) == .conditions(.unknown, TransferPolicy()))
    }

    @Test("a caller that sends invalid lines is ignored, and others are served")
    func caller() throws {
        let box = try Box()
        let server = try ScriptedServer { $0.answer("200 OK") }
        try box.start()
        let stranger = try ServiceConnection(
            box.loop, path: box.state.transferSocket, onNotice: { _ in }, onClose: {})
        stranger.send(.look)
        let id = try box.add(.download(server.url("/")))
        #expect(try box.finish(id).progress.result == .completed)
        withExtendedLifetime(stranger) {}
    }

    @Test("connections above the limit are closed until one ends")
    func mostConnections() throws {
        let box = try Box()
        let path = box.directory + "/socket"
        let socket = try HostSocket(box.loop, path: path, heard: { _ in }, lostHost: {})
        var open = 0
        var closed = 0
        var connections: [ServiceConnection] = []
        func connect() throws {
            connections.append(
                try ServiceConnection(
                    box.loop, path: path,
                    onNotice: { _ in
                        open += 1
                        box.loop.stop()
                    },
                    onClose: {
                        closed += 1
                        box.loop.stop()
                    }))
            box.loop.run()
        }
        for _ in 0..<64 { try connect() }
        #expect(open == 64 && closed == 0)
        try connect()
        #expect(open == 64 && closed == 1)
        connections.removeFirst()
        // The service sees the end of the connection in a later round.
        while open == 64, closed < 100 { try connect() }
        #expect(open == 65)
        withExtendedLifetime(socket) {}
    }

    /// A channel and the other end of its socket.
    private static func pair(
        _ loop: EventLoop, heard: @escaping ([UInt8]) -> Void = { _ in },
        closed: @escaping () -> Void = {}
    ) throws -> (LineChannel, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try SystemFailure.check("socketpair", socketpair(AF_UNIX, type, 0, &ends))
        let channel = try LineChannel(
            loop, ends[0], heard: { heard(Array($0)) }, closed: closed)
        return (channel, ends[1])
    }

    @Test("lines are read one by one, however they are split, and an incomplete one is ignored")
    func lines() throws {
        let loop = try EventLoop()
        var heard: [String] = []
        let (channel, other) = try Self.pair(loop) { line in
            heard.append(String(decoding: line, as: UTF8.self))
            if heard.count == 3 { loop.stop() }
        }
        for part in ["one\ntw", "o\n\nthree\nhalf"] { _ = write(other, part, part.utf8.count) }
        loop.run()
        #expect(heard == ["one", "two", "three"])
        close(other)
        withExtendedLifetime(channel) {}
    }

    @Test("messages from before a disconnection are read, whatever is sent first")
    func gone() throws {
        let loop = try EventLoop()
        var heard: [String] = []
        let (channel, other) = try Self.pair(loop) { line in
            heard.append(String(decoding: line, as: UTF8.self))
        } closed: {
            loop.stop()
        }
        _ = write(other, "look\n", 5)
        close(other)
        channel.send(Array("changed\n".utf8))
        channel.send(Array("again\n".utf8))
        loop.run()
        #expect(heard == ["look"] && channel.backlog == 0)
    }

    @Test("a peer that sends a line without an end is disconnected")
    func endless() throws {
        let loop = try EventLoop()
        var isClosed = false
        let (channel, other) = try Self.pair(loop) { _ in
            Issue.record("there is no line")
        } closed: {
            isClosed = true
            loop.stop()
        }
        let flags = fcntl(other, F_GETFL)
        _ = fcntl(other, F_SETFL, flags | O_NONBLOCK)
        let chunk = [UInt8](repeating: 7, count: 65_536)
        var sent = 0
        var feed: (() -> Void)?
        feed = {
            while !isClosed, case let count = send(other, chunk, chunk.count, Int32(MSG_NOSIGNAL)),
                count > 0
            {
                sent += count
            }
            if !isClosed { loop.inNextRound { feed?() } }
        }
        feed?()
        loop.run()
        #expect(isClosed && sent >= 4 << 20 && sent < 6 << 20, "\(sent)")
        close(other)
        withExtendedLifetime(channel) {}
    }

    @Test("a peer that does not read is disconnected, and a slow one receives everything")
    func silent() throws {
        let loop = try EventLoop()
        var isClosed = false
        let (channel, other) = try Self.pair(loop, closed: { isClosed = true })
        let line = [UInt8](repeating: 7, count: 1 << 20) + [UInt8(ascii: "\n")]
        for _ in 0..<3 { channel.send(line) }
        #expect(!isClosed && channel.backlog > 0 && channel.backlog < 3 * line.count)
        for _ in 0..<3 { channel.send(line) }
        #expect(isClosed)
        close(other)
    }

    @Test("a connection above the limit is closed, and those before it are served")
    func connections() throws {
        let loop = try EventLoop()
        var template = Array("/tmp/bgt-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { rmdir(directory) }
        var orders = 0
        var closed: [Int] = []
        let socket = try HostSocket(
            loop, path: directory + "/s", heard: { _ in orders += 1 }, lostHost: {})
        let most = HostSocket.mostConnections
        let connections = try (0...most).map { number in
            try ServiceConnection(
                loop, path: directory + "/s", onNotice: { _ in },
                onClose: { closed.append(number) })
        }
        connections.first?.send(.look)
        var rounds = 0
        func turn() {
            rounds += 1
            if rounds < 20 { loop.inNextRound { turn() } } else { loop.stop() }
        }
        turn()
        loop.run()
        #expect(closed == [most] && orders == 1)
        withExtendedLifetime((socket, connections)) {}
    }

    @Test("a peer that does not read is disconnected at a limit")
    func unread() throws {
        let loop = try EventLoop()
        var ends: [Int32] = [-1, -1]
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        try #require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0)
        defer { close(ends[1]) }
        var closed = 0
        let channel = try LineChannel(loop, ends[0], heard: { _ in }, closed: { closed += 1 })
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20) + [UInt8(ascii: "\n")]
        for _ in 0..<3 { channel.send(line) }
        #expect(closed == 0 && channel.backlog > 0)
        for _ in 0..<3 { channel.send(line) }
        #expect(closed == 1)
    }
}
