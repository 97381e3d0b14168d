// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import Foundation
import Testing

@Suite("Rendered diagnostics", .timeLimit(.minutes(10)))
struct RenderingTests {
    private func problem(_ text: String) throws -> Diagnostic {
        do throws(ManifestProblems) {
            _ = try Sample.read(text)
        } catch {
            return try #require(error.diagnostics.first)
        }
        throw Accepted()
    }

    private struct Accepted: Error {}

    @Test("JSON is valid and has every part")
    func json() throws {
        let diagnostic = try problem(Sample.text(task: "every: \"1\\u202E\\\"\""))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(diagnostic.json.utf8)) as? [String: Any])
        #expect(object["severity"] as? String == "error")
        #expect(object["code"] as? String == "bad-duration")
        #expect(object["file"] as? String == "app.yaml")
        #expect(object["line"] as? Int == 10)
        #expect(object["column"] as? Int == 12)
        #expect(object["end_column"] as? Int == 23)
        #expect(object["message"] as? String == #"`1\u{202E}"` is not a length of time"#)
        #expect((object["help"] as? String)?.hasPrefix("write whole numbers") == true)
    }

    @Test("a problem without a place has null for the numbers")
    func jsonWithoutPlace() throws {
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(problem("").json.utf8)) as? [String: Any])
        #expect(object["line"] is NSNull)
        #expect(object["column"] is NSNull)
        #expect(object["end_column"] is NSNull)
    }

    @Test("several problems are a JSON array, and in text separated by empty lines")
    func together() throws {
        let problem = try problem(Sample.text(task: "every: 5"))
        let array = try JSONSerialization.jsonObject(with: Data([problem, problem].json.utf8))
        #expect((array as? [Any])?.count == 2)
        let text = problem.rendered(color: false)
        #expect([problem, problem].rendered(color: false) == text + "\n" + text)
    }

    @Test("colour does not change the text")
    func color() throws {
        let diagnostic = try problem(Sample.text(task: "every: 5"))
        let colored = diagnostic.rendered(color: true)
        #expect(colored.contains("\u{1B}[1;31merror:\u{1B}[0m"))
        let plain = colored.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(plain == diagnostic.rendered(color: false))
    }

    @Test(
        "the caret is below the value, whatever is before it",
        arguments: [
            ("every: 5", "    every: 5", "           ^"),
            ("every:\t5", "    every:    5", "              ^"),
            ("{}: 1", "    {}: 1", "    ^~"),
            ("\"日本\": 5", "    \"日本\": 5", "    ^~~~~~"),
            ("\"👩‍💻\": 5", "    \"👩‍💻\": 5", "    ^~~~"),
            ("\"e\u{301}\": 5", "    \"e\u{301}\": 5", "    ^~~"),
        ])
    func caret(line: String, shown: String, caret: String) throws {
        let snippet = try #require(problem(Sample.text(task: line)).snippet)
        #expect(snippet.line == shown)
        #expect(snippet.caret == caret)
    }

    @Test("the reason for a refused manifest is its first error, also if a warning comes before")
    func firstError() {
        let text = """
            bgrun: 1
            app: org.test
            modes: [fetch]
            permitted_identifiers: [org.test.a, org.test.b]
            tasks:
              org.test.a: {kind: app-refresh, call: {library: libc.so.6, function: sync}, every: 10s}
              org.test.b: {kind: app-refresh, call: {library: libc.so.6, function: sync}, evry: 1d}
            """
        let problems = #expect(throws: ManifestProblems.self) { try Sample.read(text) }
        #expect(problems?.diagnostics.first?.severity == .warning)
        #expect(problems?.firstError?.severity == .error)
    }
}
