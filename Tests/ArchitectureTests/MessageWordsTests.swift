// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Docs and messages are plain technical English: a thing is "not a number", "missing" or "invalid".
@Suite("Words of messages and names", .timeLimit(.minutes(10)))
struct MessageWordsTests {
    /// The words that are banned in messages, each with a text that contains it.
    private static let banned = [
        ("is no", "it is no file"), ("are no", "there are no tasks"),
        ("is none", "the path is none"), ("are none", "they are none"),
        ("who", "find out who made it"),
    ]

    /// Forms that are banned everywhere, each with a text that contains it.
    private static let bannedEverywhere = [
        ("nobody", "Nobody knows"), ("no one", "of no one identifier"),
        ("whoever", "by whoever runs it"), ("its kin", "a task and its kin"),
        ("goes on", "the host goes on"), ("lets one", "it lets one wait"),
        ("stands in", "what stands in its place"), ("say of", "what they say of it"),
        ("says of", "what it says of it"), ("tell of", "they tell of an end"),
        ("tells of", "it tells of an end"), ("told of", "it is told of an end"),
    ]

    /// The second word of each of them that has two, by its first.
    private static let pairs = Dictionary(
        uniqueKeysWithValues: bannedEverywhere.map { words(of: $0.0) }.filter { $0.count == 2 }
            .map { ($0[0], $0[1]) })

    /// Nouns that names may not contain; a text may mean a real desk.
    private static let bannedNouns: Set = [
        "desk", "door", "lane", "patience", "room", "slip", "standing",
    ]

    @Test("no user-visible text contains `is no`, `nobody` or `who`")
    func messages() throws {
        let files =
            ["Sources", "SDK/Sources", "Tools/audit/Sources"]
            .flatMap { SourceFile.all(in: $0, ["swift"]) }
            + SourceFile.all(in: "Plugins", ["c"])
        let texts = files.map { ($0.path, Self.texts(of: $0)) }
        try #require(texts.reduce(0) { $0 + $1.1.count } > 10_000)
        for (path, lines) in texts { expectNone(of: Self.bannedWord, in: lines, path) }
    }

    @Test("no comment or document contains such a word; `is no` is permitted after `there`")
    func comments() throws {
        let files = [
            "Sources", "SDK/Sources", "SDK/Tests", "Tests", "Tools/audit/Sources",
            "Tools/audit/Tests", "Examples", "Kits", "Plugins",
        ]
        .flatMap { SourceFile.all(in: $0, ["swift"]) }
        let comments = files.map { ($0.path, $0.comments) }
        let documents = (SourceFile.all(in: "Docs", ["md"]) + SourceFile.all(in: "", ["md"]))
            .map { ($0.path, Self.numbered($0.lines)) }
        try #require(comments.reduce(0) { $0 + $1.1.count } > 10_000 && documents.count > 30)
        for (path, lines) in comments + documents {
            expectNone(of: Self.bannedInProse, in: lines, path)
        }
    }

    @Test("no text of a test, such as its name, contains a word that is banned in comments")
    func namesOfTests() throws {
        let files = ["Examples", "SDK/Tests", "Tests", "Tools/audit/Tests"]
            .flatMap { SourceFile.all(in: $0, ["swift"]) }
            .filter { !$0.path.hasSuffix("/MessageWordsTests.swift") }
        let texts = files.map { ($0.path, Self.texts(of: $0) + Self.rawNames(of: $0)) }
        try #require(texts.reduce(0) { $0 + $1.1.count } > 10_000)
        for (path, lines) in texts {
            expectNone(
                of: { Self.bannedInProse(in: Self.withoutValues($0)) }, in: lines, path)
        }
    }

