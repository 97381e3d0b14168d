// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A task that is launched by a socket", .timeLimit(.minutes(5)))
struct SocketTests {
    /// Accepts one connection and sends an answer.
    private static let server = """
        import os, socket
        assert os.environ["LISTEN_FDS"] == "1"
        assert os.environ["LISTEN_PID"] in (str(os.getpid()), str(os.getppid()))
        assert "BGRUN_LISTEN_FD" not in os.environ
        with socket.socket(fileno=3) as listener:
            connection = listener.accept()[0]
        connection.sendall(os.environ["LISTEN_FDNAMES"].encode())
        connection.close()
        """

    /// Connects, prints "connected", and then the answer.
    private static let client = """
        import socket, sys
        place = sys.argv[1]
        if place.startswith("/"):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(place)
        else:
            connection = socket.create_connection(place.rsplit(":", 1))
        print("connected", file=sys.stderr, flush=True)
        print(connection.makefile().read())
        """

    private func task(
        _ name: String = "a", socket: String = "./a.sock", _ command: String = "python3 server.py",
        more: String = ""
    ) -> String {
        "org.test.\(name): {kind: processing, handler: sh.run, "
            + "parameters: {command: \"\(command)\"}, on: {socket: \(socket)}\(more)}"
    }

    private func write(
        _ box: Sandbox, device: String = "{power: battery}", _ tasks: String...
    ) throws {
        try Self.server.write(
            toFile: box.directory + "/server.py", atomically: true, encoding: .utf8)
        try box.write(
            plugins: ["sh": try Built.plugin("exec")], device: device,
            tasks: tasks.joined(separator: "\n"))
    }

    private func client(_ box: Sandbox, _ place: String = "/a.sock") throws -> Running {
        try box.startProgram(
            "/usr/bin/python3",
            ["-c", Self.client, place.hasPrefix("/") ? box.directory + place : place])
    }

    private func inode(_ path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }

