// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import Testing

@Suite("Topics of a broker", .timeLimit(.minutes(10)))
struct TopicTests {
    @Test(
        "have at most 1024 bytes",
        arguments: [(1_024, []), (1_025, [.badName])] as [(Int, [DiagnosticCode])])
    func length(bytes: Int, codes: [DiagnosticCode]) {
        let topic = "é/" + String(repeating: "a", count: bytes - 3)
        let push = "push: {mqtt: {broker: mqtts://example.com, topics: [\(topic)]}}\n"
        let manifest = Sample.text(rest: push)
            .replacing("kind: processing", with: "kind: push")
            .replacing("modes: [processing]", with: "modes: [remote-notification]")
        #expect(Sample.codes(Array(manifest.utf8)) == codes)
    }
}
