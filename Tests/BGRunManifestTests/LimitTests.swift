// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunManifest

@Suite("Hostile files", .timeLimit(.minutes(10)))
struct LimitTests {
    @Test(
        "bytes that are not UTF-8 are named by line and column",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let problems = problems(Array("bgrun: 1\n# é ".utf8) + bytes + Array("\n".utf8))
        #expect(problems.map(\.code) == [.invalidUTF8])
        #expect(problems.first?.mark == SourceMark(line: 2, column: 5))
    }

    @Test(
        "control characters are refused, tabs and line breaks are not",
        arguments: [
            ("\u{0}", false), ("\u{8}", false), ("\u{1B}", false), ("\u{7F}", false),
            ("\u{80}", false), ("\u{FEFF}", false), ("\u{FFFE}", false), ("\t", true),
            ("\r\n", true),
            ("\u{85}", true), ("\u{1F600}", true),
        ])
    func controls(character: String, isAllowed: Bool) {
        let codes = Sample.codes(Array((Sample.text() + "# \(character)\n").utf8))
        #expect(codes == (isAllowed ? [] : [.controlCharacter]))
    }

    @Test("a byte order mark at the beginning is skipped, and columns do not count it")
    func byteOrderMark() {
        #expect(Sample.codes(Array(("\u{FEFF}" + Sample.text()).utf8)) == [])
        let problems = problems(Array("\u{FEFF}bgrn: 1\n".utf8))
        let unknown = problems.first { $0.code == .unknownKey }
        #expect(unknown?.mark == SourceMark(line: 1, column: 1))
        #expect(unknown?.snippet?.line == "bgrn: 1")
    }

    @Test("UTF-16 is refused")
    func utf16() {
        #expect(Sample.codes([0xFF, 0xFE, 0x61, 0x00]) == [.invalidUTF8])
    }

    @Test("carriage returns end lines")
    func carriageReturns() {
        let text = Sample.text(rest: "colour: red\n").replacingOccurrences(of: "\n", with: "\r\n")
        let unknown = problems(Array(text.utf8)).first
        #expect(unknown?.mark == SourceMark(line: 11, column: 1))
        #expect(unknown?.snippet?.line == "colour: red")
    }

    @Test("64 levels of nesting are read, 65 are not", arguments: [(62, true), (63, false)])
    func depth(lists: Int, isRead: Bool) {
        // The manifest, tasks, the task and parameters are four levels, the innermost value one.
        let nested =
            String(repeating: "[", count: lists - 3) + "1"
            + String(repeating: "]", count: lists - 3)
        let codes = Sample.codes(Array(Sample.text(task: "parameters: {a: \(nested)}").utf8))
        #expect(codes == (isRead ? [] : [.tooDeep]))
    }

    @Test("aliases add to the depth")
    func aliasDepth() {
        var text = "a0: &a0 [x]\n"
        for level in 1...64 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        #expect(Sample.codes(Array(text.utf8)) == [.tooDeep])
    }

    @Test("aliases that multiply are refused before they are expanded")
    func aliasBomb() {
        var text = "a0: &a0 [" + String(repeating: "x, ", count: 99) + "x]\n"
        for level in 1...20 {
            let aliases = String(repeating: "*a\(level - 1), ", count: 99)
            text += "a\(level): &a\(level) [\(aliases)x]\n"
        }
        #expect(Sample.codes(Array(text.utf8)) == [.tooManyValues])
    }

    @Test("too many values are refused without aliases, too")
    func values() {
        let list = "a: [" + String(repeating: "1,", count: 100_001) + "]\n"
        #expect(Sample.codes(Array(list.utf8)) == [.tooManyValues])
    }

    @Test("merges do not multiply values")
    func mergeBomb() {
        var text = "a0: &a0 {" + (0..<100).map { "k\($0): 1, " }.joined() + "}\n"
        for level in 1...20 {
            let aliases = String(repeating: "*a\(level - 1), ", count: 99)
            text += "a\(level): &a\(level) {<<: [\(aliases)]}\n"
        }
        #expect(Sample.codes(Array(text.utf8)) == [.tooManyValues])
    }

    @Test("the first of very many problems are shown, and the others are counted")
    func manyProblems() {
        let keys = (0..<5_000).map { "key\($0): 1\n" }.joined()
        let problems = problems(Array((Sample.text() + keys).utf8))
        #expect(problems.count == 201)
        #expect(problems.last?.code == .tooManyProblems)
        #expect(problems.last?.message == "4800 more problems are not shown")
    }

    @Test(
        "a file that cannot be read is refused with the system's message",
        arguments: [
            ("/nowhere/app.yaml", "No such file or directory"), ("/tmp", "not a regular file"),
            ("/dev/zero", "not a regular file"),
        ])
    func unreadable(path: String, reason: String) {
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(path: path)
            Issue.record("it was read")
        } catch {
            #expect(error.diagnostics.map(\.code) == [.unreadableFile])
            #expect(error.diagnostics.first?.message.contains(reason) == true)
            #expect(
                error.diagnostics.first?.rendered(color: false).hasPrefix("\(path): error: ")
                    == true)
        }
    }

    @Test("a file may have 1 MiB and not a byte more", arguments: [0, 1])
    func size(extra: Int) throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "bgrun-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: url) }
        let text = Sample.text()
        let padding = String(repeating: "#", count: (1 << 20) - text.utf8.count + extra)
        try (text + padding).write(to: url, atomically: true, encoding: .utf8)
        do throws(ManifestProblems) {
            let manifest = try ManifestReader.read(path: url.path).manifest
            #expect(extra == 0)
            #expect(manifest.path == url.path)
            #expect(manifest.directory == url.deletingLastPathComponent().path)
        } catch {
            #expect(extra == 1)
            #expect(error.diagnostics.map(\.code) == [.fileTooLarge])
        }
    }

    @Test(
        "64 KiB of any text are read in bounded time", .timeLimit(.minutes(5)),
        arguments: [
            "[", "{", "{a: ", "- ", "? ", "a: ", "\"", "'", "\"a\": ", "&a ", "*a ", "!a ", "!!",
            "\n",
            "|\n", ">\n ", "%a\n", "---\n", "#", "a\n", " ", "\t", ",", "[],", "a: 1, ", ": ",
            "a:\n ",
            "é", "\u{85}", "\u{2028}", "\\", "\"\\", "<<: ", "x", "x ", "- x\n", "-\n ",
        ])
    func repetition(of pattern: String) {
        for start in ["", "a: [", "a: \""] {
            let count = (1 << 16) / pattern.utf8.count
            let text = start + String(repeating: pattern, count: count)
            #expect(!Sample.codes(Array(text.utf8)).isEmpty)
        }
    }

    @Test("thousands of different keys are read in bounded time", .timeLimit(.minutes(5)))
    func differentKeys() {
        let keys = (0..<20_000).map { "permitted_\($0): 1\n" }.joined()
        #expect(Sample.codes(Array(keys.utf8)).last == .tooManyProblems)
        let line = "{" + (0..<20_000).map { "k\($0): 1," }.joined() + "}"
        #expect(Sample.codes(Array(line.utf8)).last == .tooManyProblems)
    }

    private func problems(_ bytes: [UInt8]) -> [Diagnostic] {
        do throws(ManifestProblems) {
            return try Sample.read(bytes).warnings
        } catch {
            return error.diagnostics
        }
    }
}