    @Test("each word that CONTRIBUTING bans is found, or is a noun")
    func list() throws {
        let text = try String(
            contentsOf: SourceFile.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.contains("(not: ") }
        var forms: [String] = []
        for line in lines {
            for (offset, part) in line.split(separator: "`").enumerated() where offset % 2 == 1 {
                forms.append(String(part))
            }
        }
        try #require(forms.count > 10)
        for form in forms {
            #expect(
                Self.bannedWord(in: form) != nil || Self.bannedNouns.contains(form), "\(form)")
        }
    }

    @Test("no script, C file, kit, manifest or manual page contains one of these words")
    func others() throws {
        let extensions: Set = [
            "", "1", "c", "cpp", "go", "h", "hpp", "in", "py", "rs", "service", "sh", "timer",
            "toml", "yaml", "zig",
        ]
        let files =
            [
                ".ci", "Benchmarks", "Docs/man", "Examples", "Kits", "Packaging", "Plugins",
                "SDK/Sources", "Scripts", "Sources", "manifests",
            ].flatMap { SourceFile.all(in: $0, extensions) }
            + ["Kits", "Plugins"].flatMap { SourceFile.all(in: $0, ["swift"]) }
        try #require(files.count > 150)
        for file in files {
            expectNone(
                of: Self.bannedWord, in: Self.numbered(file.lines.map(Self.withoutValues)),
                file.path)
        }
    }

    @Test("no C, Python, text or YAML file of the tests contains a word banned in comments")
    func fixtures() throws {
        // Headers of earlier versions of the ABI stay as they were released.
        let files = SourceFile.all(in: "Tests", ["c", "h", "py", "sh", "txt", "yaml"])
            .filter { !$0.path.hasPrefix("Tests/ABI/headers/") }
        try #require(files.count > 150)
        for file in files {
            expectNone(
                of: Self.bannedInProse, in: Self.numbered(file.lines.map(Self.withoutValues)),
                file.path)
        }
    }

    @Test("no identifier or file name of the sources contains a banned noun")
    func names() throws {
        var places: [String: String] = [:]
        for file in ["Sources", "SDK/Sources"].flatMap({
            SourceFile.all(in: $0, ["c", "cpp", "h", "swift"])
        }) {
            var filter = LiteralFilter()
            var names = CodeWords.words(of: file.path)
            // The others are lines of a block comment of C, which may also follow code.
            for (_, text) in file.code where !text.drop(while: { $0 == " " }).hasPrefix("* ") {
                let parts = filter.code(of: text)
                    .split(separator: "/*", omittingEmptySubsequences: false)
                names.formUnion(CodeWords.words(of: String(parts[0])))
            }
            for name in names { places[name] = file.path }
        }
        try #require(places.count > 5_000)
        for (name, path) in places { #expect(!Self.hasBannedNoun(name), "\(path): \(name)") }
        for name in ["room", "hasRoom", "mostLanes", "next_slip", "HTMLDoor", "DeskTests"] {
            #expect(Self.hasBannedNoun(name), "\(name)")
        }
        for name in ["Desktop", "mushroom", "planes", "understanding", "slipped"] {
            #expect(!Self.hasBannedNoun(name), "\(name)")
        }
    }

    /// Whether a word of a name in camel case or snake case is a banned noun or its plural.
    private static func hasBannedNoun(_ name: String) -> Bool {
        var parts = [""]
        for character in name {
            if character.isUppercase || character == "_" || character.isNumber { parts.append("") }
            if character != "_" { parts[parts.count - 1] += character.lowercased() }
        }
        let nouns = parts + parts.filter { $0.hasSuffix("s") }.map { String($0.dropLast()) }
        return !bannedNouns.isDisjoint(with: nouns)
    }

    @Test("each of these words is found, and similar words are not")
    func finds() {
        for (word, text) in Self.banned + Self.bannedEverywhere {
            #expect(Self.bannedWord(in: text) == word, "\(text)")
        }
        for (word, text) in Self.bannedEverywhere {
            #expect(Self.bannedInProse(in: text) == word, "\(text)")
        }
        for text in [
            "it is no longer needed", "the whole file", "this node", "is nonexistent", "is 1, no",
        ] {
            #expect(Self.bannedWord(in: text) == nil, "\(text)")
        }
        for text in ["a list is no list", "the list is none", "they are none", "though nobody did"]
        {
            #expect(Self.bannedInProse(in: text) != nil, "\(text)")
        }
        for text in [
            "if there is no list", "it is no longer", "there are none", "the `is no`", "`whoever`",
            "user: nobody", "as nobody; run it", "a user who may read it",
        ] {
            #expect(Self.bannedInProse(in: text) == nil, "\(text)")
        }
        let file = SourceFile(
            path: "a.swift",
            text: #"""
                // "a comment"
                say("one \(nobody(in: "inner")) two", \"three\")
                let text = """
                    four
                    """
                """#)
        #expect(Self.texts(of: file).contains { $0.text.hasSuffix("four") })
        #expect(!Self.texts(of: file).contains { $0.text.contains("nobody") })
        #expect(Self.texts(of: file).first?.number == 2)
        let named = SourceFile(path: "a.swift", text: "@Test func `What it says of it`() {}")
        #expect(Self.rawNames(of: named).contains { Self.bannedInProse(in: $0.text) != nil })
    }

    private func expectNone(
        of banned: (String) -> String?, in lines: [(number: Int, text: String)], _ path: String
    ) {
        for (number, text) in lines {
            let found = banned(text)
            #expect(found == nil, "\(path):\(number): \"\(found ?? "")\" in: \(text)")
        }
    }

    private static func numbered(_ lines: [String]) -> [(number: Int, text: String)] {
        lines.enumerated().map { ($0.offset + 1, $0.element) }
    }

    /// Without Python's `None` and two values of manifests.
    private static func withoutValues(_ line: String) -> String {
        line.replacing("None", with: "nil").replacing("user: nobody", with: "")
            .replacing("is: none", with: "")
    }

    private static func words(of text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func bannedWord(in text: String) -> String? {
        let words = Self.words(of: text)
        for (index, word) in words.enumerated() {
            if word == "nobody" || word == "who" || word == "whoever" { return word }
            let next = index + 1 < words.count ? words[index + 1] : ""
            let isBanned =
                switch (word, next) {
                case ("is", "no"), ("are", "no"):
                    // "is no longer" has another meaning.
                    index + 2 >= words.count || words[index + 2] != "longer"
                case ("is", "none"), ("are", "none"): true
                default: pairs[word] == next
                }
            if isBanned { return word + " " + next }
        }
        return nil
    }

    /// The first banned form in `text`: one that is banned everywhere, or `is no` or `is none` not after `there`.
    /// Ignores code in backquotes, `nobody` as the name of a user, and `who`, which may mean a person.
    private static func bannedInProse(in text: String) -> String? {
        let prose = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset % 2 == 0 ? $0.element : "code" }.joined().lowercased()
        if prose.contains("nobody"), prose.contains(#/\bnobody [a-z]/#) { return "nobody" }
        let words = Self.words(of: prose)
        for (index, word) in words.enumerated() {
            if word == "whoever" { return word }
            let next = words.dropFirst(index + 1)
            guard let second = next.first else { return nil }
            if pairs[word] == second { return word + " " + second }
            guard word == "is" || word == "are", second == "no" || second == "none",
                !["longer", "later", "more"].contains(next.dropFirst().first ?? ""),
                index == 0 || words[index - 1] != "there"
            else { continue }
            return word + " " + second
        }
        return nil
    }

    /// The lines that declare a function or a type whose name is a sentence in backquotes, without these.
    private static func rawNames(of file: SourceFile) -> [(number: Int, text: String)] {
        file.code.filter { $0.text.contains("func `") || $0.text.contains("struct `") }
            .map { ($0.number, $0.text.replacing("`", with: "")) }
    }

    /// The quoted texts without interpolations, with their line numbers.
    private static func texts(of file: SourceFile) -> [(number: Int, text: String)] {
        var texts: [(number: Int, text: String)] = []
        var isInBlock = false
        for (number, line) in file.code {
            let parts = line.split(separator: "\"\"\"", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index > 0 { isInBlock.toggle() }
                if isInBlock {
                    texts.append(
                        (number, quoted(String(part), isInside: true).joined(separator: " ")))
                } else {
                    texts += quoted(String(part), isInside: false).map { (number, $0) }
                }
            }
        }
        return texts
    }

    /// The quoted texts of a line, without interpolations.
    private static func quoted(_ line: String, isInside: Bool) -> [String] {
        var texts: [String] = []
        var text = ""
        var isText = isInside
        var depth = 0
        var isEscaped = false
        for character in line {
            if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else if isEscaped {
                isEscaped = false
                if character == "(" { depth = 1 }
            } else if isText, character == "\\" {
                isEscaped = true
            } else if character == "\"", !isInside {
                if isText { texts.append(text) }
                text = ""
                isText.toggle()
            } else if isText {
                text.append(character)
            }
        }
        return isText ? texts + [text] : texts
    }
}
