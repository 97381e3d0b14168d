// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Collects the problems of one manifest during its reading. Confined to that reading.
package final class DiagnosticBag {
    /// The maximum number of kept problems; others are only counted, so that the report of a broken
    /// generated file stays readable.
    static let limit = 200

    private let file: String
    private let source: SourceText
    package private(set) var hasErrors = false
    private var kept: [Diagnostic] = []
    private var seen: Set<Diagnostic> = []
    private var dropped = 0
    private var suggestionsLeft = 50

    package init(file: String, source: SourceText) {
        self.file = file
        self.source = source
    }

    package func error(
        _ code: DiagnosticCode, at span: SourceSpan?, _ message: String, help remedy: String
    ) {
        report(.error, code, at: span, message, remedy)
    }

    package func warn(
        _ code: DiagnosticCode, at span: SourceSpan?, _ message: String, help remedy: String
    ) {
        report(.warning, code, at: span, message, remedy)
    }

    private func report(
        _ severity: Diagnostic.Severity, _ code: DiagnosticCode, at span: SourceSpan?,
        _ message: String, _ remedy: String
    ) {
        if severity == .error { hasErrors = true }
        guard kept.count < Self.limit else {
            dropped += 1
            return
        }
        let diagnostic = Diagnostic(
            severity: severity, code: code, file: file, mark: span?.start,
            endColumn: span?.endColumn,
            snippet: span.map { Snippet(source, at: $0.start, endColumn: $0.endColumn) },
            message: safe(message, limit: 600), remedy: safe(remedy, limit: 600))
        // A node repeated by an alias is read again at every use, but has its problem only once.
        if seen.insert(diagnostic).inserted { kept.append(diagnostic) }
    }

    /// Reports an error; returns nil in place of the refused value.
    package func refuse<Value>(
        _ code: DiagnosticCode, at span: SourceSpan?, _ message: String, help remedy: String
    ) -> Value? {
        error(code, at: span, message, help: remedy)
        return nil
    }

    /// The problems in the order of the file.
    package var sorted: [Diagnostic] {
        var sorted = kept.enumerated().sorted {
            let left = $0.element.mark ?? SourceMark(line: 0, column: 0)
            let right = $1.element.mark ?? SourceMark(line: 0, column: 0)
            return (left.line, left.column, $0.offset) < (right.line, right.column, $1.offset)
        }.map(\.element)
        if dropped > 0 {
            sorted.append(
                Diagnostic(
                    severity: hasErrors ? .error : .warning, code: .tooManyProblems, file: file,
                    mark: nil, message: "\(dropped) more problems are not shown",
                    remedy: "mend these first, then look again"))
        }
        return sorted
    }

    /// The candidate that `word` probably means. Returns nil after too many calls, so that the time
    /// for a file full of mistakes is bounded.
    package func nearest(to word: String, among candidates: [String]) -> String? {
        guard suggestionsLeft > 0, word.utf8.count <= 96 else { return nil }
        suggestionsLeft -= 1
        let similar = candidates.lazy.filter { abs($0.utf8.count - word.utf8.count) <= 24 }
        return NearMiss.nearest(to: word, among: Array(similar.prefix(100)))
    }

    /// The text to write in place of `word`, if it is probably one of `candidates`.
    package func remedy(for word: String, among candidates: [String]) -> String? {
        nearest(to: word, among: candidates).map { "write `\($0)`" }
    }
}
