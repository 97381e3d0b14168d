// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Hooks that send web requests", .timeLimit(.minutes(5)))
struct HookPostTests {
    /// A server in the sandbox: it gives the answers one after the other, repeats the last one forever,
    /// and prints each request.
    private static func serve(
        _ box: Sandbox, _ answers: String..., secure: Bool = false
    ) async throws -> (server: Running, address: String) {
        let script = Built.package + "/Tests/BGRunIntegrationTests/Fixtures/webhook.py"
        var arguments = [script] + answers
        if secure {
            let key = box.directory + "/key.pem"
            let made = try await box.startProgram(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                    box.directory + "/cert.pem", "-days", "2",
                ]
            ).end()
            try #require(made.code == 0, "\(made.error)")
            arguments += ["--tls", box.directory + "/cert.pem", key]
        }
        let server = try box.startProgram("/usr/bin/python3", arguments)
        let port = try #require(try await server.line("port ").number(after: "port "))
        return (server, "\(secure ? "https" : "http")://localhost:\(port)/hook")
    }

    private static func test(
        _ box: Sandbox, _ address: String, _ more: String = ""
    ) async throws -> Finished {
        try box.write(
            plugins: ["exec": try Built.plugin("exec")],
            rest: "hooks: [{on: failed, post: \"\(address)\"\(more)}]",
            tasks: "org.test.a: {kind: processing, handler: exec.run, parameters: {command: ls}}")
        return try await box.start(["hooks", "test", "-m", box.manifest]).end()
    }

    @Test("the body is the event, and headers name the sender")
    func body() async throws {
        try await Sandbox.with { box in
            let (server, address) = try await Self.serve(box, "200")
            let headers = box.directory + "/headers"
            try "# secret\nAuthorization: Bearer abc\n".write(
                toFile: headers, atomically: true, encoding: .utf8)
            chmod(headers, 0o600)
            let finished = try await Self.test(box, address, ", headers_file: ./headers")
            #expect(finished.code == 0, "\(finished)")
            let line = try await server.line("request ").dropFirst("request ".count)
            let request = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(request["path"] as? String == "/hook")
            let sent = try #require(request["headers"] as? [String: String])
            #expect(sent["user-agent"] == "bgrun/0.1.0")
            #expect(sent["content-type"] == "application/json")
            #expect(sent["authorization"] == "Bearer abc")
            let body = try #require(request["body"] as? [String: Any])
            #expect(body["event"] as? String == "failed")
            #expect(body["identifier"] as? String == "org.test.a")
            #expect(body["output"] as? [String] == ["the last lines", "of the output"])
            server.signal(SIGTERM)
        }
    }

    @Test(
        "a temporary failure is retried, a permanent one is not",
        arguments: [
            (["503", "200"], 0, 2, "503; trying again in 1 s"),
            (["429:1", "500", "200"], 0, 3, "500; trying again in 2 s"),
            (["404"], 1, 1, "the server answers 404: no such hook"),
            (["302"], 1, 1, "the server sends elsewhere (302, http://elsewhere.invalid/)"),
            (["429:3000"], 1, 1, "the server answers 429"),
        ])
    func answers(_ answers: [String], _ code: Int32, _ requests: Int, _ problem: String)
        async throws
    {
        try await Sandbox.with { box in
            let script = Built.package + "/Tests/BGRunIntegrationTests/Fixtures/webhook.py"
            let server = try box.startProgram("/usr/bin/python3", [script] + answers)
            let port = try #require(try await server.line("port ").number(after: "port "))
            let finished = try await Self.test(box, "http://127.0.0.1:\(port)/hook")
            #expect(finished.code == code, "\(finished)")
            #expect(finished.output.contains(problem), "\(finished)")
            await server.stop()
            #expect(server.errorLines.count { $0.hasPrefix("request ") } == requests)
        }
    }

    @Test("an untrusted certificate is refused, and nothing is sent")
    func certificate() async throws {
        try await Sandbox.with { box in
            let (server, address) = try await Self.serve(box, "200", secure: true)
            let refused = try await Self.test(box, address)
            #expect(refused.code == 1)
            #expect(refused.output.contains("certificate"), "\(refused)")
            #expect(!server.errorLines.contains { $0.hasPrefix("request ") })
            server.signal(SIGTERM)
        }
    }

    @Test("a private authority is trusted if the hook names it, and the event arrives over TLS")
    func authority() async throws {
        try await Sandbox.with { box in
            let (server, address) = try await Self.serve(box, "200", secure: true)
            let finished = try await Self.test(box, address, ", ca_file: ./cert.pem")
            #expect(finished.code == 0, "\(finished)")
            let request = try await server.line("request ")
            #expect(request.contains("\"event\""), "\(request)")
            let list = try await box.start(["hooks", "list", "-m", box.manifest]).end()
            #expect(list.output.contains("post \(address)"), "\(list)")
            let json = try await box.start(["hooks", "list", "-m", box.manifest, "--json"]).end()
            #expect(json.output.contains("\"failed\""), "\(json)")
            server.signal(SIGTERM)
        }
    }

    @Test("a header file that others may read is refused, and nothing is sent")
    func headersOfOthers() async throws {
        try await Sandbox.with { box in
            let (server, address) = try await Self.serve(box, "200")
            let headers = box.directory + "/headers"
            try "Authorization: abc\n".write(toFile: headers, atomically: true, encoding: .utf8)
            chmod(headers, 0o640)
            let finished = try await Self.test(box, address, ", headers_file: ./headers")
            #expect(finished.code == 1)
            #expect(finished.output.contains("others may use it (mode 640)"), "\(finished)")
            #expect(!server.errorLines.contains { $0.hasPrefix("request ") })
            server.signal(SIGTERM)
        }
    }

    @Test("a server that does not answer ends the request at the timeout")
    func silent() async throws {
        try await Sandbox.with { box in
            let (server, address) = try await Self.serve(box, "silence")
            let finished = try await Self.test(box, address, ", timeout: 1s")
            #expect(finished.code == 1)
            #expect(finished.output.contains("Timeout was reached"), "\(finished)")
            server.signal(SIGTERM)
        }
    }
}
