// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunHooks
@testable import BGRunManifest

@Suite("The event of a hook", .timeLimit(.minutes(5)))
struct HookEventTests {
    private static func event(output: [String]) -> HookEvent {
        var event = HookEvent(
            event: .failed, app: "org.test", identifier: "org.test.a", at: 1, failures: 1,
            manifest: "/m.yaml")
        event.takeOutput(output)
        return event
    }

    @Test("has the last lines of the output that are at most 256 KiB together")
    func output() {
        #expect(Self.event(output: []).output.isEmpty)
        #expect(Self.event(output: ["a", "", "c"]).output == ["a", "", "c"])
        let half = String(repeating: "x", count: HookEvent.outputBytes / 2)
        #expect(Self.event(output: ["dropped", half, half]).output == [half, half])
        #expect(Self.event(output: [half, half, "c"]).output == [half, "c"])
    }

    @Test("has the beginning of a last line that is longer")
    func longLine() {
        let line = String(repeating: "é", count: HookEvent.outputBytes)
        let output = Self.event(output: ["dropped", line]).output
        #expect(output == [String(line.prefix(HookEvent.outputBytes / 2))])
    }

    @Test(
        "fits in the parameters of an attempt whatever a handler prints",
        arguments: ["\u{1}", "\""])
    func parameters(_ character: String) throws {
        let line = String(repeating: character, count: 1 << 20)
        let event = Self.event(output: Array(repeating: line, count: HookEvent.outputLines))
        let parameters = try #require(JSONValue.object(["input": .string(event.json)]).text)
        #expect(parameters.utf8.count < 2 << 20)
    }

    @Test("no text of a handler ends a line of the subject or of the environment")
    func oneLine() {
        var event = HookEvent(
            event: .failed, app: "org.test.app", identifier: "org.test.a", at: 5, failures: 2,
            manifest: "/m.yaml")
        event.outcome = "failed"
        event.message = "bad\r\nBcc: all@example.com\u{0}\u{85}end"
        let told = event.withSubject()
        let texts = told.environment.values
        #expect(texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        #expect(told.subject.hasPrefix("bgrun: org.test.a failed (2 times in a row): bad  Bcc"))
        #expect(told.json.contains(#""message":"bad\r\nBcc"#), "the JSON has all of it")
        #expect(!told.json.contains("\n"))
    }

    @Test("the number of failures is stated from the second in a row", arguments: [1, 2])
    func failures(_ count: Int64) {
        var event = HookEvent(
            event: .failed, app: "org.test.app", identifier: "org.test.a", at: 5, failures: count,
            manifest: "/m.yaml")
        event.outcome = "exit status 3"
        let subject = "bgrun: org.test.a exit status 3"
        #expect(
            event.withSubject().subject == subject + (count == 1 ? "" : " (2 times in a row)"))
    }

    @Test("the length of a subject is limited")
    func longMessage() {
        var event = HookEvent(
            event: .expired, app: "a", identifier: "b", at: 5, failures: 1, manifest: "/m.yaml")
        event.message = String(repeating: "x", count: 100_000)
        #expect(event.withSubject().subject.count == 200)
    }
}
