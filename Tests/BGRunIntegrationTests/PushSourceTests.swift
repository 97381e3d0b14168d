// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Sources of pushes", .timeLimit(.minutes(5)))
struct PushSourceTests {
    static func envelope(_ album: Int, collapseID: String? = nil) -> String {
        let collapse = collapseID.map { "\"collapse_id\": \"\($0)\", " } ?? ""
        return "{\"identifier\": \"org.test.changed\", \(collapse)"
            + "\"payload\": {\"album\": \(album), \"aps\": {\"content-available\": 1}}}"
    }

    /// Writes a file next to the inbox and moves it into the inbox.
    static func drop(_ box: Sandbox, _ name: String, _ text: String) throws {
        let path = box.directory + "/\(UUID().uuidString)"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        guard rename(path, box.directory + "/inbox/\(name)") == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    static func files(_ box: Sandbox, _ directory: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: box.directory + "/" + directory)
        return (names ?? []).sorted()
    }

    static func with(
        _ push: String, policy: String = "{profile: server}",
        _ body: (Sandbox) async throws -> Void
    ) async throws {
        try await Sandbox.withProbe(
            PushTests.task, rest: "policy: \(policy)\npush:\n  \(push)", body)
    }

    @Test("a dropped file is a push; an invalid one is set aside with the reason")
    func inbox() async throws {
        try await Self.with("inbox: ./inbox") { box in
            let host = try await box.host(until: "Pushes come from the inbox")
            try Self.drop(box, "a.json", Self.envelope(1))
            try await host.line("message {\"album\":1")
            try Self.drop(
                box, "b.json", Self.envelope(2).replacing("{\"id", with: "{\"priority\": 10, \"id"))
            try await host.line("Refused a push from the inbox")
            #expect(await eventually { Self.files(box, "inbox") == ["rejected"] })
            // The reason has another name until it is complete.
            let files = ["b.json", "b.json.reason"]
            #expect(await eventually { Self.files(box, "inbox/rejected") == files })
            let reason = try String(
                contentsOfFile: box.directory + "/inbox/rejected/b.json.reason", encoding: .utf8)
            #expect(reason == "BadPriority: priority 10 is not for silent pushes; send 5\n")
            let end = await host.stop()
            #expect(end.code == 0, "it stays until it is told to end: \(end.error)")
        }
    }