    @Test("answers clients that connect before, while and after it runs")
    func clients() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try write(box, task("a", "python3 server.py; read x < \(gate.path)"))
            let host = try await box.host("--stay", until: "Listening")
            let first = try client(box)
            #expect(await first.end().output == "org.test.a\n")
            // The attempt continues: these connections wait, and are not refused.
            let others = [try client(box), try client(box)]
            for other in others { try await other.line("connected") }
            #expect(try await box.history().isEmpty)
            for _ in 0..<3 { gate.open() }
            for other in others { #expect(await other.end().output == "org.test.a\n") }
            try await host.line("Task completed")
            #expect(await host.stop().code == 0)
            #expect(try await box.history().map(\.identifier).count == 3)
            #expect(inode(box.directory + "/a.sock") == nil)
            #expect(try await box.run("replay").code == 0)
        }
    }

    /// The loopback addresses of this machine.
    private static let loopbacks =
        FileManager.default.contents(atPath: "/proc/net/if_inet6").map(\.isEmpty) == false
        ? ["127.0.0.1", "::1"] : ["127.0.0.1"]

    @Test("answers at an address, by default of this machine only", arguments: loopbacks)
    func address(host name: String) async throws {
        try await Sandbox.with { box in
            let port = try #require(freePort())
            let place = name.contains(":") ? "\"[\(name)]:\(port)\"" : "\(port)"
            try write(box, task(socket: "{tcp: \(place)}"))
            let host = try await box.host("--stay", until: "Listening")
            #expect(await (try client(box, "\(name):\(port)")).end().output == "org.test.a\n")
            await host.stop()
        }
    }

    @Test("waits for its conditions, and a changed manifest loses no connection")
    func conditions() async throws {
        try await Sandbox.with { box in
            let needy = task(more: ", requires: {power: external}")
            try write(box, needy)
            let host = try await box.host("--stay", until: "Listening")
            let before = inode(box.directory + "/a.sock")
            let first = try client(box)
            try await host.line("Scheduling task with identifier org.test.a")
            #expect(try await box.pending().pending.map(\.identifier) == ["org.test.a"])
            // Another mode keeps the same socket.
            try write(
                box, device: "{power: external}",
                task(
                    socket: "{unix: ./a.sock, mode: 0666}", more: ", requires: {power: external}"))
            #expect(await first.end().output == "org.test.a\n")
            #expect(inode(box.directory + "/a.sock") == before)
            var status = stat()
            #expect(
                stat(box.directory + "/a.sock", &status) == 0 && status.st_mode & 0o777 == 0o666)
            try await host.line("Task completed with identifier org.test.a")
            // A changed manifest adds one socket and removes another.
            try write(box, task("b", socket: "./b.sock"))
            try await host.line("Listening at \(box.directory)/b.sock")
            #expect(await (try client(box, "/b.sock")).end().output == "org.test.b\n")
            #expect(inode(box.directory + "/a.sock") == nil)
            #expect(await host.stop().code == 0)
        }
    }

    @Test("rests if its handler does not accept the connection, and this is reported")
    func neverAccepts() async throws {
        try await Sandbox.with { box in
            try write(box, task("a", "true"))
            let host = try await box.host("--stay", until: "Listening")
            let connection = try client(box)
            try await host.line("The socket of org.test.a rests for 10s")
            connection.signal(SIGKILL)
            #expect(try await box.run("explain", "org.test.a").output.contains("rests for 10s"))
            #expect(await host.stop().code == 0)
            #expect(try await box.history().count >= 20)
        }
    }

    @Test("keeps the delay of a retry although the connection still waits")
    func retry() async throws {
        try await Sandbox.with { box in
            try write(box, task("a", "false", more: ", retry: {from: 1h}"))
            let host = try await box.host("--stay", until: "Listening")
            let connection = try client(box)
            try await host.line("Task completed without success")
            // Any request makes the host look at its sockets again.
            #expect(try await box.run("open").code == 0)
            #expect(try await box.pending().pending.map(\.failures) == [1])
            connection.signal(SIGKILL)
            await host.stop()
            #expect(try await box.history().count == 1)
        }
    }

    @Test("has its socket while it runs, and leaves none to the next attempt of its worker")
    func leftovers() async throws {
        try await Sandbox.with { box in
            let look =
                "echo worker $PPID has $(ls -l /proc/$PPID/fd | grep -c socket), lent ${LISTEN_FDS:-none}"
            try write(
                box, task("a", "\(look); python3 server.py"),
                "org.test.b: {kind: processing, handler: sh.run, submit: manual, "
                    + "parameters: {command: \"\(look)\"}}")
            let host = try await box.host("--stay", until: "Listening")
            for _ in 0..<2 {
                try await launch(box, host)
                #expect(await (try client(box)).end().output == "org.test.a\n")
            }
            try await launch(box, host)
            let lines = await host.stop().error.split(separator: "\n")
            let seen = lines.filter { $0.contains("lent none") }
            #expect(seen.count == 3)
            #expect(
                Set(seen.map { $0.components(separatedBy: "worker").last }).count == 1, "\(seen)")
            let lent = lines.filter { $0.contains("lent 1") }
            #expect(lent.count == 2)
            #expect(
                lent.allSatisfy { $0.contains("has 3") } && seen.allSatisfy { $0.contains("has 2") }
            )
        }
    }

    @Test("replaces the socket of a dead host, and nothing else")
    func place() async throws {
        try await Sandbox.with { box in
            let path = box.directory + "/a.sock"
            try write(box, task())
            let dead = try await box.host("--stay", until: "Listening")
            await dead.stop(SIGKILL)
            #expect(inode(path) != nil)

            let host = try await box.host("--stay", until: "Listening")
            #expect(await (try client(box)).end().output == "org.test.a\n")
            #expect(unlink(path) == 0)
            #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
            await host.stop()
            #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))

            let next = try box.start("run", "--stay")
            try await next.line("there is something else already, and it is left alone")
            await next.stop()
            #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))

            #expect(unlink(path) == 0)
            let open = box.directory + "/open"
            #expect(mkdir(open, 0o777) == 0 && chmod(open, 0o777) == 0)
            try write(box, task(socket: "./open/a.sock"))
            let last = try await box.host("--stay", until: "choose a directory of your own")
            await last.stop()
        }
    }

    /// Launches the other task and waits for its end.
    private func launch(_ box: Sandbox, _ host: Running) async throws {
        let count = host.errorLines.count
        #expect(try await box.run("trigger", "org.test.b").code == 0)
        try await host.line("Task completed with identifier org.test.b", after: count)
    }

    /// A port that was free when it was chosen.
    private func freePort() -> UInt16? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }
}
