// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunManifest

@Suite("Files of another kind in place of a manifest", .timeLimit(.minutes(5)))
struct OtherKindTests {
    @Test(
        "a file of another kind is reported as one error",
        arguments: [
            ("scenario: 1\nevents: []\n", "the file is a scenario, not a manifest"),
            (
                "\u{7F}ELF\u{2}\u{1}\u{1}\0",
                "the file is a shared library or a program, not a manifest"
            ),
        ])
    func otherKind(_ text: String, _ message: String) {
        var messages: [String] = []
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(bytes: Array(text.utf8), path: "m.yaml", directory: "/")
        } catch {
            messages = error.diagnostics.map(\.message)
        }
        #expect(messages == [message])
    }
}
