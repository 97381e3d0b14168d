// SPDX-License-Identifier: Apache-2.0

import CYAML

/// The reason why libyaml could not continue, in its words.
struct SyntaxFailure: Error {
    var problem: String
    var mark: SourceMark?
    /// The construct that was being read, for example "while parsing a block mapping", and its beginning.
    var context: (text: String, mark: SourceMark)?

    /// The place of the mistake. libyaml notices some mistakes after their line: an unclosed quote at the
    /// end of the file, a missing colon, comma or bracket at the next key.
    func place(in source: SourceText) -> SourceMark? {
        if problem.contains("unexpected end of stream") || problem.contains("expected ':'") {
            return context?.mark ?? mark
        }
        guard let mark, isAfterLine(in: source) else { return mark }
        return endOfLine(before: mark.line, in: source) ?? mark
    }

    /// Whether something is missing at the end of the previous line: the line of the mark begins with the
    /// value that was taken for its continuation.
    private func isAfterLine(in source: SourceText) -> Bool {
        guard let mark else { return false }
        let isFlow = problem.contains("expected ',' or") && context?.mark.line != mark.line
        guard isFlow || problem.contains("mapping values are not allowed") else { return false }
        let indicators = Set("[]{},:\"'#&*".unicodeScalars)
        let beginning = text(of: mark.line, in: source).prefix(max(0, mark.column - 1))
        guard !beginning.contains(where: indicators.contains) else { return false }
        guard !isFlow, let end = endOfLine(before: mark.line, in: source) else { return isFlow }
        return !text(of: end.line, in: source).contains(where: indicators.contains)
    }

    private func text(of line: Int, in source: SourceText) -> String.UnicodeScalarView {
        String(decoding: source.line(line), as: UTF8.self).unicodeScalars
    }

    /// The place after the last character of the last nonblank line before `line`.
    private func endOfLine(before line: Int, in source: SourceText) -> SourceMark? {
        for number in stride(from: line - 1, to: 0, by: -1) {
            let scalars = text(of: number, in: source)
            let blanks = scalars.reversed().prefix { $0.properties.isWhitespace }.count
            if blanks < scalars.count {
                // fits: at most the length of the line
                return SourceMark(line: number, column: scalars.count - blanks + 1)
            }
        }
        return nil
    }

    /// The problem, as one sentence.
    func message(in source: SourceText) -> String {
        if startsWithTab(in: source) { return "a tab stands where YAML allows spaces only" }
        guard let context, context.mark.line != place(in: source)?.line else {
            return "YAML: \(problem)"
        }
        return "YAML: \(problem) \(context.text) that begins in line \(context.mark.line)"
    }

    /// The remedy.
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

extension SyntaxFailure {
    init(_ parser: yaml_parser_t) {
        self.init(problem: parser.problem.map { String(cString: $0) } ?? "libyaml found no memory")
        guard parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR else {
            return
        }
        mark = SourceMark(parser.problem_mark)
        if let text = parser.context {
            context = (String(cString: text), SourceMark(parser.context_mark))
        }
    }
}
