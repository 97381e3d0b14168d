// SPDX-License-Identifier: Apache-2.0

import CYAML

/// Why libyaml could not go on, in its words.
struct SyntaxFailure: Error {
    var problem: String
    var mark: SourceMark?
    /// What was being read, for example "while parsing a block mapping", and where that began.
    var context: (text: String, mark: SourceMark)?

    init(problem: String) {
        self.problem = problem
    }

    init(_ parser: yaml_parser_t) {
        problem = parser.problem.map { String(cString: $0) } ?? "libyaml found no memory"
        guard parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR else {
            return
        }
        mark = SourceMark(parser.problem_mark)
        if let text = parser.context {
            context = (String(cString: text), SourceMark(parser.context_mark))
        }
    }

    /// Where to look: a quote that is never closed is noticed only at the end of the file.
    var place: SourceMark? {
        problem.contains("unexpected end of stream") ? context?.mark ?? mark : mark
    }

    /// What is wrong, as one sentence.
    func message(in source: SourceText) -> String {
        if startsWithTab(in: source) { return "a tab stands where YAML allows spaces only" }
        guard let context, context.mark.line != place?.line else { return "YAML: \(problem)" }
        return "YAML: \(problem) \(context.text) that begins in line \(context.mark.line)"
    }

    /// What to do about it.
    func remedy(in source: SourceText) -> String {
        if startsWithTab(in: source) { return "indent with spaces" }
        return Self.remedies.first { problem.contains($0.problem) }?.remedy
            ?? "look at the indentation, quotes and brackets of this line and the one before"
    }

    private func startsWithTab(in source: SourceText) -> Bool {
        guard problem.contains("cannot start any token"), let mark else { return false }
        let scalars = String(decoding: source.line(mark.line), as: UTF8.self).unicodeScalars
        return scalars.dropFirst(mark.column - 1).first == "\t"
    }

    private static let remedies: [(problem: String, remedy: String)] = [
        ("cannot start any token", "put a value that begins with @, ` or % in quotes"),
        ("expected alphabetic or numeric", "put a value that begins with * or & in quotes"),
        (
            "mapping values are not allowed",
            "look at the indentation, and put a value that contains `: ` in quotes"
        ),
        ("expected ',' or ']'", "separate the items with `,` and close the list with `]`"),
        ("expected ',' or '}'", "separate the keys with `,` and close the mapping with `}`"),
        ("expected ':'", "write `key: value`, with a space after the colon"),
        ("unexpected end of stream", "close the quote"),
        ("unknown escape character", "write `\\\\` for a backslash, or use single quotes"),
        ("expected key", "give all keys of a mapping the same indentation"),
        ("'-' indicator", "give all items of a list the same indentation"),
        ("undefined tag handle", "drop the tag: bgrun needs none"),
    ]
}
