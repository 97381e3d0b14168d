// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunManifest

@Suite("Tokens of a webhook", .timeLimit(.minutes(10)))
struct PushTokenTests {
    @Test(
        "lint accepts a token as long as the webhook does; white space at its ends does not count",
        arguments: [
            (" \(String(repeating: "a", count: 15))\n", "has under 16 characters"),
            (" \(String(repeating: "a", count: 16))\n", nil),
            (String(repeating: "a", count: 4_096), nil),
            (String(repeating: "a", count: 4_097), "has over 4096 bytes"),
        ] as [(String, String?)])
    func length(token: String, problem: String?) throws {
        let path = NSTemporaryDirectory() + "token-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(token.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let text = """
            bgrun: 1
            app: com.example.photos
            permitted_identifiers: [com.example.photos.changed]
            modes: [remote-notification]
            plugins: {greeter: hello-c}
            tasks:
              com.example.photos.changed: {kind: push, handler: greeter.greet}
            push:
              webhook: {listen: 8765, token: \(path)}
            """
        var options = ManifestReader.Options()
        options.checksSecrets = true
        var messages: [String] = []
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(
                bytes: Array(text.utf8), path: "photos.yaml", directory: "/", options: options)
        } catch {
            messages = error.diagnostics.map(\.message)
        }
        #expect(messages.count == (problem == nil ? 0 : 1), "\(messages)")
        if let problem { #expect(messages.first?.hasSuffix(problem) == true, "\(messages)") }
    }
}