    @Test(
        "a file that was dropped while no host ran is taken at the next start",
        arguments: ["--stay", "--once"])
    func dropped(option: String) async throws {
        try await Self.with("inbox: ./inbox") { box in
            try FileManager.default.createDirectory(
                atPath: box.directory + "/inbox", withIntermediateDirectories: true)
            for (number, collapseID) in ["x", "y", "x"].enumerated() {
                try Self.drop(box, "\(number).json", Self.envelope(number, collapseID: collapseID))
            }
            let host = try await box.host(option, until: "message {\"album\":2")
            if option == "--stay" {
                try await host.line("Task completed")
                host.signal(SIGTERM)
            }
            let end = await host.end()
            #expect(end.code == 0, "\(end.error)")
            #expect(
                PushTests.messages(end.error.split(separator: "\n").map(String.init)) == [
                    "0", "1", "2",
                ])
            #expect(Self.files(box, "inbox").isEmpty)
        }
    }

    @Test("a host that is killed between two files loses neither")
    func killed() async throws {
        try await Self.with("inbox: ./inbox") { box in
            let count = 200
            let host = try await box.host("--stay", until: "Pushes come from the inbox")
            for number in 0..<count {
                try Self.drop(
                    box, "\(number).json", Self.envelope(number, collapseID: "\(number % 90)"))
                if number == count / 2 { host.signal(SIGKILL) }
            }
            let first = await host.end()
            await box.expectNothingLeft()
            let second = try box.start("run", "--stay")
            #expect(await eventually { Self.files(box, "inbox").isEmpty })
            while true {
                let pending = try await box.pending()
                if pending.count == 0, pending.running.isEmpty { break }
            }
            let end = await second.stop()
            let said = (first.error + end.error).split(separator: "\n").map(String.init)
            let newest = Set((count - 90..<count).map(String.init))
            #expect(newest.subtracting(PushTests.messages(said)).isEmpty, "each at least once")
        }
    }

    @Test("a socket takes one message per line, and answers in order")
    func socket() async throws {
        try await Self.with("socket: ./push.sock") { box in
            let host = try await box.host(until: "Pushes come from the socket")
            let client = try box.startProgram(
                "/usr/bin/python3",
                [
                    "-c",
                    """
                    import socket, sys
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(sys.argv[1])
                    s.sendall(b'\\n'.join(a.encode() for a in sys.argv[2:]) + b'\\n')
                    s.shutdown(socket.SHUT_WR)
                    while data := s.recv(65536): sys.stdout.write(data.decode())
                    """,
                    box.directory + "/push.sock", Self.envelope(1, collapseID: "x"), "{}", "no",
                    Self.envelope(2, collapseID: "y"),
                ])
            let answers = await client.end().output.split(separator: "\n")
            try #require(answers.count == 4, "\(answers)")
            #expect(
                answers[0].hasPrefix("{\"held\":1,\"id\":1,\"identifier\":\"org.test.changed\""))
            #expect(answers[1].contains("PayloadEmpty"))
            #expect(answers[2].contains("BadMessage"))
            #expect(answers[3].contains("\"id\":2"))
            try await host.line("message {\"album\":2")
            await host.stop()
            #expect(!FileManager.default.fileExists(atPath: box.directory + "/push.sock"))
        }
    }

    @Test("an unfinished line and a line that is too long are not pushes")
    func longLines() async throws {
        try await Self.with("socket: {path: ./push.sock, task: org.test.changed}") { box in
            let host = try await box.host(until: "Pushes come from the socket")
            let client = try box.startProgram(
                "/usr/bin/python3",
                [
                    "-c",
                    """
                    import socket, sys
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(sys.argv[1])
                    s.sendall(b'x' * 100000)
                    while data := s.recv(65536): sys.stdout.write(data.decode())
                    t = socket.socket(socket.AF_UNIX)
                    t.connect(sys.argv[1])
                    t.sendall(b'{"aps": {"content-available": 1}, "album": 3}')
                    t.close()
                    """, box.directory + "/push.sock",
                ])
            #expect(await client.end().output.contains("BadMessage"))
            let push = try await box.run("push", "org.test.changed", "--payload", "{\"album\": 4}")
            #expect(push.code == 0, "others are served: \(push.error)")
            try await host.line("message {\"album\":4")
            #expect(!host.errorLines.contains { $0.contains("album\":3") })
            await host.stop()
        }
    }

    // MARK: the webhook

    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func webhook(
        mode: Int = 0o600, _ body: (Sandbox, _ port: Int) async throws -> Void
    ) async throws {
        let port = FreePort.next()
        try await with("webhook: {listen: 127.0.0.1:\(port), token: ./token}") { box in
            let token = box.directory + "/token"
            try (secret + "\n").write(toFile: token, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: token)
            try await body(box, port)
        }
    }

    /// Sends requests in order; returns a line for each one: the status, `apns-id`, the body.
    private static func post(
        _ box: Sandbox, _ port: Int,
        _ requests: [(path: String, headers: [String: String], body: String)]
    ) async throws -> [String] {
        let list = requests.map { request in
            [
                "path": request.path, "body": request.body,
                "headers": ["authorization": "bearer \(secret)", "apns-priority": "5"]
                    .merging(request.headers) { $1 },
            ] as [String: Any]
        }
        let json = try JSONSerialization.data(withJSONObject: list)
        let client = try box.startProgram(
            "/usr/bin/python3",
            [
                "-c",
                """
                import http.client, json, sys
                for one in json.loads(sys.argv[2]):
                    c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))
                    c.request('POST', one['path'], one['body'], one['headers'])
                    r = c.getresponse()
                    print(r.status, r.getheader('apns-id'), r.read().decode())
                """, "\(port)", String(decoding: json, as: UTF8.self),
            ])
        let end = await client.end()
        try #require(end.code == 0, "\(end.error)")
        return end.output.split(separator: "\n").map(String.init)
    }

    @Test("the webhook answers as Apple's push service does")
    func webhook() async throws {
        try await Self.webhook { box, port in
            let host = try await box.host(until: "Pushes come from the webhook")
            let path = "/3/device/org.test.changed"
            let body = "{\"aps\":{\"content-available\":1},\"album\":9}"
            let id = "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D"
            let answers = try await Self.post(
                box, port,
                [
                    (path, ["apns-id": id, "apns-topic": "org.test.app"], body),
                    (path, ["apns-priority": "10"], body),
                    (path, ["authorization": "bearer wrong"], body),
                    (path, ["apns-push-type": "alert"], body),
                    (path, [:], ""),
                    (
                        path, [:],
                        "{\"aps\":{\"content-available\":1},\"x\":\""
                            + String(repeating: "x", count: 4_100) + "\"}"
                    ),
                    ("/3/device/org.test.unknown", [:], body),
                    ("/4/device/org.test.changed", [:], body),
                ])
            let expected = [
                "200 \(id) ", "400", "403", "400", "400", "413", "400", "404",
            ]
            let reasons = [
                "", "BadPriority", "InvalidProviderToken", "InvalidPushType", "PayloadEmpty",
                "PayloadTooLarge", "BadDeviceToken", "BadPath",
            ]
            for (index, answer) in answers.enumerated() {
                #expect(answer.hasPrefix(expected[index]), "\(answer)")
                #expect(
                    answer.hasSuffix(index == 0 ? " " : "{\"reason\":\"\(reasons[index])\"}"),
                    "\(answer)")
            }
            try await host.line("message {\"album\":9")
            await host.stop()
        }
    }

    @Test("a request without the token is refused after its head, before its body arrives")
    func unread() async throws {
        try await Self.webhook { box, port in
            let host = try await box.host(until: "Pushes come from the webhook")
            let path = "/3/device/org.test.changed"
            let answers = try await Self.post(
                box, port,
                [
                    (path, ["authorization": "bearer wrong", "content-length": "60000"], ""),
                    (path, ["authorization": "", "content-length": "60000"], ""),
                ])
            #expect(answers.count == 2)
            for answer in answers {
                #expect(answer.hasPrefix("403 "), "\(answer)")
                #expect(answer.hasSuffix("{\"reason\":\"InvalidProviderToken\"}"), "\(answer)")
            }
            await host.stop()
        }
    }

    @Test("clients without the token use at most twice their time of the host and its gateway")
    func cost() async throws {
        try await Self.webhook { box, port in
            let host = try await box.host(until: "Pushes come from the webhook")
            let gateway = try #require(
                box.processes.first { $0.command.contains("bgrun-gateway") })
            let head = "POST /3/device/org.test.changed HTTP/1.1\r\nHost: localhost\r\n"
            let ratio = try await Strangers(port: port, status: 403) { head + $0 }
                .ratio(of: [host.pid, gateway.pid])
            #expect(ratio <= 2)
            await host.stop()
        }
    }

    @Test("the webhook of a changed manifest uses the same address with the new token")
    func reloadedWebhook() async throws {
        try await Self.webhook { box, port in
            let host = try await box.host("--stay", until: "Pushes come from the webhook")
            let other = String(Self.secret.reversed())
            #expect(
                FileManager.default.createFile(
                    atPath: box.directory + "/other", contents: Data(other.utf8),
                    attributes: [.posixPermissions: 0o600]))
            try box.changeManifest("token: ./token", to: "token: ./other")
            var answer = "403"
            while answer.hasPrefix("403") {
                let headers = ["authorization": "bearer \(other)", "connection": "close"]
                answer =
                    try await Self.post(box, port, [("/4/device/x", headers, "")]).first ?? ""
            }
            #expect(answer.hasSuffix("{\"reason\":\"BadPath\"}"), "\(answer)")
            await host.stop()
        }
    }

    @Test("a token that others may read is not used, and doctor and explain report it")
    func publicToken() async throws {
        try await Self.webhook(mode: 0o644) { box, _ in
            let host = try box.start("run", "--stay")
            let line = try await host.line("No push comes from the webhook")
            #expect(line.contains("others may use"), "\(line)")
            let doctor = try await box.run("doctor")
            #expect(doctor.output.contains("the source of pushes webhook"), "\(doctor.output)")
            let explain = try await box.run("explain", "org.test.changed")
            #expect(explain.output.contains("chmod 600"), "\(explain.output)")
            await host.stop()
        }
    }

    @Test("a token that is too short is not used, and lint reports it")
    func shortToken() async throws {
        try await Self.webhook { box, _ in
            let token = box.directory + "/token"
            try String(repeating: "a", count: 15).write(
                toFile: token, atomically: false, encoding: .utf8)
            chmod(token, 0o600)
            let text = "has under 16 characters"
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 65 && lint.error.contains(text), "\(lint.error)")
            let host = try box.start("run", "--stay")
            let line = try await host.line("No push comes from the webhook")
            #expect(line.contains(text), "\(line)")
            await host.stop()
        }
    }

    @Test("sources of a changed manifest replace the old ones")
    func reload() async throws {
        try await Self.with("inbox: ./inbox") { box in
            let host = try await box.host("--stay", until: "Pushes come from the inbox")
            try box.changeManifest("inbox: ./inbox", to: "inbox: ./other")
            try await host.line("/other")
            let path = box.directory + "/file"
            try Self.envelope(5).write(toFile: path, atomically: false, encoding: .utf8)
            #expect(rename(path, box.directory + "/other/a.json") == 0)
            try await host.line("message {\"album\":5")
            await host.stop()
        }
    }
}
