// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@Suite("Trust and secrets of transfers", .timeLimit(.minutes(5)))
struct TrustTests {
    /// Sends a request to a server that returns the secrets it has received.
    private static func seen(
        _ path: String, of name: String = "plain", host: String = "127.0.0.1",
        _ change: (inout TransferRequest, WebServer) throws -> Void = { _, _ in }
    ) throws -> (fields: [String], end: Transfer) {
        let box = try Box()
        let server = try WebServer(box.directory)
        try box.start()
        var request = TransferRequest.download(server.url(path, of: name, host: host))
        request.retry.attempts = 1
        try change(&request, server)
        let end = try box.finish(try box.add(request))
        let text = try end.progress.file.map { try String(contentsOfFile: $0, encoding: .utf8) }
        let fields = text?.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        return (fields ?? [], end)
    }

    /// A file in the server's directory that other users cannot read.
    private static func secret(_ text: String, _ server: WebServer, mode: mode_t = 0o600) throws
        -> String
    {
        let path = server.directory + "/secret"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, mode)
        return path
    }

    @Test(
        "a certificate that is untrusted, expired or for another host ends the transfer",
        arguments: [
            ("secure", "localhost", false), ("stranger", "localhost", true),
            ("expired", "localhost", true), ("secure", "other.localhost", true),
        ])
    func untrusted(_ name: String, _ host: String, _ hasAuthority: Bool) throws {
        let (_, end) = try Self.seen("/seen", of: name, host: host) { request, server in
            if hasAuthority { request.authorities = server.authorities }
        }
        #expect(
            end.progress.result == .failed && end.progress.failure == .untrustedServer, "\(end)")
        #expect(end.progress.problem?.contains("not trusted") == true)
    }

    @Test("a private authority is trusted if it is named, over HTTP/2")
    func privateAuthority() throws {
        let (fields, end) = try Self.seen("/seen", of: "secure", host: "localhost") {
            $0.authorities = $1.authorities
        }
        #expect(fields.first == "HTTP/2.0", "\(end)")
        #expect(try Self.seen("/seen").fields.first == "HTTP/1.1")
    }

    @Test("verification is disabled by an explicit option")
    func unverified() throws {
        let (fields, _) = try Self.seen("/seen", of: "expired") { request, _ in
            request.verifiesServer = false
        }
        #expect(fields.first == "HTTP/2.0")
    }

    @Test("a client shows its certificate, whose key must be private")
    func clientCertificate() throws {
        let (fields, end) = try Self.seen("/seen", of: "client") { request, server in
            request.authorities = server.authorities
            request.certificate = server.directory + "/client.pem"
            request.key = server.directory + "/client.key"
        }
        #expect(fields.last == "CN=client", "\(end)")
        let (_, refused) = try Self.seen("/seen", of: "client") { request, server in
            request.authorities = server.authorities
            request.certificate = server.directory + "/client.pem"
            request.key = server.directory + "/client.key"
            chmod(server.directory + "/client.key", 0o640)
        }
        #expect(refused.progress.failure == .clientCertificate)
        #expect(refused.progress.problem?.contains("chmod 600") == true)
    }

    @Test("credentials are read from a private file")
    func credentials() throws {
        let (fields, _) = try Self.seen("/seen") {
            $0.credentials = try Self.secret("Bearer abc\n", $1)
        }
        #expect(fields[1] == "Bearer abc")
        let (basic, _) = try Self.seen("/seen") {
            $0.credentials = try Self.secret("user:pass:word\n", $1)
        }
        #expect(basic[1] == "Basic " + Data("user:pass:word".utf8).base64EncodedString())
    }

    @Test(
        "credentials that others can read, or that are invalid, are not used",
        arguments: [("Bearer abc", 0o644), ("nothing", 0o600), ("a:b\nc:d", 0o600), ("", 0o600)]
            as [(String, mode_t)])
    func badCredentials(_ text: String, _ mode: mode_t) throws {
        let (_, end) = try Self.seen("/seen") {
            $0.credentials = try Self.secret(text, $1, mode: mode)
        }
        #expect(end.progress.failure == .credentials, "\(end)")
        #expect(end.progress.status == nil)
    }

    @Test("nginx requests a password and receives it")
    func password() throws {
        let box = try Box()
        let server = try WebServer(box.directory)
        try server.put("a", Data("x".utf8))
        try box.start()
        var request = TransferRequest.download(server.url("/private/a"))
        #expect(try box.finish(try box.add(request)).progress.status == 401)
        request.credentials = try Self.secret("user:password", server)
        #expect(try box.finish(try box.add(request)).progress.result == .completed)
    }

    @Test(
        "a redirection to another server takes no secrets along; one to the same does",
        arguments: [("/elsewhere", false), ("/here", true)])
    func redirected(_ path: String, _ isSame: Bool) throws {
        let (fields, end) = try Self.seen(path) {
            $0.credentials = try Self.secret("Bearer abc", $1)
            $0.headers = [.init("Cookie", "c=1"), .init("X-Mine", "yes")]
        }
        #expect(fields.count == 5, "\(end)")
        #expect(fields[1] == (isSame ? "Bearer abc" : ""))
        #expect(fields[2] == (isSame ? "c=1" : ""))
        #expect(fields[3] == "yes")
    }

    @Test(
        "unsafe redirections are not followed",
        arguments: [
            ("/loop", "plain", TransferFailure.tooManyRedirects), ("/outside", "plain", .badAnswer),
            ("/downgrade", "secure", .untrustedServer),
        ])
    func refused(_ path: String, _ name: String, _ failure: TransferFailure) throws {
        let (_, end) = try Self.seen(path, of: name) { $0.authorities = $1.authorities }
        #expect(end.progress.result == .failed && end.progress.failure == failure, "\(end)")
    }

    @Test("a configured proxy is used")
    func proxy() throws {
        let box = try Box()
        let proxy = try ScriptedServer { $0.answer("200 OK", [], Data($0.head.utf8)) }
        try box.start()
        var request = TransferRequest.download("http://nowhere.invalid/a")
        request.proxy = proxy.url("")
        let end = try box.finish(try box.add(request))
        #expect(
            proxy.requests.first?.hasPrefix("GET http://nowhere.invalid/a HTTP/1.1") == true,
            "\(end)")
    }
}
