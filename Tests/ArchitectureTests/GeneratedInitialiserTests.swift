// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Initialisers that the compiler would generate", .timeLimit(.minutes(10)))
struct GeneratedInitialiserTests {
    @Test("are not written")
    func sources() throws {
        let files = SourceFile.all(in: "Sources", ["swift"])
        try #require(files.count > 500)
        for file in files {
            for number in Self.found(in: file.lines) { Issue.record("\(file.path):\(number)") }
        }
    }

    @Test(
        "have the stored members as parameters, with their values, and only set them",
        arguments: [
            ("let a: Int\n    init(a: Int) { self.a = a }", true),
            ("let a: Int\n    let b = 2\n    init(a: Int) { self.a = a }", true),
            (
                """
                private(set) var a: Int  // comment
                    var b: Int?
                    init(
                        a: Int, b: Int? = nil
                    ) {
                        self.a = a
                        self.b = b
                    }
                """, true
            ),
            ("private var a: Int\n    init(a: Int) { self.a = a }", false),
            ("var a: Int\n    package init(a: Int) { self.a = a }", false),
            ("var a: Int\n    init(_ a: Int) { self.a = a }", false),
            ("var a: Int\n    init(a: Int) throws { self.a = a }", false),
            ("var a: Int?\n    init(a: Int?) { self.a = a }", false),
            ("var a = 1\n    init(a: Int = 2) { self.a = a }", false),
            ("var a: Int\n    var b = 2\n    init(a: Int) { self.a = a }", false),
            ("var a: Int\n    init(a: Int) { self.a = a }\n    init() { a = 1 }", false),
            ("var a: Int\n    init(a: Int) {\n        self.a = a\n        start()\n    }", false),
        ])
    func finds(body: String, isFound: Bool) {
        let text = "struct S {\n    \(body)\n}"
        #expect(Self.found(in: SourceFile(path: "S.swift", text: text).lines).isEmpty == !isFound)
        let other = text.replacing("struct", with: "final class")
        #expect(Self.found(in: SourceFile(path: "S.swift", text: other).lines).isEmpty)
    }

    private static func found(in lines: [String]) -> [Int] {
        lines.indices.filter { isGenerated(lines, $0) }.map { $0 + 1 }
    }

    /// Whether a line begins the only initialiser of a struct, equal to the generated one.
    private static func isGenerated(_ lines: [String], _ index: Int) -> Bool {
        let depth = indentation(of: lines[index])
        guard lines[index].dropFirst(depth).hasPrefix("init("),
            let head = lines[..<index].lastIndex(where: {
                $0.hasSuffix("{") && indentation(of: $0) == depth - 4
            }), lines[head].contains(#/\bstruct \w/#),
            let end = lines[index...].firstIndex(where: {
                $0.hasSuffix("}") && indentation(of: $0) == depth - 4
            })
        else { return false }
        let body = Array(lines[(head + 1)..<end])
        let count = body.count { indentation(of: $0) == depth && $0.contains(#/\binit[?<(]/#) }
        let members = StoredMembers.all(in: body, indentation: depth)
        let text = lines[index..<end].joined(separator: "\n")
        guard count == 1, !members.contains(where: { $0.contains(#/\b(file)?private /#) }),
            let match = text.firstMatch(
                of: #/^ *init\(([^{]*)\) \{\s*((?:self\.\w+ = \w+\s+)*)\}/#)
        else { return false }
        let set = match.2.matches(of: #/self\.(\w+) = (\w+)/#)
        let parameters = match.1.split(separator: ",").map { part -> String in
            let named = part.firstMatch(of: #/^\s*(\w+): [^=]*?( = .*?)?\s*$/#)
            return named.map { "\($0.1)\($0.2 ?? "")" } ?? "_"
        }
        let expected: [String] = members.compactMap { parameter(of: $0) }
        return set.allSatisfy { $0.1 == $0.2 } && set.count == parameters.count
            && parameters == expected
    }

    /// A member as a parameter without its type; nil: it is not a parameter.
    private static func parameter(of member: String) -> String? {
        guard
            let match = member.firstMatch(
                of: #/\b(let|var) (\w+)(?:: ([^=]*[^= ]))?( = .*\S)? *$/#)
        else { return nil }
        let isOptional = match.1 == "var" && match.3?.hasSuffix("?") == true
        guard let value = match.4 ?? (isOptional ? " = nil" : nil) else { return String(match.2) }
        return match.1 == "var" ? "\(match.2)\(value)" : nil
    }

    private static func indentation(of line: String) -> Int { line.prefix { $0 == " " }.count }
}
