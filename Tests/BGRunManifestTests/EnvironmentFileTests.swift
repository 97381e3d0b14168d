// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Foundation
import Testing

@testable import BGRunManifest

@Suite("Files of variables", .timeLimit(.minutes(10)))
struct EnvironmentFileTests {
    @Test(
        "a line has a name and a value, which may be quoted; nothing is expanded",
        arguments: [
            ("", [:]), ("# A=1\n  ; B=2\n\n", [:]), ("A=1", ["A": "1"]),
            ("A=1\r\nB=2\r\n", ["A": "1", "B": "2"]), ("  A=1\n", ["A": "1"]),
            ("A= one two \t", ["A": "one two"]), ("A=", ["A": ""]), ("A=\"\"", ["A": ""]),
            ("A=b=c # d", ["A": "b=c # d"]), ("A=$B ${C}", ["A": "$B ${C}"]),
            ("A=' one '", ["A": " one "]), ("A='\\\"$'", ["A": "\\\"$"]),
            (#"A="\"\\\$\`\n""#, ["A": #""\$`\n"#]), ("A=1\nA=2", ["A": "2"]),
            ("A=ä", ["A": "ä"]),
        ] as [(String, [String: String])])
    func accepted(_ text: String, _ variables: [String: String]) throws {
        #expect(try EnvironmentFile.variables(in: Array(text.utf8)) == variables)
    }

    @Test(
        "other lines are refused with their number, and without their text",
        arguments: [
            ("A=1\n\nB", 3, "has no `=`"),
            ("A =1", 1, "does not begin with the name of a variable"),
            ("=1", 1, "does not begin with the name of a variable"),
            ("export A=1", 1, "does not begin with the name of a variable"),
            ("A=a\\\n", 1, "has a quote or `\\` in a value without quotes"),
            ("A=it's", 1, "has a quote or `\\` in a value without quotes"),
            ("A='a", 1, "has a quote without an end"),
            ("A=\"a\\\"", 1, "has a quote without an end"),
            ("A='a'b", 1, "has text after a closing quote"),
            ("A=a\0", 1, "is not UTF-8, or contains a NUL"),
        ] as [(String, Int, String)])
    func refused(_ text: String, _ line: Int, _ message: String) throws {
        let problem = try #require(throws: EnvironmentFile.Problem.self) {
            try EnvironmentFile.variables(in: Array(text.utf8))
        }
        #expect(problem.line == line && problem.message == message)
    }

    @Test("text in another encoding is refused")
    func encoding() {
        #expect(throws: EnvironmentFile.Problem.self) {
            try EnvironmentFile.variables(in: Array("A=".utf8) + [0xE4])
        }
    }

    private func task(_ keys: String, in directory: String) throws -> TaskDefinition {
        let text = """
            bgrun: 1
            app: com.example.photos
            permitted_identifiers: [com.example.photos.sync]
            modes: [processing]
            plugins: {greeter: hello-c}
            tasks:
              com.example.photos.sync: {kind: processing, handler: greeter.greet, \(keys)}
            """
        return try ManifestReader.read(
            bytes: Array(text.utf8), path: "photos.yaml", directory: directory
        ).manifest.tasks[0]
    }

    @Test("later files count more than earlier ones, and `environment` more than all")
    func order() throws {
        let directory = NSTemporaryDirectory() + "variables-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for (name, text) in [("one", "A=1\nB=1\nC=1"), ("two", "B=2\nC=2")] {
            try Data(text.utf8).write(to: URL(filePath: directory + "/" + name))
        }
        let one = try task("env_file: ./one", in: directory)
        #expect(one.environment == ["A": "1", "B": "1", "C": "1"])
        let both = try task("env_file: [one, two], environment: {C: 3}", in: directory)
        #expect(both.environment == ["A": "1", "B": "2", "C": "3"])
        #expect(both.environmentFiles == [directory + "/one", directory + "/two"])
        try Data(count: 65_537).write(to: URL(filePath: directory + "/one"))
        #expect(throws: ManifestProblems.self) { try task("env_file: one", in: directory) }
    }

    @Test("secrets are read at the launch: the manifest names them only")
    func secrets() throws {
        let task = try task(
            "secrets: {token: {file: ./absent}, key: {credential: api.key}}", in: "/photos")
        #expect(
            task.secrets == [
                .init(name: "token", source: .file("/photos/absent")),
                .init(name: "key", source: .credential("api.key")),
            ])
    }
}
